"""Tressette in due a Metà Mazzo.

Ten cards each; after each trick both draw and show what they drew; when the stock is gone
the last ten tricks are played. An honour drawn asks its new owner whether he declares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mazzo.cards import ITALIAN, Card, mask_of
from mazzo.game import Setting
from mazzo.games.tressette.buongiochi import (
    BEATS,
    BIT,
    HONOURS,
    LAST_TRICK,
    SHARED_ACTIONS,
    SUIT_OF,
    THIRDS,
    TressetteDeal,
    TressetteView,
    offers_with,
)
from mazzo.receipts import ONE_CARD, make_row, pack_receipt
from mazzo.shuffle import Shuffles

__all__ = ["SKIP", "MetaMazzoDeal", "MetaMazzoView"]

_CARDS = len(ITALIAN)
_STOCK = 20  # index in the pack of the stock's first card
SKIP = len(SHARED_ACTIONS)  # action number
_SKIP_BIT = 1 << SKIP


@dataclass(slots=True, kw_only=True)
class MetaMazzoView(TressetteView):
    """What a seat may know of a deal of Tressette in due a Metà Mazzo."""

    stock_count: int
    drawn_cards: bytes  # in drawing order: after each trick the winner's, then the loser's

    @property
    def drawn(self) -> tuple[tuple[int, Card], ...]:
        """Who drew which card, in order."""
        cards = ITALIAN.cards
        return tuple(
            (self.trick_winners[number // 2] ^ number % 2, cards[card])
            for number, card in enumerate(self.drawn_cards)
        )

    @property
    def asked(self) -> bool:
        """Whether this seat is asked what it declares with the honour that it just drew."""
        return bool(self.legal_mask & _SKIP_BIT)

    def to_json(self) -> dict[str, Any]:
        """Return the view in words."""
        base = super(MetaMazzoView, self).to_json()  # slots=True makes the class anew
        return base | {
            "stock_count": self.stock_count,
            "drawn": [[seat, card.code] for seat, card in self.drawn],
        }


class MetaMazzoDeal(TressetteDeal):
    """A deal of Tressette in due a Metà Mazzo."""

    __slots__ = ("_asking", "_drawn", "_waiting")

    def __init__(self, setting: Setting, shuffles: Shuffles) -> None:
        """Begin a deal before the first lead."""
        super().__init__(setting, shuffles)
        deck, dealer = self._deck, setting.dealer
        first = 1 - dealer
        hands = self._hands
        for seat, dealt in ((first, deck[0:5] + deck[10:15]), (dealer, deck[5:10] + deck[15:20])):
            hands[seat] = mask_of(dealt)
            self._received[seat] = pack_receipt(0, dealt)
        self._drawn = bytearray()  # every card drawn, in drawing order
        self._waiting = -1  # the card that the loser draws once the winner has said skip
        self._asking = HONOURS if self._later_count else 0  # drawn cards that make a decision
        self.seat = first
        self.legal = hands[first] | self._offer_dealt()

    def apply(self, action: int) -> None:
        """Play a card, declare or skip, for the seat to move."""
        if action < 0 or not self.legal >> action & 1:
            raise self.refusal(action)
        seat = self.seat
        assert seat is not None
        self.actions.append(action)
        self._actors.append(seat)
        if action >= _CARDS:
            if action == SKIP:
                self._go_on_drawing()
            else:
                self._declare(seat, action)
            return
        bit = BIT[action]
        hands = self._hands
        hands[seat] ^= bit
        self._known[seat] &= ~bit
        self._plays.append(action)
        led = self._led
        if led < 0:
            self._led = action
            self.seat = seat = 1 - seat
            hand = hands[seat]
            self.legal = hand & SUIT_OF[action] or hand
            if self._offer:
                self.legal |= self._offer
                self._offer = 0
            return
        winner = seat if BEATS[led] >> action & 1 else 1 - seat
        self._thirds[winner] += THIRDS[led] + THIRDS[action]
        self._winners.append(winner)
        self._led = -1
        self._leader = winner
        position = _STOCK + len(self._drawn)
        if position < _CARDS:
            self._draw(winner, position)
        elif hands[winner]:
            self.seat = winner
            self.legal = hands[winner]
        else:
            self._thirds[winner] += LAST_TRICK
            self.seat = None
            self.legal = 0

    def _draw(self, winner: int, position: int) -> None:
        """Let the winner draw and show, then the loser, until one of them is to be asked."""
        deck = self._deck
        if winner == self.dealer and self.draws == "seats":
            # Each round's first card is the non-dealer's, whoever won.
            second, first = deck[position : position + 2]
        else:
            first, second = deck[position : position + 2]
        hands, known, drawn = self._hands, self._known, self._drawn
        after = len(self.actions)
        row = ONE_CARD[after] or make_row(after)
        bit = BIT[first]
        hands[winner] |= bit
        known[winner] |= bit
        self._received[winner] += row[first]
        drawn.append(first)
        if bit & self._asking:
            self._waiting = second
            self._ask(winner, first)
            return
        bit = BIT[second]
        loser = 1 - winner
        hands[loser] |= bit
        known[loser] |= bit
        self._received[loser] += row[second]
        drawn.append(second)
        if bit & self._asking:
            self._ask(loser, second)
            return
        self.seat = winner
        self.legal = hands[winner]

    def _ask(self, seat: int, card: int) -> None:
        """Offer what the honour that the seat drew makes; also when it makes nothing."""
        self.seat = seat
        self.legal = _SKIP_BIT | offers_with(self._hands[seat], card)

    def _go_on_drawing(self) -> None:
        """After `skip`: the loser's draw if it is still to come, else the winner's lead."""
        winner, card = self._leader, self._waiting
        if card >= 0:
            self._waiting = -1
            loser, bit = 1 - winner, BIT[card]
            self._hands[loser] |= bit
            self._known[loser] |= bit
            self._received[loser] += pack_receipt(len(self.actions), (card,))
            self._drawn.append(card)
            if bit & self._asking:
                self._ask(loser, card)
                return
        self.seat = winner
        self.legal = self._hands[winner]

    def view(self, seat: int) -> MetaMazzoView:
        """Return what the seat may know: its hand, everything played, drawn and declared."""
        drawn = self._drawn
        view = self._begin_view(MetaMazzoView, seat, 2 * len(self._winners))
        view.stock_count = _CARDS - _STOCK - len(drawn)
        view.drawn_cards = bytes(drawn)
        view.known_masks = tuple(self._known)
        view.declarations = self._declarations
        view.thirds = bytes(self._thirds)
        view.buongiochi = bytes(self._buongiochi)
        return view

    def copy(self) -> MetaMazzoDeal:
        """Return an independent deal in the same position."""
        copied = self._begin_copy()
        copied._drawn = self._drawn[:]
        copied._waiting = self._waiting
        copied._asking = self._asking
        return copied

    def stock(self) -> tuple[Card, ...]:
        """Return the cards still to be drawn, top first; for dealers and tests, not for players."""
        stock = self._deck[_STOCK:]
        return tuple([ITALIAN.cards[card] for card in stock if card not in self._drawn])
