"""Cards and packs.

Inside, a card is its id (an int) and a set of cards is an int bit mask with bit `id` set.
At the edges a card is a `Card`: an int with a rank, a suit and a code. `ITALIAN` and `FRENCH`
are the two packs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from mazzo.errors import MazzoError, quote_value

__all__ = ["FRENCH", "ITALIAN", "Card", "CardError", "Pack", "bits", "mask_of", "nth_bit"]


class CardError(MazzoError):
    """A text that is no card of the pack."""


class Card(int):
    """A card of one pack: an int (its id) that knows its rank and suit.

    Being an int, it compares, hashes and sorts as its id, and is at once the number of
    the action that plays it. `str(card)` is its code, rank then suit: "Ad", "7b".
    """

    pack: Pack
    rank: str  # one character of the pack's ranks
    suit: str  # one character of the pack's suits
    code: str

    def __new__(cls, pack: Pack, number: int) -> Card:
        """Make the card with id `number`; packs make each of their cards once."""
        self = super().__new__(cls, number)
        suit, rank = divmod(number, len(pack.ranks))
        self.pack = pack
        self.rank = pack.ranks[rank]
        self.suit = pack.suits[suit]
        self.code = self.rank + self.suit
        return self

    def __str__(self) -> str:
        return self.code

    def __repr__(self) -> str:
        return f"{self.pack.name}.parse({self.code!r})"

    def __format__(self, spec: str) -> str:
        return format(self.code, spec)

    def __reduce__(self) -> tuple[object, ...]:
        return _card, (self.pack.name, int(self))


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack of cards: card id = suit index × number of ranks + rank index."""

    name: str
    ranks: str
    suits: str
    suit_names: tuple[str, ...]
    cards: tuple[Card, ...] = field(init=False, repr=False, compare=False)
    _by_code: dict[str, Card] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        size = len(self.ranks) * len(self.suits)
        cards = tuple(Card(self, number) for number in range(size))
        object.__setattr__(self, "cards", cards)
        object.__setattr__(self, "_by_code", {card.code: card for card in cards})

    def __len__(self) -> int:
        return len(self.cards)

    def parse(self, code: str) -> Card:
        """Return the card with this code, compared exactly; raises `CardError`."""
        card = self._by_code.get(code)
        if card is None:
            raise CardError(
                f"expected a card such as {self.cards[0].code!r} (a rank of {self.ranks}, "
                f"then a suit of {self.suits}), got {quote_value(code)}"
            )
        return card

    def of(self, mask: int) -> tuple[Card, ...]:
        """Return the cards of a bit mask, in ascending id."""
        cards = self.cards
        return tuple([cards[number] for number in bits(mask)])


def bits(mask: int) -> Iterator[int]:
    """Return the numbers of the bits that are set, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def nth_bit(mask: int, index: int) -> int:
    """Return the number of the bit that has `index` lower bits set in the mask."""
    for _ in range(index):
        mask &= mask - 1
    return (mask & -mask).bit_length() - 1


def mask_of(numbers: Iterable[int]) -> int:
    """Return the bit mask with these bits set."""
    mask = 0
    for number in numbers:
        mask |= 1 << number
    return mask


ITALIAN = Pack("ITALIAN", "A234567JHK", "dcsb", ("coins", "cups", "swords", "clubs"))
FRENCH = Pack("FRENCH", "23456789TJQKA", "cdhs", ("clubs", "diamonds", "hearts", "spades"))

_PACKS = {pack.name: pack for pack in (ITALIAN, FRENCH)}


def _card(pack: str, number: int) -> Card:
    return _PACKS[pack].cards[number]
