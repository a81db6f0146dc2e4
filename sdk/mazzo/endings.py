"""Perfect play of the end of a deal for two, once nothing is hidden any more.

In Briscola that is so for the last three tricks, in Frusta for the second stage, in Tressette
a Metà Mazzo for the last ten tricks, and a Pizzichino once every card that is left is in a
hand or on top of a packet.

The search is alpha-beta over raw ints. A hand is a set of cards. Positions are remembered with
the bounds that were found for them; a search is asked only whether the value reaches a guess,
and the guess goes to the value (MTD(f): Plaat, Schaeffer, Pijls and de Bruin, Best-first
fixed-depth minimax algorithms, Artificial Intelligence 87, 1996).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations

from mazzo.cards import ITALIAN, mask_of
from mazzo.errors import MazzoError
from mazzo.game import Action, View
from mazzo.games import briscola, frusta, tressette
from mazzo.games.briscola import BriscolaView
from mazzo.games.frusta import FrustaView
from mazzo.games.tressette import MetaMazzoView, PizzichinoView
from mazzo.tricks import beats_table, follow_tables

__all__ = ["Ending", "OutOfTimeError", "Rules", "make_ending_rules", "open_hands", "solve"]

_POINT = 3  # thirds, in Tressette
_THIRDS = 35  # in a deal of it
_UNITS = 21  # in a deal of Frusta: two a trick, and one for the last, which leads a tie-break
_MOST = 1000  # more than any value
_TURN = 64  # positions between two looks at the clock
_SUITS = follow_tables(ITALIAN)  # by card, the cards of its suit


class OutOfTimeError(MazzoError):
    """The clock does not leave the time to search on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Who takes a trick, and what it is worth."""

    order: str  # ranks from high to low
    trump: str | None
    free: int  # what a follower who can follow may play besides
    worth: Sequence[int]  # by card
    trick: int = 0  # for each trick, beside its cards
    last: int = 0  # for the last one, besides


class Ending:
    """The rest of a deal, without stock. Values are differences: leader less follower."""

    def __init__(self, rules: Rules, expired: Callable[[], bool]) -> None:
        """`expired` is asked now and then; when it says so, `OutOfTimeError` is raised."""
        self.rules = rules
        self.expired = expired
        self.beats = beats_table(ITALIAN, rules.order, rules.trump)
        self.bounds: dict[tuple[int, int], tuple[int, int]] = {}  # by hands, the leader's first
        self.visited = 0

    def best(self, mine: int, theirs: int, led: int | None) -> tuple[int, int]:
        """Return the best card of `mine`, to lead or to answer `led`, and its owner's value."""

        def bound(card: int, beta: int) -> int:
            rest = mine ^ 1 << card
            if led is None:
                return self.answer(card, rest, theirs, beta)
            return -self.settled(led, card, theirs, rest, 1 - beta)

        cards = self.choices(mine, theirs) if led is None else self.answers(led, mine, theirs)
        low, high, guess, best = -_MOST, _MOST, 0, cards[0]
        while low < high:
            beta = max(guess, low + 1)
            guess, card = max((bound(card, beta), card) for card in cards)
            if guess < beta:
                high = guess
            else:
                low, best = guess, card
        return best, low

    def choices(self, cards: int, other: int) -> list[int]:
        """Return the cards, but one for those that do the same.

        Two of a suit do the same, for as long as they are held, when they are worth the same
        and the other hand has nothing between them.
        """
        worth, beats, found, before = self.rules.worth, self.beats, [], -1
        while cards:
            low = cards & -cards
            cards ^= low
            card = low.bit_length() - 1
            if (
                before < 0
                or (beats[card] ^ beats[before]) & other
                or not _SUITS[before] & low
                or worth[before] != worth[card]
            ):
                found.append(card)
            before = card
        return found

    def answers(self, led: int, cards: int, other: int) -> list[int]:
        """Return the same for the answers to a card led, those that win the trick first."""
        following = cards & _SUITS[led]
        legal = following | cards & self.rules.free if following else cards
        higher = self.beats[led]
        return self.choices(legal & higher, other) + self.choices(legal & ~higher, other)

    def lead(self, mine: int, theirs: int, beta: int) -> int:
        """Return a bound of the value: a lower one if it reaches beta, else an upper one."""
        if not mine:
            return 0
        low, high = self.bounds.get((mine, theirs), (-_MOST, _MOST))
        if low >= beta:
            return low
        if high < beta:
            return high
        self.visited += 1
        if not self.visited % _TURN and self.expired():
            raise OutOfTimeError
        best = -_MOST
        for led in self.choices(mine, theirs):
            best = max(best, self.answer(led, mine ^ 1 << led, theirs, beta))
            if best >= beta:
                break
        self.bounds[mine, theirs] = (best, high) if best >= beta else (low, best)
        return best

    def answer(self, led: int, mine: int, theirs: int, beta: int) -> int:
        """Return the same for the leader, once the card led is on the table."""
        best = _MOST
        for card in self.answers(led, theirs, mine):
            best = min(best, self.settled(led, card, mine, theirs ^ 1 << card, beta))
            if best < beta:
                break
        return best

    def settled(self, led: int, card: int, mine: int, theirs: int, beta: int) -> int:
        """Return the same for the leader, once both cards are there."""
        rules = self.rules
        gain = (
            rules.worth[led]
            + rules.worth[card]
            + (rules.trick if mine else rules.trick + rules.last)
        )
        if self.beats[led] >> card & 1:
            return -gain - self.lead(theirs, mine, 1 - beta - gain)
        return gain + self.lead(mine, theirs, beta - gain)


