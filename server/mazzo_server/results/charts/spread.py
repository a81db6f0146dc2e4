"""How scores are spread: a silhouette for each bot, over one axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mazzo_server.results.charts.drawing import (
    GRID,
    HEAD,
    INK,
    MUTED,
    WIDTH,
    Drawing,
    find_text_width,
    shorten,
)
from mazzo_server.results.charts.scale import Scale, make_scale

__all__ = ["ScoreBin", "SpreadRow", "draw_spreads"]

_ROW, _FOOT = 44, 30  # heights
_MOST_NAME, _RIGHT = 200, WIDTH - 20
_FILL = "#177484"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreBin:
    """How many scores lie between two values; bins of a row are neighbours of one width."""

    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadRow:
    """One bot, in the order of the standings; at least one bin."""

    name: str
    bins: Sequence[ScoreBin]


def draw_spreads(title: str, note: str, rows: Sequence[SpreadRow]) -> Drawing | None:
    """Return the chart; None without rows. A silhouette is as high as its share of the scores."""
    if not rows:
        return None
    bottom = HEAD + _ROW * len(rows)
    drawing = Drawing(title, note, height=bottom + _FOOT)
    names = min(max(find_text_width(row.name) for row in rows), _MOST_NAME)
    scale = make_scale(
        min(row.bins[0].low for row in rows),
        max(row.bins[-1].high for row in rows),
        begin=names + 24,
        end=float(_RIGHT),
        marks=8,
    )
    for mark in scale.list_marks():
        x = scale.place(mark)
        drawing.add_line([(x, HEAD - 6), (x, bottom)], kind="grid", stroke=GRID)
        text = scale.format_mark(mark)
        drawing.add_text(x, bottom + 18, text, kind="mark", size=12, anchor="middle", fill=MUTED)
    highest = max(one.count / _count(row) for row in rows for one in row.bins)
    for number, row in enumerate(rows):
        base = float(HEAD + _ROW * (number + 1))
        drawing.add_text(0, base - 8, shorten(row.name, width=names), fill=INK, bold=True)
        drawing.add_line([(scale.begin, base), (scale.end, base)], kind="grid", stroke=GRID)
        outline = _list_corners(row, scale, base, (_ROW - 6) / highest)
        drawing.add_area(outline, kind="spread", fill=_FILL, opacity=0.75)
    return drawing


def _list_corners(
    row: SpreadRow, scale: Scale, base: float, unit: float
) -> list[tuple[float, float]]:
    corners = [(scale.place(row.bins[0].low), base)]
    total = _count(row)
    for one in row.bins:
        top = base - unit * one.count / total
        corners += [(scale.place(one.low), top), (scale.place(one.high), top)]
    return [*corners, (scale.place(row.bins[-1].high), base)]


def _count(row: SpreadRow) -> int:
    return sum(one.count for one in row.bins)
