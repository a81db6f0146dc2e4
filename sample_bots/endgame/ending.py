"""Perfect play of two who see all the cards: alpha-beta over raw ints.

A hand is a set of cards, a bit for each by its id. Positions are remembered with the bounds
that were found for them; a search is asked only whether the value reaches a guess, and the
guess goes to the value (MTD(f): Plaat, Schaeffer, Pijls and de Bruin, Best-first fixed-depth
minimax algorithms, Artificial Intelligence 87, 1996).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mazzo.cards import ITALIAN
from mazzo.tricks import beats_table, follow_tables

MOST = 1000  # more than any value
TURN = 256  # positions between two looks at the clock
SUITS = follow_tables(ITALIAN)  # by card, the cards of its suit


class OutOfTimeError(Exception):
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
        """The best card of `mine`, to lead or on the card led, and the value for its owner."""

        def bound(card: int, beta: int) -> int:
            rest = mine ^ 1 << card
            if led is None:
                return self.answer(card, rest, theirs, beta)
            return -self.settled(led, card, theirs, rest, 1 - beta)

        cards = self.choices(mine, theirs) if led is None else self.answers(led, mine, theirs)
        low, high, guess, best = -MOST, MOST, 0, cards[0]
        while low < high:
            beta = max(guess, low + 1)
            guess, card = max((bound(card, beta), card) for card in cards)
            if guess < beta:
                high = guess
            else:
                low, best = guess, card
        return best, low

    def choices(self, cards: int, other: int) -> list[int]:
        """The cards, but one for those that do the same.

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
                or not SUITS[before] & low
                or worth[before] != worth[card]
            ):
                found.append(card)
            before = card
        return found

    def answers(self, led: int, cards: int, other: int) -> list[int]:
        """The same for the answers to a card led, those that win the trick first."""
        following = cards & SUITS[led]
        legal = following | cards & self.rules.free if following else cards
        higher = self.beats[led]
        return self.choices(legal & higher, other) + self.choices(legal & ~higher, other)

    def lead(self, mine: int, theirs: int, beta: int) -> int:
        """A bound of the value: a lower one if it reaches beta, else an upper one."""
        if not mine:
            return 0
        low, high = self.bounds.get((mine, theirs), (-MOST, MOST))
        if low >= beta:
            return low
        if high < beta:
            return high
        self.visited += 1
        if not self.visited % TURN and self.expired():
            raise OutOfTimeError
        best = -MOST
        for led in self.choices(mine, theirs):
            best = max(best, self.answer(led, mine ^ 1 << led, theirs, beta))
            if best >= beta:
                break
        self.bounds[mine, theirs] = (best, high) if best >= beta else (low, best)
        return best

    def answer(self, led: int, mine: int, theirs: int, beta: int) -> int:
        """The same for the leader, once the card led is on the table."""
        best = MOST
        for card in self.answers(led, theirs, mine):
            best = min(best, self.settled(led, card, mine, theirs ^ 1 << card, beta))
            if best < beta:
                break
        return best

    def settled(self, led: int, card: int, mine: int, theirs: int, beta: int) -> int:
        """The same for the leader, once both cards are there."""
        rules = self.rules
        gain = (
            rules.worth[led]
            + rules.worth[card]
            + (rules.trick if mine else rules.trick + rules.last)
        )
        if self.beats[led] >> card & 1:
            return -gain - self.lead(theirs, mine, 1 - beta - gain)
        return gain + self.lead(mine, theirs, beta - gain)