def open_hands(view: View) -> tuple[int, int] | None:
    """Return the cards of this seat and the other one, as sets; None if some are hidden."""
    games = BriscolaView | FrustaView | MetaMazzoView | PizzichinoView
    if not isinstance(view, games) or view.players != 2:
        return None
    other = 1 - view.seat
    mine, theirs = view.hand_mask, mask_of(view.unseen) | mask_of(view.known(other))
    count = view.hand_counts[other]
    if isinstance(view, PizzichinoView):
        mine |= mask_of(view.tops_of(view.seat).values())
        tops = view.tops_of(other).values()
        theirs |= mask_of(tops)
        count += len(tops)
    # Whatever else is hidden would be too many cards for the other seat.
    known = theirs.bit_count() == count
    return (mine, theirs) if known else None


def solve(view: View, expired: Callable[[], bool] = lambda: False) -> tuple[Action, float] | None:
    """Return the best card at a decision and its value; None if cards are hidden.

    The value is the difference of the deal's scores, this seat's less the other's, if both play
    perfectly; in Frusta at five tricks each it is the mean over the cards of the tie-break.
    It leaves out what can still be declared. Raises `OutOfTimeError` once `expired`, which is
    called now and then, returns True, and `ValueError` for a seat that is not to move.
    """
    if not view.legal_mask:
        raise ValueError(f"expected the view of a decision, got one where seat {view.seat} waits")
    hands = open_hands(view)
    if hands is None:
        return None
    ending = Ending(make_ending_rules(view), expired)
    best, value = ending.best(*hands, view.trick_cards[0] if view.trick_cards else None)
    return view.variant.game.actions[best], _outcome(view, value)


def make_ending_rules(view: View) -> Rules:
    """Return the game for the search, in points, thirds of points, or half tricks."""
    match view:
        case BriscolaView():
            free = mask_of(ITALIAN.cards)
            return Rules(
                order=briscola.RANK_ORDER, trump=view.trump, free=free, worth=briscola.POINTS
            )
        case FrustaView():
            order, free = frusta.RANK_ORDER, 0
            if view.variant.option("follow") == "free-discard":
                free = mask_of(card for card in ITALIAN.cards if card.suit != view.trump)
            nothing = (0,) * len(ITALIAN)
            return Rules(order=order, trump=view.trump, free=free, worth=nothing, trick=2, last=1)
        case MetaMazzoView() | PizzichinoView():
            thirds = [view.card_thirds(card) for card in ITALIAN.cards]
            return Rules(order=tressette.RANK_ORDER, trump=None, free=0, worth=thirds, last=_POINT)
    raise TypeError(f"expected a game with endings for two, got {view.variant}")


def _outcome(view: View, value: int) -> float:
    """Return the difference of the deal's scores, once the search says what is still to come."""
    me, other = view.seat, 1 - view.seat
    match view:
        case BriscolaView():
            return view.points[me] - view.points[other] + value
        case MetaMazzoView() | PizzichinoView():
            mine = (_THIRDS + view.thirds[me] - view.thirds[other] + value) // 2
            declared = view.buongiochi[me] - view.buongiochi[other]
            return mine // _POINT - (_THIRDS - mine) // _POINT + declared
        case FrustaView():
            taken = 2 * (view.tricks_taken[me] - view.tricks_taken[other])
            tricks, last = divmod((_UNITS + taken + value) // 2, 2)
            if tricks != 5:
                return 2 * tricks - 10
            pairs = list(permutations(view.past_cards[:20], 2))
            ruffed = sum(view.beats(answer, led) for led, answer in pairs) / len(pairs)
            return 1 - 2 * ruffed if last else 2 * ruffed - 1
    raise TypeError(f"expected a game with endings for two, got {view.variant}")
