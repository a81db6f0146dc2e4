"""A histogram: how many of some things lie between two values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mazzo_server.results.charts.drawing import GRID, HEAD, MUTED, WIDTH, Drawing
from mazzo_server.results.charts.scale import make_scale
from mazzo_server.results.commentary import format_decimal

__all__ = ["HistogramBar", "draw_histogram", "format_edge"]

_PLOT, _FOOT = 220, 44  # heights
_MARKS, _RIGHT = 56, WIDTH - 20  # where the plot begins and ends
_MOST_BAR = 48
_MOST_EDGES = 12  # numbers below the chart
_ABOVE, _BELOW, _LEVEL = "#177484", "#be5426", "#7a848b"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistogramBar:
    """How many things lie between two values, of which the one nearer to 0 is no part of it.

    With two equal values it has the things that have this value.
    """

    low: float
    high: float
    count: int
    summary: str  # all about the bar, for people


def draw_histogram(
    title: str, note: str, bars: Sequence[HistogramBar], *, below: str
) -> Drawing | None:
    """Return the chart of neighbouring bars, with a text below its axis; None without any.

    All bars are equally wide. Those above 0 are blue, those below 0 brown, and that of 0 is grey.
    """
    if not bars:
        return None
    drawing = Drawing(title, note, height=HEAD + _PLOT + _FOOT)
    most = max(bar.count for bar in bars)
    scale = make_scale(0, max(most, 1), begin=float(HEAD + _PLOT), end=float(HEAD), marks=4)
    for mark in scale.list_marks():
        if mark == int(mark):
            y = scale.place(mark)
            drawing.add_line([(_MARKS, y), (_RIGHT, y)], kind="grid", stroke=GRID)
            drawing.add_text(
                _MARKS - 8, y + 4, f"{mark:,.0f}", kind="mark", size=12, anchor="end", fill=MUTED
            )
    wide = min((_RIGHT - _MARKS) / len(bars), _MOST_BAR)
    left = _MARKS + (_RIGHT - _MARKS - wide * len(bars)) / 2
    for number, bar in enumerate(bars):
        x, top = left + wide * number, scale.place(bar.count)
        fill = _LEVEL if bar.low == bar.high else _ABOVE if bar.high > 0 else _BELOW
        if bar.count:
            drawing.add_rectangle(
                x + 0.5,
                top,
                max(wide - 1, 1),
                scale.begin - top,
                kind="bar",
                fill=fill,
                tip=bar.summary,
            )
    _name_edges(drawing, bars, left=left, wide=wide, y=scale.begin + 18)
    middle = (_MARKS + _RIGHT) / 2
    drawing.add_text(
        middle, scale.begin + 38, below, kind="note", size=12, anchor="middle", fill=MUTED
    )
    return drawing


def _name_edges(
    drawing: Drawing, bars: Sequence[HistogramBar], *, left: float, wide: float, y: float
) -> None:
    """Write the ends of the bars that are farther from 0, or of some of them."""
    step = -(-len(bars) // _MOST_EDGES)
    middle = next((at for at, bar in enumerate(bars) if bar.low == bar.high), None)
    begin = middle if middle is not None else 0 if bars[0].high <= 0 else len(bars) - 1
    for number in range(begin % step, len(bars), step):
        bar = bars[number]
        value, share = (
            (0.0, 0.5) if bar.low == bar.high else (bar.high, 1) if bar.high > 0 else (bar.low, 0)
        )
        x = left + wide * (number + share)
        drawing.add_text(
            x, y, format_edge(value), kind="mark", size=12, anchor="middle", fill=MUTED
        )


def format_edge(value: float) -> str:
    """Return the end of a bar as text: it is a multiple of a power of two."""
    text = format_decimal(value, 4)
    return text.rstrip("0").rstrip(".").replace("-", "−") if "." in text else text
