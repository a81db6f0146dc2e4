"""A second Briscola chiamata, slow and plain, written from the rules alone.

It shares nothing with the package: cards and actions are texts, hands are lists, and the
position is kept as the rules tell it.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["ACTIONS", "PACK", "ReferenceChiamata", "settle", "winning_card"]

SUITS = ["d", "c", "s", "b"]
PACK = [rank + suit for suit in SUITS for rank in "A234567JHK"]
LOW_TO_HIGH = "24567JHK3A"
WORTH = {"A": 11, "3": 10, "K": 4, "H": 3, "J": 2, "7": 0, "6": 0, "5": 0, "4": 0, "2": 0}
ACTIONS = (
    PACK
    + [f"bid:{n}" for n in range(1, 121)]
    + ["pass"]
    + ["trump:" + suit for suit in SUITS]
    + ["call:" + card for card in PACK]
)


def winning_card(cards: list[str], trump: str) -> str:
    """The card that wins a trick; the cards stand in the order played."""
    trumps = [card for card in cards if card[1] == trump]
    of_suit_led = [card for card in cards if card[1] == cards[0][1]]
    return max(trumps or of_suit_led, key=lambda card: LOW_TO_HIGH.index(card[0]))


def settle(caller: int, holder: int, bid: int, points: list[int]) -> list[int]:
    """What each seat scores, from the card points that each seat took."""
    side = {caller, holder}
    made = sum(points[seat] for seat in side) >= bid
    if len(side) == 1:
        scores = [-1] * 5
        scores[caller] = 4
    else:
        scores = [-1] * 5
        scores[caller] = 2
        scores[holder] = 1
    return scores if made else [-score for score in scores]


class ReferenceChiamata:
    """A deal as someone sees it who looks into all hands."""

    def __init__(
        self,
        players: int,
        options: dict[str, str],
        dealer: int,
        shuffles: list[list[str]],
        start: Mapping[str, object] | None = None,
        draws: str = "top",
    ) -> None:
        """Deal eight cards to each seat; options that are not given have their defaults."""
        assert players == 5
        assert not start
        assert draws == "top"
        assert set(options) <= {"min-bid", "called", "lead"}
        deck = shuffles[0]
        assert sorted(deck) == sorted(PACK)
        self.lowest_bid = int(options.get("min-bid", "61"))
        self.called_must_be_trump = options.get("called", "any") == "trump-only"
        self.caller_leads = options.get("lead", "first-seat") == "caller"
        self.first = (dealer + 1) % 5
        self.hands: list[list[str]] = [[] for _ in range(5)]
        for k in range(5):
            self.hands[(self.first + k) % 5] = deck[8 * k : 8 * k + 8]
        self.phase = "auction"  # then "trump", "call", "tricks", "over"
        self.to_move: int | None = self.first
        self.bids: list[tuple[int, int]] = []  # seat, points
        self.passed: list[int] = []
        self.caller: int | None = None
        self.trump: str | None = None
        self.called: str | None = None
        self.holder: int | None = None
        self.table: list[tuple[int, str]] = []  # seat, card
        self.points = [0] * 5
        self.scores: list[int] | None = None
        self.result: dict[str, object] | None = None

    def legal(self) -> list[str]:
        """The codes that the seat to move may choose from, in ascending action number."""
        if self.to_move is None:
            return []
        allowed: set[str] = set()
        if self.phase == "auction":
            lowest = self.bids[-1][1] + 1 if self.bids else self.lowest_bid
            allowed = {f"bid:{n}" for n in range(lowest, 121)} | {"pass"}
        elif self.phase == "trump":
            allowed = {"trump:" + suit for suit in SUITS}
        elif self.phase == "call":
            allowed = {
                "call:" + card
                for card in PACK
                if card[1] == self.trump or not self.called_must_be_trump
            }
        else:
            allowed = set(self.hands[self.to_move])
        return [code for code in ACTIONS if code in allowed]

    def apply(self, code: str) -> None:
        """Let the seat to move do this; ValueError if it may not."""
        seat = self.to_move
        if seat is None or code not in self.legal():
            raise ValueError(f"not legal: {code}")
        if self.phase == "auction":
            self._bid(seat, code)
        elif self.phase == "trump":
            self.trump = code.removeprefix("trump:")
            self.phase = "call"
        elif self.phase == "call":
            self.called = code.removeprefix("call:")
            self.holder = next(s for s in range(5) if self.called in self.hands[s])
            self.phase = "tricks"
            self.to_move = seat if self.caller_leads else self.first
        else:
            self._play(seat, code)

    def _bid(self, seat: int, code: str) -> None:
        if code == "pass":
            self.passed.append(seat)
        else:
            self.bids.append((seat, int(code.removeprefix("bid:"))))
        if len(self.passed) == 5:
            self._end([0] * 5, {})
            return
        if self.bids and (len(self.passed) == 4 or self.bids[-1][1] == 120):
            self.caller = self.bids[-1][0]
            self.phase = "trump"
            self.to_move = self.caller
            return
        after = [(seat + k) % 5 for k in range(1, 6)]
        self.to_move = next(other for other in after if other not in self.passed)

    def _play(self, seat: int, card: str) -> None:
        self.hands[seat].remove(card)
        self.table.append((seat, card))
        if len(self.table) < 5:
            self.to_move = (seat + 1) % 5
            return
        assert self.trump is not None
        cards = [played for _, played in self.table]
        best = winning_card(cards, self.trump)
        winner = next(player for player, played in self.table if played == best)
        self.points[winner] += sum(WORTH[played[0]] for played in cards)
        self.table = []
        self.to_move = winner
        if not self.hands[winner]:
            self._settle()

    def _settle(self) -> None:
        assert self.caller is not None
        assert self.holder is not None
        bid = self.bids[-1][1]
        facts: dict[str, object] = {
            "caller": self.caller,
            "bid": bid,
            "trump": self.trump,
            "called": self.called,
            "holder": self.holder,
            "points": self.points,
        }
        self._end(settle(self.caller, self.holder, bid, self.points), facts)

    def _end(self, scores: list[int], result: dict[str, object]) -> None:
        self.phase = "over"
        self.to_move = None
        self.scores = scores
        self.result = result
