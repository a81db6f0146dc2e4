"""What charts of lines have in common: their colours, and the names at their ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mazzo_server.results.charts.drawing import HEAD, Drawing, shorten

__all__ = ["COLOURS", "MOST_LINES", "NAMES", "PLOT", "LineEnd", "name_lines"]

PLOT: Final = 340
"""The height of the lines."""
NAMES: Final = 190
"""The width of the names beside them."""
_LEAST_GAP = 17  # between two names
_SPACE = 12  # between a line and its name
# Beginning with dark ones of Okabe and Ito's, which all people tell apart.
COLOURS: Final = (
    *("#0072b2", "#d55e00", "#009e73", "#a1457f", "#7a6a00"),
    *("#3f8fb5", "#8a4b2b", "#4d4d4d", "#2f7f6f", "#b5651d"),
)
"""Of the lines, in their order."""
MOST_LINES: Final = len(COLOURS)
"""As many as people tell apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineEnd:
    """The end of a line, beside which its label stands."""

    y: float
    label: str
    name: str  # orders those that end at one height
    colour: str


def name_lines(
    drawing: Drawing,
    ends: Sequence[LineEnd],
    *,
    width: int = NAMES,
    lowest: float = float(HEAD + PLOT),
) -> None:
    """Write the labels beside the ends of their lines, in so much width at the right.

    None stands over another, and none below `lowest`.
    """
    ordered = sorted(ends, key=lambda end: (end.y, end.name))
    places: list[float] = []
    for end in ordered:
        places.append(max(end.y, places[-1] + _LEAST_GAP) if places else end.y)
    for index in reversed(range(len(places))):  # those below the chart move up
        places[index] = min(places[index], lowest)
        lowest = places[index] - _LEAST_GAP
    for y, end in zip(places, ordered, strict=True):
        label = shorten(end.label, width=width - _SPACE)
        x = drawing.width - width + _SPACE
        drawing.add_text(x, y + 4, label, kind="line-name", fill=end.colour, bold=True)
