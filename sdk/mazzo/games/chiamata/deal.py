"""Briscola chiamata, "Bastard Briscola", for 5.

Eight cards each; the highest bidder names trumps and a card, and whoever holds that card is
secretly his partner. Tricks as in Briscola, without drawing. `RANK_ORDER` and `POINTS` are those
of Briscola.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mazzo.cards import ITALIAN, Card, mask_of
from mazzo.game import Deal, Setting, View
from mazzo.receipts import pack_receipt
from mazzo.shuffle import Shuffles
from mazzo.tricks import BRISCOLA_ORDER as RANK_ORDER
from mazzo.tricks import BRISCOLA_POINTS as POINTS
from mazzo.tricks import beats_table, strength_table

__all__ = [
    "FIRST_BID",
    "FIRST_CALL",
    "FIRST_TRUMP",
    "MOST",
    "PASS",
    "PLAYERS",
    "POINTS",
    "RANK_ORDER",
    "ChiamataDeal",
    "ChiamataView",
]

PLAYERS = 5
_HAND = 8  # cards
MOST = 120  # card points in the pack, and the highest bid
FIRST_BID = 40  # action number of bid:1
PASS = FIRST_BID + MOST
FIRST_TRUMP = PASS + 1
FIRST_CALL = FIRST_TRUMP + len(ITALIAN.suits)

_BEATS = {suit: beats_table(ITALIAN, RANK_ORDER, suit) for suit in ITALIAN.suits}
_STRENGTH = {trump: strength_table(ITALIAN, RANK_ORDER, trump) for trump in (*ITALIAN.suits, None)}
_BIT = tuple(1 << card for card in ITALIAN.cards)
_BIDS_FROM = tuple(  # the bids of N and more, by N
    mask_of(range(FIRST_BID + least - 1, PASS)) if least else 0 for least in range(MOST + 2)
)
_TRUMPS = mask_of(range(FIRST_TRUMP, FIRST_CALL))
_CALLS = mask_of(range(FIRST_CALL, FIRST_CALL + len(ITALIAN)))
_CALLS_OF_SUIT = {
    suit: mask_of(FIRST_CALL + card for card in ITALIAN.cards if card.suit == suit)
    for suit in ITALIAN.suits
}
_NEXT = (1, 2, 3, 4, 0)


@dataclass(slots=True, kw_only=True)
class ChiamataView(View):
    """What a seat may know of a deal of Briscola chiamata."""

    bid: int  # the highest so far, 0 before the first
    bidder: int | None  # who made it
    passed: int  # the set of the seats that have passed
    trump: str | None  # None until it is announced
    called: Card | None  # None until it is called
    holder: int | None  # who was dealt the called card; None while this seat does not know
    points: tuple[int, ...]  # card points taken, by seat

    @property
    def caller(self) -> int | None:
        """The seat that won the auction; None before."""
        others_passed = self.passed.bit_count() == PLAYERS - 1
        return self.bidder if others_passed or self.bid == MOST else None

    @property
    def first_leader(self) -> int:
        """The dealer's next seat, or the caller, as the option `lead` says.

        The dealer's next seat where there is no caller yet.
        """
        if self.variant.option("lead") == "caller" and self.caller is not None:
            return self.caller
        return (self.dealer + 1) % PLAYERS

    @property
    def known_partner(self) -> int | None:
        """The other seat of this seat's own side, where this seat is sure of it."""
        if self.holder is None or self.caller is None or self.holder == self.caller:
            return None
        return {self.caller: self.holder, self.holder: self.caller}.get(self.seat)

    @property
    def partners(self) -> tuple[int, ...]:
        """The other seat of this seat's own side, where this seat is sure of it."""
        return () if self.known_partner is None else (self.known_partner,)

    @property
    def unseen(self) -> tuple[Card, ...]:
        """The cards that other seats hold."""
        seen = self.hand_mask | mask_of(self.past_cards) | mask_of(self.trick_cards)
        return tuple([card for card in ITALIAN.cards if not seen >> card & 1])

    def card_points(self, card: int) -> int:
        """Return what the card is worth, 0 to 11."""
        return POINTS[card]

    def beats(self, card: int, other: int) -> bool:
        """Return whether `card`, laid after `other`, takes the trick from it."""
        return self.trump is not None and bool(_BEATS[self.trump][other] >> card & 1)

    def strength(self, card: int) -> int:
        """Return how high a card stands: by rank in its suit, a trump, once named, above all."""
        return _STRENGTH[self.trump][card]

    def to_json(self) -> dict[str, Any]:
        """Return the view in words."""
        base = super(ChiamataView, self).to_json()  # slots=True makes the class anew
        return base | {
            "bid": self.bid,
            "bidder": self.bidder,
            "caller": self.caller,
            "trump": self.trump,
            "called": self.called.code if self.called is not None else None,
            "holder": self.holder,
            "points": list(self.points),
        }


