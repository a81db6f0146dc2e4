"""The standings as a chart: each bot's score per deal, with its interval as a bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mazzo_server.results.charts.drawing import (
    GRID,
    HEAD,
    MUTED,
    WIDTH,
    Drawing,
    find_text_width,
    shorten,
)
from mazzo_server.results.charts.scale import Scale, make_scale
from mazzo_server.results.commentary import format_decimal

__all__ = ["ScoreRow", "draw_scores"]

_ROW, _FOOT = 30, 30  # heights
_RANK, _MOST_NAME, _VALUES = 30, 220, 176  # widths
_INTERVAL, _MEAN = "#7fb3bd", "#17505c"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """One entrant, in the order of the standings."""

    rank: int  # 0: withdrawn
    name: str
    score: float | None  # mean of a deal; None without deals
    low: float | None  # of the 95 % interval; None where it cannot be estimated
    high: float | None
    better: float | None  # probability to be really better than the next row


def draw_scores(title: str, rows: Sequence[ScoreRow]) -> Drawing | None:
    """Return the chart; None while no deal counts."""
    known = [value for row in rows for value in (row.low, row.score, row.high) if value is not None]
    if not known:
        return None
    bottom = HEAD + _ROW * len(rows)
    note = "Score per deal, and its 95 % interval as a bar"
    drawing = Drawing(title, note, height=bottom + _FOOT)
    names = min(max(find_text_width(row.name) for row in rows), _MOST_NAME)
    scale = make_scale(min(known), max(known), begin=_RANK + names + 12, end=float(WIDTH - _VALUES))
    drawing.add_text(WIDTH, 38, "P>next", kind="note", fill=MUTED, anchor="end")
    for mark in scale.list_marks():
        x = scale.place(mark)
        drawing.add_line([(x, HEAD - 10), (x, bottom)], kind="grid", stroke=GRID)
        text = scale.format_mark(mark)
        drawing.add_text(x, bottom + 18, text, kind="mark", size=12, anchor="middle", fill=MUTED)
    for number, row in enumerate(rows):
        _draw_row(drawing, row, scale, middle=HEAD + _ROW * (number + 0.5), names=names)
    return drawing


def _draw_row(
    drawing: Drawing, row: ScoreRow, scale: Scale, *, middle: float, names: float
) -> None:
    base = middle + 5
    rank = str(row.rank) if row.rank else "–"
    drawing.add_text(_RANK - 10, base, rank, kind="rank", anchor="end", fill=MUTED)
    drawing.add_text(_RANK, base, shorten(row.name, width=names), bold=True)
    if row.score is None:
        drawing.add_text(scale.begin, base, "no deal counts", kind="note", fill=MUTED)
        return
    text = format_decimal(row.score, 2)
    if row.low is not None and row.high is not None:
        text += f" ±{format_decimal((row.high - row.low) / 2, 2)}"
        low, high = scale.place(row.low), scale.place(row.high)
        tip = f"{row.name}: {text}"
        drawing.add_rectangle(
            low, middle - 6, high - low, 12, kind="interval", fill=_INTERVAL, tip=tip
        )
    drawing.add_rectangle(scale.place(row.score) - 1.5, middle - 10, 3, 20, kind="mean", fill=_MEAN)
    drawing.add_text(scale.end + 16, base, text, kind="value")
    if row.better is not None:  # between this row and the next
        drawing.add_text(
            WIDTH, base + _ROW / 2, f"{row.better:.1%}", kind="value", anchor="end", fill=MUTED
        )
