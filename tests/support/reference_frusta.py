"""A second Frusta, slow and plain, written from the rules alone.

It shares nothing with the package: cards and actions are texts, hands are lists, and the
position is kept as the rules tell it.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["PACK", "ReferenceFrusta", "follower_wins", "may_follow"]

PACK = [rank + suit for suit in "dcsb" for rank in "A234567JHK"]
LOW_TO_HIGH = "24567JHK3A"


def may_follow(hand: list[str], led: str, trump: str, follow: str = "strict") -> list[str]:
    """The cards of the hand that may be played to the card led."""
    of_suit_led = [card for card in hand if card[1] == led[1]]
    if not of_suit_led:
        return list(hand)
    if follow == "strict":
        return of_suit_led
    return [card for card in hand if card[1] == led[1] or card[1] != trump]


def follower_wins(led: str, reply: str, trump: str) -> bool:
    """Whether the second card of a trick takes it."""
    if reply[1] == led[1]:
        return LOW_TO_HIGH.index(reply[0]) > LOW_TO_HIGH.index(led[0])
    return reply[1] == trump


class ReferenceFrusta:
    """A deal as someone sees it who looks into both hands and the stock."""

    def __init__(
        self,
        players: int,
        options: dict[str, str],
        dealer: int,
        shuffles: list[list[str]],
        start: Mapping[str, object] | None = None,
        draws: str = "top",
    ) -> None:
        """Deal ten cards each; the second shuffle is looked for when the tie-break needs it."""
        assert players == 2
        assert not start
        assert draws == "top"
        assert set(options) <= {"follow"}
        deck = shuffles[0]
        assert sorted(deck) == sorted(PACK)
        self.follow = options.get("follow", "strict")
        self.shuffles = shuffles
        self.dealer = dealer
        self.first = 1 - dealer
        self.hands: list[list[str]] = [[], []]
        self.hands[self.first] = deck[0:10]
        self.hands[dealer] = deck[10:20]
        self.stock = deck[20:]  # the card on top lies face up: the prize
        self.trump = self.stock[0][1]
        self.discards: list[str] = []  # the cards played in stage 1
        self.led: str | None = None
        self.tricks = [0, 0]  # won in stage 2
        self.to_move: int | None = self.first
        self.scores: list[int] | None = None
        self.result: dict[str, object] | None = None

    def legal(self) -> list[str]:
        """The codes that the seat to move may choose from, in ascending action number."""
        if self.to_move is None:
            return []
        allowed = self.hands[self.to_move]
        if self.led is not None:
            allowed = may_follow(allowed, self.led, self.trump, self.follow)
        return [card for card in PACK if card in allowed]

    def apply(self, code: str) -> None:
        """Let the seat to move play this card.

        ValueError if it may not, LookupError if this makes it 5-5 and there is no shuffle for
        the tie-break; nothing is changed then.
        """
        seat = self.to_move
        if seat is None or code not in self.legal():
            raise ValueError(f"not legal: {code}")
        if self.led is None:
            self.hands[seat].remove(code)
            self.led = code
            self.to_move = 1 - seat
            return
        winner = seat if follower_wins(self.led, code, self.trump) else 1 - seat
        if self.stock:
            self._end_trick_of_stage_1(seat, code, winner)
        else:
            self._end_trick_of_stage_2(seat, code, winner)

    def _end_trick_of_stage_1(self, follower: int, card: str, winner: int) -> None:
        assert self.led is not None
        self.hands[follower].remove(card)
        self.discards += [self.led, card]
        self.led = None
        self.hands[winner].append(self.stock.pop(0))
        self.hands[1 - winner].append(self.stock.pop(0))
        self.to_move = winner

    def _end_trick_of_stage_2(self, follower: int, card: str, winner: int) -> None:
        tricks = list(self.tricks)
        tricks[winner] += 1
        tiebreak = tricks == [5, 5]
        if tiebreak:
            # Before anything is changed: without the shuffle this raises LookupError.
            tricks[self._tiebreak_winner(leader=winner)] += 1
        self.hands[follower].remove(card)
        self.led = None
        self.tricks = tricks
        self.to_move = winner
        if sum(tricks) >= 10:
            self.to_move = None
            self.scores = tricks
            self.result = {"tiebreak": tiebreak}

    def _tiebreak_winner(self, leader: int) -> int:
        if len(self.shuffles) < 2:
            raise LookupError("5-5, and there is no shuffle for the tie-break")
        shuffled = self.shuffles[1]
        assert sorted(shuffled) == sorted(self.discards)
        cards = {self.first: shuffled[0], self.dealer: shuffled[1]}
        follower = 1 - leader
        return follower if follower_wins(cards[leader], cards[follower], self.trump) else leader
