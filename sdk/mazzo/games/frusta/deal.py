"""Frusta for 2.

In the first stage ten tricks are played for the cards of the stock, in the second the ten
tricks with the hands so won decide the deal. `RANK_ORDER` has the ranks from high to low.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mazzo.cards import ITALIAN, Card, mask_of
from mazzo.game import Deal, Setting, View
from mazzo.receipts import ONE_CARD, make_row, pack_receipt
from mazzo.shuffle import Shuffles
from mazzo.tricks import BRISCOLA_ORDER as RANK_ORDER
from mazzo.tricks import beats_table, follow_tables, strength_table

__all__ = ["RANK_ORDER", "FrustaDeal", "FrustaView"]

_HAND = 10  # cards
_STOCK = 2 * _HAND  # index in the pack of the stock's first card
_STAGE = 10  # tricks
_BEATS = {suit: beats_table(ITALIAN, RANK_ORDER, suit) for suit in ITALIAN.suits}
_STRENGTH = {suit: strength_table(ITALIAN, RANK_ORDER, suit) for suit in ITALIAN.suits}
_SUIT_OF = follow_tables(ITALIAN)  # the cards of a card's suit
_SUIT = {suit: mask_of(card for card in ITALIAN.cards if card.suit == suit) for suit in "dcsb"}
_BIT = tuple(1 << card for card in ITALIAN.cards)


@dataclass(slots=True, kw_only=True)
class FrustaView(View):
    """What a seat may know of a deal of Frusta."""

    prizes: bytes  # turned up so far, in order; the winner of a trick took its prize
    stock_count: int  # the prize included
    known_masks: tuple[int, ...]  # the prizes that each seat took and still holds
    tricks_taken: bytes  # of stage 2 by seat, a tie-break included
    tiebreak: bytes  # its two cards, the leader's first; empty without one

    @property
    def trump_card(self) -> Card:
        """The first prize; its suit is trump."""
        return ITALIAN.cards[self.prizes[0]]

    @property
    def trump(self) -> str:
        """The trump suit."""
        return self.trump_card.suit

    @property
    def prize(self) -> Card | None:
        """What the winner of this trick takes; None in stage 2."""
        return ITALIAN.cards[self.prizes[-1]] if self.stock_count else None

    @property
    def stage(self) -> int:
        """1 while tricks are played for the stock, 2 afterwards."""
        return 1 if self.stock_count else 2

    @property
    def first_leader(self) -> int:
        """The non-dealer."""
        return 1 - self.dealer

    def known(self, seat: int) -> tuple[Card, ...]:
        """Return the prizes that the seat took and still holds."""
        return ITALIAN.of(self.known_masks[seat])

    @property
    def unseen(self) -> tuple[Card, ...]:
        """The cards that are in the other hand or in the stock, nobody knows which."""
        seen = self.hand_mask | mask_of(self.past_cards) | mask_of(self.trick_cards)
        seen |= self.known_masks[1 - self.seat]
        if self.stock_count:
            seen |= _BIT[self.prizes[-1]]
        return tuple([card for card in ITALIAN.cards if not seen >> card & 1])

    def beats(self, card: int, other: int) -> bool:
        """Return whether `card`, laid after `other`, takes the trick from it."""
        return bool(_BEATS[self.trump_card.suit][other] >> card & 1)

    def strength(self, card: int) -> int:
        """Return how high a card stands: by rank in its suit, a trump above all others."""
        return _STRENGTH[self.trump_card.suit][card]

    def lacks(self, led: Card, answer: Card) -> str:
        """Return the suit led, which has to be followed.

        Where discards are free, only a trump shows that it is not there.
        """
        if answer.suit == led.suit:
            return ""
        strict = self.variant.option("follow") == "strict"
        return led.suit if strict or answer.suit == self.trump else ""

    def _hidden_since(self, seat: int) -> int:
        """A card drawn face down, by whoever loses a trick of stage 1, ends every proof."""
        stage_1 = self.trick_winners[:_STAGE]
        return 1 + max((n for n, winner in enumerate(stage_1) if winner != seat), default=-1)

    def to_json(self) -> dict[str, Any]:
        """Return the view in words."""
        base = super(FrustaView, self).to_json()  # slots=True makes the class anew
        return base | {
            "trump_card": self.trump_card.code,
            "stage": self.stage,
            "prizes": [ITALIAN.cards[card].code for card in self.prizes],
            "prize": None if self.prize is None else self.prize.code,
            "stock_count": self.stock_count,
            "tricks_taken": list(self.tricks_taken),
            "tiebreak": [ITALIAN.cards[card].code for card in self.tiebreak],
        }


class FrustaDeal(Deal):
    """A deal of Frusta."""

    __slots__ = (
        "_beats",
        "_free",
        "_known",
        "_led",
        "_position",
        "_shuffles",
        "_stock",
        "_tiebreak",
        "_tricks",
    )

    def __init__(self, setting: Setting, shuffles: Shuffles) -> None:
        """Begin a deal before the first lead."""
        deck = shuffles.draw("deck", 0, range(len(ITALIAN)))
        super().__init__(setting, deck)
        dealer = setting.dealer
        first = 1 - dealer
        self._shuffles = shuffles
        hands, received = [0, 0], [b"", b""]
        for seat, dealt in ((first, deck[:_HAND]), (dealer, deck[_HAND:_STOCK])):
            hands[seat] = mask_of(dealt)
            received[seat] = pack_receipt(0, dealt)
        self._hands = hands
        self._received = received
        self._known = [0, 0]  # the prizes that each seat took and holds
        self._stock = deck[_STOCK:]
        self._position = 0  # index in the stock of the prize
        trump = ITALIAN.cards[deck[_STOCK]].suit
        self._beats = _BEATS[trump]
        # Where the follower may throw off: every card that is no trump.
        free = self.variant.option("follow") == "free-discard"
        self._free = ~_SUIT[trump] if free else 0
        self._tricks = [0, 0]  # of stage 2
        self._tiebreak = b""
        self._leader = first
        self._led = -1  # the card led, -1 before
        self.seat = first
        self.legal = hands[first]

    def apply(self, action: int) -> None:
        """Play a card for the seat to move."""
        if action < 0 or not self.legal >> action & 1:
            raise self.refusal(action)
        seat = self.seat
        assert seat is not None
        hands = self._hands
        led = self._led
        if led < 0:
            self._led = action
            other = 1 - seat
            hand = hands[other]
            following = hand & _SUIT_OF[action]
            self.legal = following | hand & self._free if following else hand
            self.seat = other
        else:
            leader = self._leader
            winner = seat if self._beats[led] >> action & 1 else leader
            if len(self._plays) == 4 * _STAGE - 1:
                self._finish(winner)
            else:
                self._finish_trick(seat, action, winner)
        self.actions.append(action)
        self._actors.append(seat)
        self._plays.append(action)
        bit = _BIT[action]
        hands[seat] ^= bit
        self._known[seat] &= ~bit
        if led >= 0 and self.seat is not None:
            self.legal = hands[self.seat]

    def _finish_trick(self, seat: int, action: int, winner: int) -> None:
        """Give the trick to its winner, who leads next, with the prize or as a trick."""
        self._winners.append(winner)
        self._led = -1
        self._leader = winner
        self.seat = winner
        position = self._position
        if position < len(self._stock):
            loser, hands, received = 1 - winner, self._hands, self._received
            prize, face_down = self._stock[position], self._stock[position + 1]
            bit = _BIT[prize]
            hands[winner] |= bit
            self._known[winner] |= bit
            hands[loser] |= _BIT[face_down]
            self._position = position = position + 2
            # As many cards were played as have left the stock.
            row = ONE_CARD[position] or make_row(position)
            received[winner] += row[prize]
            received[loser] += row[face_down]
        else:
            self._tricks[winner] += 1

    def _finish(self, winner: int) -> None:
        """The last trick, and at 5-5 one more, played with two cards from the discards.

        The shuffle is drawn before anything changes: a record may not have it.
        """
        if self._tricks[winner] + 1 == _STAGE // 2:
            discards = self._plays[: 2 * _STAGE]
            shuffle = self._shuffles.draw("tiebreak", 1, discards)
            self.shuffles.append(shuffle)
            card_of = {1 - self.dealer: shuffle[0], self.dealer: shuffle[1]}
            led, answer = card_of[winner], card_of[1 - winner]
            self._tiebreak = bytes([led, answer])
            taker = 1 - winner if self._beats[led] >> answer & 1 else winner
            self._tricks[taker] += 1
        self._tricks[winner] += 1
        self._winners.append(winner)
        self._leader = winner
        self._led = -1
        self.seat = None
        self.legal = 0

    def view(self, seat: int) -> FrustaView:
        """Return what the seat may know: its hand, everything played, the prizes."""
        position, stock = self._position, self._stock
        finished = 2 * len(self._winners)
        view = self._begin_view(FrustaView, seat, finished)
        view.prizes = bytes(stock[: position + 1 : 2])
        view.stock_count = len(stock) - position
        view.known_masks = tuple(self._known)
        view.tricks_taken = bytes(self._tricks)
        view.tiebreak = self._tiebreak
        return view

    def copy(self) -> FrustaDeal:
        """Return an independent deal in the same position."""
        copied = self._begin_copy()
        for name in self.__slots__:
            setattr(copied, name, getattr(self, name))
        copied._known = list(self._known)
        copied._tricks = list(self._tricks)
        return copied

    @property
    def scores(self) -> tuple[int, ...] | None:
        """Tricks of stage 2 by seat, the tie-break included: 10 or 11 in all."""
        return tuple(self._tricks) if self.seat is None else None

    @property
    def result(self) -> dict[str, Any] | None:
        """`tiebreak`: whether one more trick decided."""
        return {"tiebreak": bool(self._tiebreak)} if self.seat is None else None
