"""How the lines of a telling stand on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from mazzo.cards import Pack
from mazzo_server.cli.output import clean
from mazzo_server.telling import Line, Part

__all__ = ["cards_line", "distinct", "print_lines"]

_LABEL = 10  # columns for the labels
_NARROWEST = 20  # columns for the rest of a line
_STYLES = {
    "ITALIAN": {"d": "yellow", "c": "red", "s": "cyan", "b": "green"},
    "FRENCH": {"c": "green", "d": "yellow", "h": "red", "s": "cyan"},
}


def print_lines(lines: Iterable[Line], out: Console) -> None:
    """Print the lines, wrapped beside their labels."""
    width = max(out.width - _LABEL - 1, _NARROWEST)
    for line in lines:
        label = Text(line.label.ljust(_LABEL + 1), style="bold")
        for part in Text.assemble(*map(_styled, line.parts)).wrap(out, width):
            part.rstrip()
            out.print(Text.assemble(label, part), soft_wrap=True)
            label = Text(" " * len(label))


def _styled(part: Part) -> str | tuple[str, str]:
    return part if isinstance(part, str) else (part.code, _STYLES[part.pack.name][part.suit])


def cards_line(pack: Pack) -> Line:
    """How cards are written."""
    suits = zip(pack.suits, pack.suit_names, strict=True)
    return Line(
        label="Cards",
        parts=(
            f"rank, then suit: {', '.join(f'{suit} {name}' for suit, name in suits)}; "
            "* marks the card that takes the trick",
        ),
    )


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """What to call each seat: all different, and harmless on a terminal."""
    plain = [clean(name) for name in names]
    count = Counter(plain)
    numbered = tuple(f"{name}#{seat}" for seat, name in enumerate(plain))
    mixed = tuple(
        name if count[name] == 1 else other for name, other in zip(plain, numbered, strict=True)
    )
    # One may be called as if it had been numbered.
    return mixed if len(set(mixed)) == len(mixed) else numbered
