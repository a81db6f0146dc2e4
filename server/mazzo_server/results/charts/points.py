"""The points of a deal as lines: what each side has after each decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from mazzo_server.results.charts.drawing import GRID, HEAD, MUTED, Drawing
from mazzo_server.results.charts.lines import COLOURS, LineEnd, name_lines
from mazzo_server.results.charts.scale import Scale, make_scale

__all__ = ["PointsLine", "draw_points"]

_LEAST_PLOT, _FOOT = 130, 40  # heights
_ROOM = 18  # height for the name of a line
_WIDTH, _MARKS, _NAMES = 480, 40, 130  # widths; on a telephone the whole chart can be read
_DECISIONS = 8  # about so many are numbered


@dataclass(frozen=True, slots=True, kw_only=True)
class PointsLine:
    """One side's points."""

    name: str
    points: Sequence[float]  # before the first decision, and after each one so far
    value: str  # the last of them, for people


def draw_points(
    title: str, lines: Sequence[PointsLine], *, decisions: int, least: float
) -> Drawing | None:
    """Return the chart of lines of the same length; None without any.

    There is room for as many decisions as the deal has. The axis reaches to `least` points or
    more, so that the first ones of a deal do not look like many.
    """
    if not lines:
        return None
    plot = max(_LEAST_PLOT, _ROOM * len(lines))
    note = "The upright line is the position that is shown"
    drawing = Drawing(title, note, height=HEAD + plot + _FOOT, width=_WIDTH)
    bottom = float(HEAD + plot)
    most = max(least, *(max(line.points) for line in lines))
    low = min(0.0, *(min(line.points) for line in lines))
    heights = make_scale(low, most, begin=bottom, end=float(HEAD))
    right = float(_WIDTH - _NAMES)
    places = make_scale(0, max(decisions, 1), begin=_MARKS, end=right, marks=_DECISIONS)
    _draw_axes(drawing, heights, places)
    here = places.place(len(lines[0].points) - 1)
    drawing.add_line([(here, HEAD - 8), (here, bottom)], kind="here", stroke=MUTED)
    ends = []
    for number, line in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        drawing.add_line(
            _list_corners(line, places, heights), kind="points", stroke=colour, width=2
        )
        y = heights.place(line.points[-1])
        drawing.add_dot(here, y, kind="dot", fill=colour, tip=f"{line.name}: {line.value}")
        label = f"{line.value}  {line.name}"
        ends.append(LineEnd(y=y, label=label, name=line.name, colour=colour))
    name_lines(drawing, ends, width=_NAMES, lowest=bottom)
    return drawing


def _draw_axes(drawing: Drawing, heights: Scale, places: Scale) -> None:
    for mark in heights.list_marks():
        y = heights.place(mark)
        drawing.add_line([(places.begin, y), (places.end, y)], kind="grid", stroke=GRID)
        text = heights.format_mark(mark)
        drawing.add_text(
            places.begin - 8, y + 4, text, kind="mark", size=12, anchor="end", fill=MUTED
        )
    below = heights.begin + 17
    for mark in places.list_marks():
        if mark.is_integer():
            x, text = places.place(mark), f"{mark:.0f}"
            drawing.add_text(x, below, text, kind="mark", size=12, anchor="middle", fill=MUTED)
    drawing.add_text(
        (places.begin + places.end) / 2,
        below + 19,
        "decision",
        kind="note",
        size=12,
        anchor="middle",
        fill=MUTED,
    )


def _list_corners(line: PointsLine, places: Scale, heights: Scale) -> list[tuple[float, float]]:
    """Return the corners of a line that is level between two decisions."""
    corners = [(places.place(0), heights.place(line.points[0]))]
    for number, (before, after) in enumerate(pairwise(line.points), 1):
        if after != before:
            x = places.place(number)
            corners += [(x, heights.place(before)), (x, heights.place(after))]
    return [*corners, (places.place(len(line.points) - 1), heights.place(line.points[-1]))]
