"""How something went: a line for each bot over the mirror groups that counted by then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mazzo_server.results.charts.drawing import GRID, HEAD, MUTED, WIDTH, Drawing
from mazzo_server.results.charts.lines import (
    COLOURS,
    MOST_LINES,
    NAMES,
    PLOT,
    LineEnd,
    name_lines,
)
from mazzo_server.results.charts.scale import Scale, make_scale
from mazzo_server.results.commentary import format_decimal

__all__ = ["CourseLine", "draw_course"]

_FOOT, _MARKS = 44, 56  # the height of the foot, the width of the numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseLine:
    """One bot: its values after so many groups, in ascending order; at least one."""

    name: str
    points: Sequence[tuple[int, float]]


def draw_course(title: str, note: str, lines: Sequence[CourseLine]) -> Drawing | None:
    """Return the chart of the first `MOST_LINES` lines; None without any."""
    if not lines:
        return None
    lines = lines[:MOST_LINES]
    values = [value for line in lines for _, value in line.points]
    last = max(groups for line in lines for groups, _ in line.points)
    drawing = Drawing(title, note, height=HEAD + PLOT + _FOOT)
    scale = make_scale(min(values), max(values), begin=float(HEAD + PLOT), end=float(HEAD))
    right = float(WIDTH - NAMES)
    _draw_axes(drawing, scale, last=last, right=right)
    ends = []
    for line, colour in zip(lines, COLOURS, strict=False):
        points = [
            (_MARKS + (right - _MARKS) * groups / last, scale.place(value))
            for groups, value in line.points
        ]
        drawing.add_line(points, kind="rating", stroke=colour, width=2)
        value = line.points[-1][1]
        tip = f"{line.name} after {line.points[-1][0]:,} groups: {format_decimal(value, 2)}"
        drawing.add_dot(*points[-1], kind="dot", fill=colour, tip=tip)
        label = f"{format_decimal(value, 2)}  {line.name}"
        ends.append(LineEnd(y=points[-1][1], label=label, name=line.name, colour=colour))
    name_lines(drawing, ends)
    return drawing


def _draw_axes(drawing: Drawing, scale: Scale, *, last: int, right: float) -> None:
    for mark in scale.list_marks():
        y = scale.place(mark)
        drawing.add_line([(_MARKS, y), (right, y)], kind="grid", stroke=GRID)
        text = scale.format_mark(mark)
        drawing.add_text(_MARKS - 8, y + 4, text, kind="mark", size=12, anchor="end", fill=MUTED)
    below = scale.begin + 18
    groups = make_scale(0, last, begin=float(_MARKS), end=right)
    for mark in groups.list_marks():
        if mark == int(mark) and mark <= last:
            x = _MARKS + (right - _MARKS) * mark / last
            drawing.add_text(
                x, below, f"{mark:,.0f}", kind="mark", size=12, anchor="middle", fill=MUTED
            )
    middle = (_MARKS + right) / 2
    drawing.add_text(
        middle, below + 20, "mirror groups", kind="note", size=12, anchor="middle", fill=MUTED
    )