class ChiamataDeal(Deal):
    """A deal of Briscola chiamata."""

    __slots__ = (
        "_beats",
        "_best",
        "_bid",
        "_bidder",
        "_called",
        "_holder",
        "_laid",
        "_passed",
        "_points",
        "_shown",
        "_taker",
        "_trump",
        "_worth",
    )

    def __init__(self, setting: Setting, shuffles: Shuffles) -> None:
        """Begin a deal before the first bid."""
        deck = shuffles.draw("deck", 0, range(len(ITALIAN)))
        super().__init__(setting, deck)
        first = _NEXT[setting.dealer]
        hands, received = [0] * PLAYERS, [b""] * PLAYERS
        for place in range(PLAYERS):
            dealt, seat = deck[_HAND * place : _HAND * (place + 1)], (first + place) % PLAYERS
            hands[seat] = mask_of(dealt)
            received[seat] = pack_receipt(0, dealt)
        self._hands = hands
        self._received = received
        self._bid = 0
        self._bidder: int | None = None
        self._passed = 0  # the set of the seats that have passed
        self._trump: str | None = None
        self._called: int | None = None
        self._holder: int | None = None
        self._shown = False  # whether the called card was played
        self._beats: tuple[int, ...] = ()
        self._points = [0] * PLAYERS
        self._laid = 0  # cards of the trick on the table
        self._worth = 0  # their points
        self._leader = first
        self._best = 0  # the card that wins the trick so far
        self._taker = first  # who laid it
        self.seat = first
        self.legal = _BIDS_FROM[int(self.variant.option("min-bid"))] | 1 << PASS

    def apply(self, action: int) -> None:
        """Bid, pass, announce, call or play a card for the seat to move."""
        if action < 0 or not self.legal >> action & 1:
            raise self.refusal(action)
        seat = self.seat
        assert seat is not None
        self.actions.append(action)
        self._actors.append(seat)
        if action < FIRST_BID:
            self._play(seat, action)
        elif action <= PASS:
            self._bid_or_pass(seat, action)
        elif action < FIRST_CALL:
            self._trump = ITALIAN.suits[action - FIRST_TRUMP]
            self._beats = _BEATS[self._trump]
            trump_only = self.variant.option("called") == "trump-only"
            self.legal = _CALLS_OF_SUIT[self._trump] if trump_only else _CALLS
        else:
            self._call(action - FIRST_CALL)

    def _bid_or_pass(self, seat: int, action: int) -> None:
        if action == PASS:
            self._passed |= 1 << seat
            if self._passed.bit_count() == PLAYERS:
                self.seat = None
                self.legal = 0
                return
        else:
            self._bid = action - FIRST_BID + 1
            self._bidder = seat
        all_others_passed = self._passed.bit_count() == PLAYERS - 1
        if self._bid == MOST or (self._bidder is not None and all_others_passed):
            assert self._bidder is not None
            if self.variant.option("lead") == "caller":
                self._leader = self._bidder
            self.seat = self._bidder
            self.legal = _TRUMPS
            return
        while True:
            seat = _NEXT[seat]
            if not self._passed >> seat & 1:
                break
        self.seat = seat
        least = self._bid + 1 if self._bid else int(self.variant.option("min-bid"))
        self.legal = _BIDS_FROM[least] | 1 << PASS

    def _call(self, card: int) -> None:
        self._called = card
        self._holder = next(seat for seat, hand in enumerate(self._hands) if hand >> card & 1)
        self.seat = self._leader
        self.legal = self._hands[self._leader]

    def _play(self, seat: int, card: int) -> None:
        hands = self._hands
        hands[seat] ^= _BIT[card]
        self._plays.append(card)
        self._worth += POINTS[card]
        if card == self._called:
            self._shown = True
        if not self._laid or self._beats[self._best] >> card & 1:
            self._best = card
            self._taker = seat
        self._laid += 1
        if self._laid < PLAYERS:
            self.seat = seat = _NEXT[seat]
            self.legal = hands[seat]
            return
        winner = self._taker
        self._points[winner] += self._worth
        self._worth = 0
        self._laid = 0
        self._winners.append(winner)
        self._leader = winner
        self.legal = hands[winner]
        self.seat = winner if hands[winner] else None

    def view(self, seat: int) -> ChiamataView:
        """Return what the seat may know: its hand, the auction, everything played."""
        called, holder = self._called, self._holder
        finished = PLAYERS * len(self._winners)
        view = self._begin_view(ChiamataView, seat, finished)
        view.bid = self._bid
        view.bidder = self._bidder
        view.passed = self._passed
        view.trump = self._trump
        view.called = None if called is None else ITALIAN.cards[called]
        view.holder = holder if self._shown or seat == holder else None
        view.points = tuple(self._points)
        return view

    def copy(self) -> ChiamataDeal:
        """Return an independent deal in the same position."""
        copied = self._begin_copy()
        for name in self.__slots__:
            setattr(copied, name, getattr(self, name))
        copied._points = list(self._points)
        return copied

    @property
    def scores(self) -> tuple[int, ...] | None:
        """2 for the caller, 1 for the holder, -1 for the others, or the opposite if missed.

        Alone, the caller wins or loses 4. All 0 if everybody passed.
        """
        if self.seat is not None:
            return None
        caller, holder = self._bidder, self._holder
        if caller is None or holder is None:
            return (0,) * PLAYERS
        side = {caller, holder}
        made = 1 if sum(self._points[seat] for seat in side) >= self._bid else -1
        scores = [-made] * PLAYERS
        scores[holder] = made
        scores[caller] = 4 * made if holder == caller else 2 * made
        return tuple(scores)

    @property
    def worst_score(self) -> int:
        """What a caller loses who plays alone."""
        return -4

    @property
    def result(self) -> dict[str, Any] | None:
        """Caller, bid, trump, called card, holder and points; empty if everybody passed."""
        if self.seat is not None:
            return None
        if self._bidder is None or self._called is None:
            return {}
        return {
            "caller": self._bidder,
            "bid": self._bid,
            "trump": self._trump,
            "called": ITALIAN.cards[self._called].code,
            "holder": self._holder,
            "points": list(self._points),
        }

    @property
    def dealt_again(self) -> bool:
        """The same dealer deals again when everybody passed."""
        return self.seat is None and self._bidder is None
