"""What a telling is made of: lines with a label, of texts and cards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cmp_to_key
from itertools import groupby
from typing import TypeAlias

from mazzo.cards import Card
from mazzo.game import View

__all__ = ["Line", "Part", "hand_parts", "listed", "number_text"]

Part: TypeAlias = str | Card
"""A text, or a card, which a terminal may show in the colour of its suit."""
_BILLION = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A label such as "Trick 3", and what there is to say."""

    label: str
    parts: tuple[Part, ...]

    def __str__(self) -> str:
        return f"{self.label}: {''.join(map(str, self.parts))}"


def listed(groups: Iterable[Sequence[Part]], separator: str = ", ") -> list[Part]:
    """The groups one after the other, with the separator between them."""
    parts: list[Part] = []
    for group in groups:
        if parts:
            parts.append(separator)
        parts += group
    return parts


def hand_parts(view: View, cards: Iterable[Card]) -> list[Part]:
    """The cards by suit, in each suit from high to low as the game of the view ranks them."""

    def order(one: Card, other: Card) -> int:
        if one.suit != other.suit:
            return int(one) - int(other)
        if view.beats(one, other):
            return -1
        return 1 if view.beats(other, one) else int(one) - int(other)

    suits = groupby(sorted(cards, key=cmp_to_key(order)), key=lambda card: card.suit)
    return listed((listed(([card] for card in suit), " ") for _, suit in suits), " | ")


def number_text(number: Fraction | int, *, signed: bool = False) -> str:
    """A number with its fraction in words of one line, such as "2", "1 1/3" or "+4".

    From a billion on it is rounded, such as "3.77e+24".
    """
    whole, rest = divmod(abs(number.numerator), number.denominator)
    sign = "-" if number < 0 else "+" if signed and number > 0 else ""
    if whole >= _BILLION:
        return f"{sign}{Decimal(whole):.3g}"
    if not rest:
        return f"{sign}{whole}"
    fraction = f"{rest}/{number.denominator}"
    return f"{sign}{whole} {fraction}" if whole else f"{sign}{fraction}"
