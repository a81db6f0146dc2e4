"""Prints the lines of a telling on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.text import Text

from mazzo.cards import FRENCH, Card, Pack
from mazzo_server.cli.text.output import console
from mazzo_server.results.commentary import Line, Part

__all__ = [
    "explain_cards",
    "format_card",
    "has_symbols",
    "print_lines",
    "style_part",
    "style_parts",
    "wrap_lines",
]

_LABEL = 10  # columns for the labels
_NARROWEST = 20  # columns for the rest of a line
_STYLES = {
    "ITALIAN": {"d": "yellow", "c": "red", "s": "cyan", "b": "green"},
    "FRENCH": {"c": "green", "d": "yellow", "h": "red", "s": "cyan"},
}


_SYMBOLS = {"c": "\u2663", "d": "\u2666", "h": "\u2665", "s": "\u2660"}  # of French suits


def print_lines(lines: Iterable[Line], out: Console) -> None:
    """Print the lines, wrapped beside their labels."""
    for text in wrap_lines(lines, out.width, symbols=has_symbols(out)):
        out.print(text, soft_wrap=True)


def wrap_lines(
    lines: Iterable[Line], width: int, *, symbols: bool = False, marked: Card | None = None
) -> Iterator[Text]:
    """Return the rows of the lines, wrapped beside their labels; one card may be marked."""
    width = max(width - _LABEL - 1, _NARROWEST)
    for line in lines:
        label = Text(line.label.ljust(_LABEL + 1), style="bold")
        parts = [style_part(part, symbols=symbols, marked=part is marked) for part in line.parts]
        for part in Text.assemble(*parts).wrap(console, width):
            part.rstrip()
            yield Text.assemble(label, part)
            label = Text(" " * len(label))


def has_symbols(out: Console) -> bool:
    """Tell whether people read the output there, and it can show symbols for the suits."""
    return out.is_terminal and out.encoding.lower().startswith("utf")


def style_part(part: Part, *, symbols: bool = False, marked: bool = False) -> tuple[str, str]:
    """Return a part with its style; a card in the colour of its suit."""
    mark = " reverse" if marked else ""
    if isinstance(part, str):
        return part, mark
    return format_card(part, symbols=symbols), _STYLES[part.pack.name][part.suit] + mark


def style_parts(*parts: Part) -> Text:
    """Return parts as `print_lines` shows them on the console, such as for a table."""
    return Text.assemble(*(style_part(part, symbols=has_symbols(console)) for part in parts))


def format_card(card: Card, *, symbols: bool) -> str:
    """Return a card's code, or what is printed in the corner of a French card."""
    if not symbols or card.pack != FRENCH:
        return card.code
    return ("10" if card.rank == "T" else card.rank) + _SYMBOLS[card.suit]


def explain_cards(pack: Pack) -> Line:
    """Say how cards are written."""
    suits = zip(pack.suits, pack.suit_names, strict=True)
    return Line(
        label="Cards",
        parts=(
            f"rank, then suit: {', '.join(f'{suit} {name}' for suit, name in suits)}; "
            "* marks the card that takes the trick",
        ),
    )
