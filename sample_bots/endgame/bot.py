"""Plays simply while cards are hidden, and perfectly once none is, with two players.

In Briscola that is so for the last three tricks, in Frusta for the second stage, in Tressette
a Metà Mazzo for the last ten tricks, and a Pizzichino once every card that is left is in a
hand or on top of a packet.
"""

import time
from itertools import permutations

from ending import Ending, OutOfTimeError, Rules

from mazzo import Action, Bot, Card, View, run
from mazzo.cards import ITALIAN, mask_of
from mazzo.games import briscola, frusta, tressette
from mazzo.games.briscola import BriscolaView
from mazzo.games.frusta import FrustaView
from mazzo.games.tressette import MetaMazzoView, PizzichinoView

SHARE = 0.3  # of the time that the clock leaves for a decision: the machine may be busy elsewhere
POINT = 3  # thirds, in Tressette
THIRDS = 35  # in a deal of it
UNITS = 21  # in a deal of Frusta: two a trick, and one for the last, which leads a tie-break


class EndgameBot(Bot):
    """Two-player endings without a mistake."""

    def __init__(self, seconds: float = 2.0) -> None:
        """The most that a decision may take, if its clock allows as much."""
        self.seconds = seconds

    def act(self, view: View) -> Action | Card:
        """The best card of an ending, or what a simple rule says."""
        for word in ("declare:", "pluck:"):
            for action in view.legal:
                if action.code.startswith(word):
                    return action
        cards = [action.card for action in view.legal if action.card is not None]
        if not cards:
            return view.legal[0]
        if len(cards) > 1 and (hands := open_hands(view)):
            seconds = self.seconds
            if view.clock is not None:
                left = min(view.clock.limit, view.clock.bank) - view.clock.latency
                seconds = min(seconds, SHARE * left)
            try:
                return solve(view, hands, time.monotonic() + seconds)[0]
            except OutOfTimeError:
                pass
        return simple(view, cards)


def open_hands(view: View) -> tuple[int, int] | None:
    """What this seat and the other one may still play, if everything is known."""
    if view.players != 2:
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


def solve(view: View, hands: tuple[int, int], deadline: float) -> tuple[Action, float]:
    """The best card, and what the deal then comes to.

    That is the difference of the deal's scores, this seat's less the other's, if both play
    perfectly; in Frusta at five tricks each it is the mean over the cards of the tie-break.
    Raises `OutOfTimeError` at the deadline.
    """
    ending = Ending(rules_of(view), lambda: time.monotonic() > deadline)
    best, value = ending.best(*hands, view.trick_cards[0] if view.trick_cards else None)
    return next(action for action in view.legal if action == best), outcome(view, value)


def rules_of(view: View) -> Rules:
    """The game for the search, in points, thirds of points, or half tricks."""
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
            return Rules(order=tressette.RANK_ORDER, trump=None, free=0, worth=thirds, last=POINT)
    raise TypeError(f"expected a game that this bot knows, got {view.variant}")


def outcome(view: View, value: int) -> float:
    """The difference of the deal's scores, once the search says what is still to come."""
    me, other = view.seat, 1 - view.seat
    match view:
        case BriscolaView():
            return view.points[me] - view.points[other] + value
        case MetaMazzoView() | PizzichinoView():
            mine = (THIRDS + view.thirds[me] - view.thirds[other] + value) // 2
            declared = view.buongiochi[me] - view.buongiochi[other]
            return mine // POINT - (THIRDS - mine) // POINT + declared
        case FrustaView():
            taken = 2 * (view.tricks_taken[me] - view.tricks_taken[other])
            tricks, last = divmod((UNITS + taken + value) // 2, 2)
            if tricks != 5:
                return 2 * tricks - 10
            pairs = list(permutations(view.past_cards[:20], 2))
            ruffed = sum(view.beats(answer, led) for led, answer in pairs) / len(pairs)
            return 1 - 2 * ruffed if last else 2 * ruffed - 1
    raise TypeError(f"expected a game that this bot knows, got {view.variant}")


def simple(view: View, cards: list[Card]) -> Card:
    """Takes a trick with the least card that does it; leads, or throws away, the least of all.

    In Frusta it takes no prize that is less than the card that takes it.
    """
    rules = rules_of(view)

    def price(card: Card) -> tuple[bool, int, int]:
        """What it costs to play the card: trumps most, then its worth, then its rank."""
        return card.suit == rules.trump, rules.worth[card], -rules.order.index(card.rank)

    winning = view.winner_so_far
    takers = []
    if winning is not None and winning[0] not in view.partners:
        takers = [card for card in cards if view.beats(card, winning[1])]
    if isinstance(view, FrustaView) and view.prize is not None:
        takers = [card for card in takers if price(card) < price(view.prize)]
    return min(takers or cards, key=price)


if __name__ == "__main__":
    run(EndgameBot)
