"""Tressette in due a Pizzichino.

Eight packets of five, four for each player: two of his four are his hand, of the two others
the top lies face up, to be played, or to be plucked into the hand if it is an honour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mazzo.cards import ITALIAN, Card, bits, mask_of
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
from mazzo.receipts import pack_receipt
from mazzo.shuffle import Shuffles

__all__ = ["FIRST_PACKET", "FIRST_PLUCK", "FIRST_UP", "PACKETS", "PizzichinoDeal", "PizzichinoView"]

_CARDS = len(ITALIAN)
PACKETS = 8
_PACKET = 5  # cards
_OWN = 4  # packets of each seat
_UP = 2  # of them face up
_NOBODY = _NO_CARD = 255
FIRST_PACKET = len(SHARED_ACTIONS)  # action numbers
FIRST_UP = FIRST_PACKET + PACKETS
FIRST_PLUCK = FIRST_UP + PACKETS
_ALL = (1 << PACKETS) - 1
_PLUCK = tuple(1 << FIRST_PLUCK + packet for packet in range(PACKETS))
_AUTO_OWN = 0b1111  # packets=auto: the packets of the non-dealer; the dealer has the others
_AUTO_UP = 0b00110011


@dataclass(slots=True, kw_only=True)
class PizzichinoView(TressetteView):
    """What a seat may know of a deal of Tressette in due a Pizzichino."""

    packet_owners: bytes  # the seat that has each packet, 255 while nobody has
    packets_up: int  # the set of the packets that were turned up
    packet_counts: bytes  # cards left in each packet, 0 for those that became a hand
    packet_shown: tuple[bytes, ...]  # the cards of each packet that have shown, first first
    # What this seat saw by peeking under each packet, 255 where it saw nothing; empty but
    # from the taking of its four packets until it has turned up two.
    peeked: bytes

    @property
    def tops(self) -> dict[int, Card]:
        """The card that lies on top of each packet that is face up and has cards left."""
        return {
            packet: ITALIAN.cards[self.packet_shown[packet][-1]]
            for packet in bits(self.packets_up)
            if self.packet_counts[packet]
        }

    def packets_of(self, seat: int) -> tuple[int, ...]:
        """Return the numbers of the packets that a seat has taken, those of its hand included."""
        return tuple([n for n, owner in enumerate(self.packet_owners) if owner == seat])

    def tops_of(self, seat: int) -> dict[int, Card]:
        """Return the tops that a seat can play beside its hand, by packet."""
        owners = self.packet_owners
        return {packet: card for packet, card in self.tops.items() if owners[packet] == seat}

    @property
    def peeked_cards(self) -> dict[int, Card]:
        """The cards that this seat sees by peeking, by packet."""
        return {
            packet: ITALIAN.cards[card]
            for packet, card in enumerate(self.peeked)
            if card != _NO_CARD
        }

    def _seen_mask(self) -> int:
        seen = super(PizzichinoView, self)._seen_mask()  # slots=True makes the class anew
        for shown in self.packet_shown:
            seen |= mask_of(shown)
        return seen | mask_of(self.peeked_cards.values())

    def to_json(self) -> dict[str, Any]:
        """Return the view in words."""
        base = super(PizzichinoView, self).to_json()  # slots=True makes the class anew
        return base | {
            "packets": [
                {
                    "owner": None if owner == _NOBODY else owner,
                    "up": bool(self.packets_up >> packet & 1),
                    "count": self.packet_counts[packet],
                    "shown": [ITALIAN.cards[card].code for card in self.packet_shown[packet]],
                }
                for packet, owner in enumerate(self.packet_owners)
            ],
            "peeked": {str(packet): card.code for packet, card in self.peeked_cards.items()},
        }


class PizzichinoDeal(TressetteDeal):
    """A deal of Tressette in due a Pizzichino."""

    __slots__ = (
        "_counts",
        "_index",
        "_own",
        "_owners",
        "_peek",
        "_plucks",
        "_reuse",
        "_shown",
        "_spent",
        "_tops",
        "_up",
    )

    def __init__(self, setting: Setting, shuffles: Shuffles) -> None:
        """Begin before the first packet is taken, or with packets=auto before the first lead."""
        super().__init__(setting, shuffles)
        variant, dealer = setting.variant, setting.dealer
        packets = variant.option("packets")
        self._peek = packets == "peek"  # whether there is something to peek at, until play
        self._reuse = variant.option("reuse") == "on"
        self._owners = bytearray([_NOBODY] * PACKETS)
        self._own = [0, 0]  # the packets that each seat has taken, as a set
        self._up = 0  # the packets face up
        self._counts = bytearray([_PACKET] * PACKETS)
        self._shown = [b""] * PACKETS
        self._index = bytearray(_CARDS)  # where in the pack a card is, once it has shown
        self._tops = [0, 0]  # the top cards of each seat's packets
        self._plucks = [0, 0]  # as actions, the tops that can be plucked
        # What each seat has scored and may not score again. It only ever stops a set: a
        # napoletana becomes complete once.
        self._spent = [0, 0]
        self.seat = 1 - dealer
        self.legal = _ALL << FIRST_PACKET
        if packets == "auto":
            self._give(1 - dealer, _AUTO_OWN)
            self._give(dealer, _ALL ^ _AUTO_OWN)
            for packet in bits(_AUTO_UP):
                self._turn_up(self._owners[packet], packet)
            self._take_hand(0)
            self._take_hand(1)
            self._begin()

    def apply(self, action: int) -> None:
        """Play or pluck a card, declare, or choose a packet, for the seat to move."""
        if action < 0 or not self.legal >> action & 1:
            raise self.refusal(action)
        seat = self.seat
        assert seat is not None
        self.actions.append(action)
        self._actors.append(seat)
        if action >= _CARDS:
            self._apply_other(seat, action)
            return
        bit = BIT[action]
        hands, tops = self._hands, self._tops
        if hands[seat] & bit:
            hands[seat] ^= bit
            self._known[seat] &= ~bit
        else:
            self._take_top(seat, action)
        self._plays.append(action)
        led = self._led
        if led < 0:
            self._led = action
            self.seat = seat = 1 - seat
            visible = hands[seat] | tops[seat]
            self.legal = (visible & SUIT_OF[action] or visible) | self._plucks[seat]
            if self._offer:
                self.legal |= self._offer
                self._offer = 0
            return
        winner = seat if BEATS[led] >> action & 1 else 1 - seat
        self._thirds[winner] += THIRDS[led] + THIRDS[action]
        self._winners.append(winner)
        self._led = -1
        self._leader = winner
        self.legal = legal = hands[winner] | tops[winner] | self._plucks[winner]
        if legal:
            self.seat = winner
        else:  # both have played all they had
            self._thirds[winner] += LAST_TRICK
            self.seat = None

    def _take_top(self, seat: int, card: int) -> None:
        """Remove the top of one of the seat's packets; the next card shows."""
        index = self._index[card]
        packet = index // _PACKET
        bit = BIT[card]
        self._tops[seat] ^= bit
        if bit & HONOURS:
            self._plucks[seat] ^= _PLUCK[packet]
        left = self._counts[packet] - 1
        self._counts[packet] = left
        if left:
            self._show(seat, packet, index + 1)

    def _show(self, seat: int, packet: int, index: int) -> None:
        """Let the card at this index of the pack be the top of the seat's packet."""
        card = self._deck[index]
        self._index[card] = index
        self._shown[packet] = self._deck[_PACKET * packet : index + 1]
        bit = BIT[card]
        self._tops[seat] |= bit
        if bit & HONOURS:
            self._plucks[seat] |= _PLUCK[packet]

    def _apply_other(self, seat: int, action: int) -> None:
        if action >= FIRST_PLUCK:
            self._pluck(seat, action - FIRST_PLUCK)
        elif action < FIRST_PACKET:
            self._declare(seat, action)
            if not self._reuse:
                self._spent[seat] |= 1 << action
        elif action < FIRST_UP:
            self._take_packet(seat, action)
        else:
            self._choose_up(seat, action)

    def _pluck(self, seat: int, packet: int) -> None:
        """Put the top into the hand; what it makes there can be declared next."""
        card = self._shown[packet][-1]
        self._take_top(seat, card)
        bit = BIT[card]
        self._hands[seat] |= bit
        self._known[seat] |= bit
        self._received[seat] += pack_receipt(len(self.actions), (card,))
        hand = self._hands[seat]
        visible = hand | self._tops[seat]
        if self._led >= 0:
            visible = visible & SUIT_OF[self._led] or visible
        self.legal = visible | self._plucks[seat]
        if self._later_count:
            self.legal |= offers_with(hand, card) & ~self._spent[seat]

    def _take_packet(self, seat: int, action: int) -> None:
        packet = 1 << action - FIRST_PACKET
        self._give(seat, packet)
        self.legal ^= 1 << action
        own = self._own[seat]
        if own.bit_count() == _OWN:
            self.legal = own << FIRST_UP

    def _choose_up(self, seat: int, action: int) -> None:
        """Turn a packet up; after the second the others are the hand, and the dealer is next."""
        self._turn_up(seat, action - FIRST_UP)
        self.legal ^= 1 << action
        if self.legal.bit_count() > _OWN - _UP:
            return
        self._take_hand(seat)
        dealer = self.dealer
        if seat == dealer:
            self._begin()
            return
        rest = _ALL ^ self._own[seat]
        self._give(dealer, rest)
        self.seat = dealer
        self.legal = rest << FIRST_UP

    def _give(self, seat: int, packets: int) -> None:
        self._own[seat] |= packets
        for packet in bits(packets):
            self._owners[packet] = seat
        if self._peek and self._own[seat].bit_count() == _OWN:
            # One receipt a packet, in their order: it tells which card lies on which packet.
            for packet in bits(self._own[seat]):
                top = self._deck[_PACKET * packet]
                self._received[seat] += pack_receipt(len(self.actions), (top,))

    def _turn_up(self, seat: int, packet: int) -> None:
        self._up |= 1 << packet
        self._show(seat, packet, _PACKET * packet)

    def _take_hand(self, seat: int) -> None:
        """The seat's packets that stayed face down become its hand."""
        dealt = b""
        for packet in bits(self._own[seat] & ~self._up):
            self._counts[packet] = 0
            dealt += self._deck[_PACKET * packet : _PACKET * (packet + 1)]
        self._hands[seat] = mask_of(dealt)
        self._received[seat] += pack_receipt(len(self.actions), dealt)

    def _begin(self) -> None:
        """Let the non-dealer lead to the first trick."""
        self._peek = False
        self.seat = first = 1 - self.dealer
        self.legal = self._hands[first] | self._tops[first] | self._plucks[first]
        self.legal |= self._offer_dealt()

    def view(self, seat: int) -> PizzichinoView:
        """Return what the seat may know: its hand, and what is played, turned up and declared."""
        view = self._begin_view(PizzichinoView, seat, 2 * len(self._winners))
        view.packet_owners = bytes(self._owners)
        view.packets_up = self._up
        view.packet_counts = bytes(self._counts)
        view.packet_shown = tuple(self._shown)
        view.peeked = self._peeked(seat) if self._peek else b""
        view.known_masks = tuple(self._known)
        view.declarations = self._declarations
        view.thirds = bytes(self._thirds)
        view.buongiochi = bytes(self._buongiochi)
        return view

    def _peeked(self, seat: int) -> bytes:
        """Return what the seat sees under its four packets before it has turned up two."""
        own = self._own[seat]
        if own.bit_count() < _OWN or (own & self._up).bit_count() == _UP:
            return b""
        seen = bytearray([_NO_CARD] * PACKETS)
        for packet in bits(own):
            seen[packet] = self._deck[_PACKET * packet]
        return bytes(seen)

    def copy(self) -> PizzichinoDeal:
        """Return an independent deal in the same position."""
        copied = self._begin_copy()
        copied._peek = self._peek
        copied._reuse = self._reuse
        copied._owners = self._owners[:]
        copied._own = self._own[:]
        copied._up = self._up
        copied._counts = self._counts[:]
        copied._shown = self._shown[:]
        copied._index = self._index[:]
        copied._tops = self._tops[:]
        copied._plucks = self._plucks[:]
        copied._spent = self._spent[:]
        return copied

    def packet(self, number: int) -> tuple[Card, ...]:
        """Return the cards left in a packet, top first; for dealers and tests, not for players."""
        end = _PACKET * (number + 1)
        cards = ITALIAN.cards
        return tuple([cards[card] for card in self._deck[end - self._counts[number] : end]])
