"""The names of lines, which stand beside their ends, and the colours that tell lines apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mazzo_server.results.charts.drawing import Drawing, shorten

__all__ = ["COLOURS", "LineEnd", "name_line_ends"]

# Beginning with dark ones of Okabe and Ito's, which all people tell apart.
COLOURS = (
    *("#0072b2", "#d55e00", "#009e73", "#a1457f", "#7a6a00"),
    *("#3f8fb5", "#8a4b2b", "#4d4d4d", "#2f7f6f", "#b5651d"),
)
"""What lines are drawn in, in their order."""
_LEAST_GAP = 17  # between two names
_SPACE = 12  # between a line and its name


@dataclass(frozen=True, slots=True, kw_only=True)
class LineEnd:
    """The end of a line, beside which its name stands."""

    y: float
    name: str
    value: str  # of the line there
    colour: str


def name_line_ends(drawing: Drawing, ends: Sequence[LineEnd], *, width: int, lowest: float) -> None:
    """Write names beside the ends of lines, in so much width at the right of the chart.

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
        label = shorten(f"{end.value}  {end.name}", width=width - _SPACE)
        x = drawing.width - width + _SPACE
        drawing.add_text(x, y + 4, label, kind="line-name", fill=end.colour, bold=True)
