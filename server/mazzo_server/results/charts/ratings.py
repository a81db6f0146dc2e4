"""Ratings over time: a line for each bot, and how sure it is as a band above it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

__all__ = ["RatingLine", "RatingPoint", "draw_ratings"]

_FOOT = 44  # height
_MARKS = 40  # width
_MOST_NUMBERS = 12  # of tournaments, below the chart


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingPoint:
    """What was believed of a bot after a tournament."""

    tournament: int
    rating: float  # μ − 3σ
    mu: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingLine:
    """One bot's ratings, in the order of the tournaments; at least one."""

    name: str
    points: Sequence[RatingPoint]


def draw_ratings(title: str, lines: Sequence[RatingLine]) -> Drawing | None:
    """Return the chart of the first `MOST_LINES` lines; None without any.

    A line is the rating μ − 3σ, by which bots are ranked. The band above it reaches up to μ: it
    becomes narrower as more is known.
    """
    if not lines:
        return None
    lines = lines[:MOST_LINES]
    values = [value for line in lines for one in line.points for value in (one.rating, one.mu)]
    note = "A line is the rating, μ − 3σ; the band above it reaches up to μ"
    drawing = Drawing(title, note, height=HEAD + PLOT + _FOOT)
    scale = make_scale(min(values), max(values), begin=float(HEAD + PLOT), end=float(HEAD))
    tournaments = sorted({point.tournament for line in lines for point in line.points})
    wide = (WIDTH - NAMES - _MARKS) / len(tournaments)
    places = {number: _MARKS + wide * (at + 0.5) for at, number in enumerate(tournaments)}
    _draw_axes(drawing, scale, places)
    ends = []
    for index, line in enumerate(lines):
        colour = COLOURS[index]
        y = _draw_line(drawing, line, scale, places, colour)
        label = f"{line.points[-1].rating:.2f}  {line.name}"
        ends.append(LineEnd(y=y, label=label, name=line.name, colour=colour))
    name_lines(drawing, ends)
    return drawing


def _draw_axes(drawing: Drawing, scale: Scale, places: Mapping[int, float]) -> None:
    right = WIDTH - NAMES
    for mark in scale.list_marks():
        y = scale.place(mark)
        drawing.add_line([(_MARKS, y), (right, y)], kind="grid", stroke=GRID)
        text = scale.format_mark(mark)
        drawing.add_text(_MARKS - 8, y + 4, text, kind="mark", size=12, anchor="end", fill=MUTED)
    step = -(-len(places) // _MOST_NUMBERS)
    below = scale.begin + 18
    for number in list(places)[::step]:
        x = places[number]
        drawing.add_text(x, below, str(number), kind="mark", size=12, anchor="middle", fill=MUTED)
    middle = (_MARKS + right) / 2
    drawing.add_text(
        middle, below + 20, "tournament", kind="note", size=12, anchor="middle", fill=MUTED
    )


def _draw_line(
    drawing: Drawing, line: RatingLine, scale: Scale, places: Mapping[int, float], colour: str
) -> float:
    """Draw a line with its band; return how high it ends."""
    low = [(places[one.tournament], scale.place(one.rating)) for one in line.points]
    high = [(places[one.tournament], scale.place(one.mu)) for one in line.points]
    drawing.add_area([*low, *reversed(high)], kind="band", fill=colour, opacity=0.13)
    drawing.add_line(low, kind="rating", stroke=colour, width=2)
    for (x, y), one in zip(low, line.points, strict=True):
        tip = f"{line.name} after tournament {one.tournament}: {one.rating:.2f}"
        drawing.add_dot(x, y, kind="dot", fill=colour, tip=tip)
    return low[-1][1]
