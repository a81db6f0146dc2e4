"""The crosstable as a heat map: who scores more against whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mazzo_server.results.charts.drawing import HEAD, INK, MUTED, PAPER, WIDTH, Drawing, shorten
from mazzo_server.results.commentary import format_decimal

__all__ = ["CrosstableScore", "draw_crosstable"]

_NAMES = 190  # their width

_TOP = HEAD + 14  # below the numbers of the columns
_MOST_CELL, _LEAST_FOR_SCORE, _LEAST_FOR_NUMBER = 64, 40, 14
_ABOVE, _BELOW, _EVEN = (23, 116, 132), (190, 84, 38), (243, 241, 236)
_DARK = 0.85  # of the way to a full colour, from which on text is white


@dataclass(frozen=True, slots=True, kw_only=True)
class CrosstableScore:
    """One entrant against another, in deals that both played."""

    score: float  # its mean of a deal
    lead: float  # by how much that is more than what the other one scores
    summary: str  # all about the cell, for people


def draw_crosstable(
    title: str, names: Sequence[str], scores: Mapping[tuple[str, str], CrosstableScore]
) -> Drawing | None:
    """Return the heat map of entrants in the order of the standings; None without scores.

    A cell is the darker, the larger the lead is: blue where the row's bot scores more, brown where
    it scores less. Cells with room for it say the score, all say everything to a pointer.
    """
    if not scores:
        return None
    cell = min((WIDTH - _NAMES) / len(names), _MOST_CELL)
    note = "Score per deal of the row's bot against the column's; blue: it scores more, brown: less"
    drawing = Drawing(title, note, height=_TOP + cell * len(names))
    _name_lines(drawing, names, cell)
    largest = max(abs(one.lead) for one in scores.values())
    for number, name in enumerate(names):
        for column, other in enumerate(names):
            if (found := scores.get((name, other))) is None:
                continue
            x, y = _NAMES + cell * column, _TOP + cell * number
            share = found.lead / largest if largest else 0.0
            tip = f"{name} – {other}: {found.summary}"
            drawing.add_rectangle(
                x + 0.5, y + 0.5, cell - 1, cell - 1, kind="cell", fill=_mix(share), tip=tip
            )
            if cell >= _LEAST_FOR_SCORE:
                text = format_decimal(found.score, 1)
                fill = PAPER if abs(share) > _DARK else INK
                drawing.add_text(
                    x + cell / 2,
                    y + cell / 2 + 4,
                    text,
                    kind="cell-value",
                    anchor="middle",
                    fill=fill,
                )
    return drawing


def _name_lines(drawing: Drawing, names: Sequence[str], cell: float) -> None:
    """Write the names of the rows, and the numbers of the columns."""
    size = max(min(13, int(cell * 0.7)), 5)
    for number, name in enumerate(names):
        middle = cell * (number + 0.5)
        label = shorten(f"{number + 1}  {name}", width=_NAMES - 12, size=size)
        drawing.add_text(_NAMES - 12, _TOP + middle + size * 0.36, label, anchor="end", size=size)
        if cell >= _LEAST_FOR_NUMBER:
            x = _NAMES + middle
            text = str(number + 1)
            drawing.add_text(x, _TOP - 8, text, kind="mark", size=12, anchor="middle", fill=MUTED)


def _mix(share: float) -> str:
    """Return the colour of a lead, from -1 to 1."""
    full = _ABOVE if share > 0 else _BELOW
    parts = (
        round(even + (most - even) * min(abs(share), 1.0))
        for even, most in zip(_EVEN, full, strict=True)
    )
    return "#" + "".join(f"{part:02x}" for part in parts)
