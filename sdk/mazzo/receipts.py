"""What came into a seat's hand, and when: receipts, and the bytes that hold them.

A receipt is one byte with the number of actions that the seat knew of before it, one byte
with the number of its cards, and the cards, one a byte, in ascending id. Receipts stand one
after the other in the order in which they came.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mazzo.cards import Card, Pack

__all__ = ["ONE_CARD", "Receipt", "make_row", "pack_head", "pack_receipt", "read_receipts"]

_MOST_CARDS = 52  # in any pack


@dataclass(frozen=True, slots=True)
class Receipt:
    """Cards that a seat got, or was shown alone, at one point of a deal."""

    after: int  # how many actions of the view's history came before
    cards: tuple[Card, ...]  # ascending; the order says nothing


_BYTE = tuple(bytes((number,)) for number in range(256))
ONE_CARD: list[tuple[bytes, ...] | None] = [None] * 256
"""By the number of actions before it, and the card, the bytes of a receipt of one card.

Games draw at every trick, and a look into a table takes a quarter of the time that it takes to
make the bytes. A row is None until `make_row` is asked for it: `ONE_CARD[n] or make_row(n)`.
"""


def make_row(after: int) -> tuple[bytes, ...]:
    """Fill in a row of `ONE_CARD`, and return it."""
    row = ONE_CARD[after] = tuple(bytes((after, 1, card)) for card in range(_MOST_CARDS))
    return row


def pack_receipt(after: int, cards: Sequence[int]) -> bytes:
    """Return the bytes of one receipt."""
    return _BYTE[after] + _BYTE[len(cards)] + bytes(sorted(cards))


def pack_head(after: int, size: int) -> bytes:
    """Return how the bytes of a receipt of so many cards begin; the cards follow, ascending."""
    return _BYTE[after] + _BYTE[size]


def read_receipts(data: bytes, pack: Pack) -> tuple[Receipt, ...]:
    """Return the receipts that the bytes hold, in order."""
    receipts, start = [], 0
    while start < len(data):
        after, size = data[start : start + 2]
        end = start + 2 + size
        cards = tuple([pack.cards[card] for card in data[start + 2 : end]])
        receipts.append(Receipt(after, cards))
        start = end
    return tuple(receipts)
