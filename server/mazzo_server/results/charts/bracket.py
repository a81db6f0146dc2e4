"""The bracket of a knock-out or a double elimination as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mazzo_server.results.charts.drawing import GRID, HEAD, INK, MUTED, Drawing, shorten

__all__ = ["BracketBox", "BracketLine", "BracketPart", "draw_bracket"]

_COLUMN, _BETWEEN = 184, 28  # the width of a box, and of the space for lines to the next
_LINE, _GAP = 19, 12  # the height of an entrant, and of the space between two boxes
_TITLES = 26  # the height of the names of rounds
_SCORE = 56  # the width of a score
_EDGE = 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketLine:
    """One entrant in a box."""

    name: str
    text: str  # with its seed
    score: str
    goes_on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketBox:
    """A bout."""

    lines: Sequence[BracketLine]
    tip: str  # all about it, for people

    @property
    def height(self) -> int:
        """How high it is."""
        return _LINE * len(self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketPart:
    """Rounds that lead to each other, such as those of the unbeaten: by name, the boxes of each."""

    rounds: Sequence[tuple[str, Sequence[BracketBox]]]
    is_tree: bool  # whether lines show who came from where


def draw_bracket(
    title: str, parts: Sequence[BracketPart], *, has_pools: bool = False
) -> Drawing | None:
    """Return the parts one below the other, the rounds of each from left to right.

    A box stands beside those that lead to it, where there is room. None without a bout.
    """
    parts = [part for part in parts if part.rounds]
    if not parts:
        return None
    placed = [_place_boxes(part) for part in parts]
    heights = [
        _TITLES + max(top + box.height for column in places for top, box in column)
        for places in placed
    ]
    columns = max(len(part.rounds) for part in parts)
    drawing = Drawing(
        title,
        f"Seed{', new after the pools' if has_pools else ''}, bot and score per deal; "
        "those who go on in bold",
        height=HEAD + sum(heights) + _TITLES * (len(parts) - 1),
        width=max(columns * (_COLUMN + _BETWEEN) - _BETWEEN, 480),
    )
    top = float(HEAD)
    for part, places, height in zip(parts, placed, heights, strict=True):
        for number, (name, _) in enumerate(part.rounds):
            x = number * (_COLUMN + _BETWEEN)
            drawing.add_text(x, top + 8, name, kind="mark", size=12, fill=MUTED)
        if part.is_tree:
            _draw_links(drawing, places, top + _TITLES)
        for number, column in enumerate(places):
            for y, box in column:
                _draw_box(drawing, number * (_COLUMN + _BETWEEN), top + _TITLES + y, box)
        top += height + _TITLES
    return drawing


def _place_boxes(part: BracketPart) -> list[list[tuple[float, BracketBox]]]:
    """Return by round the boxes with the height of their tops, none over another."""
    found: list[list[tuple[float, BracketBox]]] = []
    for _, boxes in part.rounds:
        column: list[tuple[float, BracketBox]] = []
        least = 0.0
        for box in boxes:
            sources = _find_sources(found, box)
            middles = [top + source.height / 2 for top, source in sources]
            wanted = sum(middles) / len(middles) - box.height / 2 if middles else least
            top = max(wanted, least)
            column.append((top, box))
            least = top + box.height + _GAP
        found.append(column)
    return found


def _find_sources(
    before: Sequence[Sequence[tuple[float, BracketBox]]], box: BracketBox
) -> list[tuple[float, BracketBox]]:
    """Return the boxes of the round before from which entrants came."""
    names = {line.name for line in box.lines}
    return [
        (top, source)
        for top, source in (before[-1] if before else ())
        if any(line.goes_on and line.name in names for line in source.lines)
    ]


def _draw_links(
    drawing: Drawing, places: Sequence[Sequence[tuple[float, BracketBox]]], top: float
) -> None:
    for number, column in enumerate(places):
        x = number * (_COLUMN + _BETWEEN)
        for y, box in column:
            end = top + y + box.height / 2
            for source_y, source in _find_sources(places[:number], box):
                begin = top + source_y + source.height / 2
                middle = x - _BETWEEN / 2
                points = [(x - _BETWEEN, begin), (middle, begin), (middle, end), (x, end)]
                drawing.add_line(points, kind="here", stroke=MUTED)


def _draw_box(drawing: Drawing, x: float, y: float, box: BracketBox) -> None:
    drawing.add_rectangle(x, y, _COLUMN, box.height, kind="bout", fill=GRID, tip=box.tip)
    for number, line in enumerate(box.lines):
        base = y + _LINE * number + 14
        text = shorten(line.text, width=_COLUMN - _SCORE - 6)
        fill = INK if line.goes_on else MUTED
        kind = "label" if line.goes_on else "note"
        drawing.add_text(x + 6, base, text, kind=kind, fill=fill, bold=line.goes_on)
        drawing.add_text(
            *(x + _COLUMN - 6, base, line.score),
            kind=kind,
            anchor="end",
            fill=fill,
            bold=line.goes_on,
        )
        if number:
            edge = y + _LINE * number
            drawing.add_line(
                [(x, edge), (x + _COLUMN, edge)], kind="divider", stroke="#ffffff", width=_EDGE
            )
