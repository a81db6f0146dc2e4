"""The lines of a commentary: a label, with texts and cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cmp_to_key
from itertools import groupby
from typing import TypeAlias

from mazzo.cards import Card
from mazzo.game import Action, View

__all__ = [
    "Line",
    "Part",
    "clean",
    "find_exact_score",
    "format_bytes",
    "format_decimal",
    "format_number",
    "join_parts",
    "join_runs",
    "list_choices",
    "make_advice_line",
    "make_distinct_names",
    "make_hand_parts",
    "make_part",
    "name_card",
    "sort_cards",
]

Part: TypeAlias = str | Card
"""A text, or a card, which a terminal may show in the colour of its suit."""
_SHORTEST_RUN = 6  # codes from which on they are told as a run, "first to last"
_BILLION = 10**9
_UNIT, _LONG = 1024, 1000
_LARGEST_DENOMINATOR = 1000  # of a match score
_RANK_NAMES = {
    "A": "ace",
    "2": "two",
    "3": "three",
    "4": "four",
    "5": "five",
    "6": "six",
    "7": "seven",
    "8": "eight",
    "9": "nine",
    "T": "ten",
    "J": "jack",
    "H": "horse",
    "Q": "queen",
    "K": "king",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A label such as "Trick 3", and its text."""

    label: str
    parts: tuple[Part, ...]

    def __str__(self) -> str:
        return f"{self.label}: {''.join(map(str, self.parts))}"


def join_parts(groups: Iterable[Sequence[Part]], separator: str = ", ") -> list[Part]:
    """Join the groups, with the separator between them."""
    parts: list[Part] = []
    for group in groups:
        if parts:
            parts.append(separator)
        parts += group
    return parts


def join_runs(codes: Iterable[str], text: Callable[[str], str] = str) -> Iterator[str]:
    """Return the text of each code; a long run of numbers, such as bids, as "first to last"."""
    for _, members in groupby(enumerate(codes), key=lambda item: _run_key(*item)):
        run = [text(code) for _, code in members]
        if len(run) >= _SHORTEST_RUN:
            yield f"{run[0]} to {run[-1]}"
        else:
            yield from run


def _run_key(index: int, code: str) -> tuple[str, int]:
    """Return a key that is equal for neighbours in a run, such as bid:61 and bid:62."""
    kind, _, digits = code.partition(":")
    return (kind, int(digits) - index) if digits.isdecimal() else (code, index)


def name_card(card: Card) -> str:
    """Return a card in words, such as "ace of coins"."""
    suit = card.pack.suit_names[card.pack.suits.index(card.suit)]
    return f"{_RANK_NAMES[card.rank]} of {suit}"


def make_hand_parts(view: View, cards: Iterable[Card]) -> list[Part]:
    """Return the cards by suit, in each suit from high to low in the ranking of the view's game."""
    suits = groupby(sort_cards(view, cards), key=lambda card: card.suit)
    return join_parts((join_parts(([card] for card in suit), " ") for _, suit in suits), " | ")


def sort_cards(view: View, cards: Iterable[Card]) -> list[Card]:
    """Return the cards as a player sorts them: see `make_hand_parts`."""

    def order(one: Card, other: Card) -> int:
        if one.suit != other.suit:
            return int(one) - int(other)
        if view.beats(one, other):
            return -1
        return 1 if view.beats(other, one) else int(one) - int(other)

    return sorted(cards, key=cmp_to_key(order))


def make_part(action: Action) -> Part:
    """Return an action as a telling shows it: the card that it plays, else its code."""
    return action.code if action.card is None else action.card


def make_advice_line(by: str, choice: Action, was: int | None) -> Line:
    """Return what somebody would have done at a decision, beside the number of what was done.

    What would have come of it is not told: it may uncover a card that the seat did not know.
    """
    verb = "chooses " if choice.card is None else "plays "
    compared = "" if was is None else ", too" if was == choice else " instead"
    return Line(label=by.capitalize(), parts=(verb, make_part(choice), compared))


def list_choices(view: View) -> list[Part]:
    """Return the legal actions: the cards as a player sorts them, then the codes of the others."""
    cards = sort_cards(view, [action.card for action in view.legal if action.card is not None])
    codes = (action.code for action in view.legal if action.card is None)
    return [*cards, *join_runs(codes)]


def find_exact_score(score: float) -> Fraction:
    """Return the exact match score; views hold the nearest float."""
    return Fraction(score).limit_denominator(_LARGEST_DENOMINATOR)


def format_bytes(size: int) -> str:
    """Return a size in the unit in which it is a short number, such as "1.5 GiB"."""
    value, unit = float(size), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if value < _UNIT:
            break
        value, unit = value / _UNIT, larger
    return f"{value:.3g} {unit}" if value < _LONG else f"{value:.0f} {unit}"


def format_number(number: Fraction | int, *, signed: bool = False) -> str:
    """Return a number with its fraction on one line, such as "2", "1 1/3" or "+4".

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


def format_decimal(value: float, decimals: int) -> str:
    """Return a number with so many decimals; a huge one is rounded, such as 3.77e+24."""
    return f"{value:.{decimals}f}" if abs(value) < _BILLION else f"{value:.3g}"


def clean(text: str, *, lines: bool = False) -> str:
    """Return the text of a stranger without control characters, which a terminal would obey."""
    if text.isprintable():  # as nearly all are, and a page has thousands
        return text
    kept = "\n\t" if lines else ""
    return "".join(c if c.isprintable() or c in kept else "\ufffd" for c in text)


def make_distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return a name for each seat: all different, and harmless on a terminal."""
    plain = [clean(name) for name in names]
    count = Counter(plain)
    numbered = tuple(f"{name}#{seat}" for seat, name in enumerate(plain))
    mixed = tuple(
        name if count[name] == 1 else other for name, other in zip(plain, numbered, strict=True)
    )
    # A bot's own name may look like a numbered one.
    return mixed if len(set(mixed)) == len(mixed) else numbered
