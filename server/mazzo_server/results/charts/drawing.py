"""The elements of a chart: text, lines and rectangles, written as SVG.

Colours are attributes, not styles, since pages allow no inline style; each element has a class as
well, with which a style sheet can give it another colour, as in the dark.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from mazzo_server.results.commentary import clean

__all__ = [
    "GRID",
    "HEAD",
    "INK",
    "MUTED",
    "PAPER",
    "WIDTH",
    "Drawing",
    "find_text_width",
    "shorten",
    "stack",
]

WIDTH = 720
"""The width of most charts, in units of SVG, which are pixels at first."""
HEAD = 66
"""The height of a title, and of the line below it."""
INK, MUTED, GRID, PAPER = "#22272b", "#5c666e", "#e4e7ea", "#ffffff"
"""The colours of text, of notes, of grid lines, and of the background."""
_FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
_CHARACTER = 0.62  # of the size of the font: the mean width of a bold character
_RADIUS = 4.0  # of a dot
_ROUNDING = 1e-6  # of a character


class Drawing:
    """A chart that grows element by element."""

    def __init__(self, title: str, note: str, *, height: float, width: int = WIDTH) -> None:
        """Write the title, and below it how the chart is read; the rest begins at `HEAD`.

        In all texts, what strangers wrote is made harmless.
        """
        self.height = height
        self.width = width
        self.title = clean(title)
        self.root = ElementTree.Element("g", {"class": "chart"})
        ElementTree.SubElement(self.root, "title").text = self.title
        ElementTree.SubElement(self.root, "desc").text = clean(note)
        shown = shorten(title, width=width, size=16)
        self.add_text(0, 16, shown, kind="title", size=16, bold=True)
        self.add_text(0, 38, note, kind="note", fill=MUTED)

    def add_text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        kind: str = "label",
        size: int = 13,
        anchor: str = "start",
        fill: str = INK,
        bold: bool = False,
    ) -> None:
        """Add a line of text; `y` is its base line."""
        more = {"font-weight": "600"} if bold else {}
        element = self._add(
            "text",
            kind,
            x=_format(x),
            y=_format(y),
            fill=fill,
            **{"font-size": str(size), "text-anchor": anchor, **more},
        )
        element.text = clean(text)

    def add_rectangle(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        kind: str,
        fill: str,
        tip: str = "",
    ) -> None:
        """Add a filled rectangle; a pointer over it shows `tip`."""
        element = self._add(
            "rect",
            kind,
            x=_format(x),
            y=_format(y),
            width=_format(width),
            height=_format(height),
            fill=fill,
        )
        if tip:
            ElementTree.SubElement(element, "title").text = clean(tip)

    def add_line(
        self, points: Sequence[tuple[float, float]], *, kind: str, stroke: str, width: float = 1.0
    ) -> None:
        """Add a line through these points."""
        self._add(
            "polyline",
            kind,
            points=_list_points(points),
            fill="none",
            stroke=stroke,
            **{"stroke-width": _format(width), "stroke-linejoin": "round"},
        )

    def add_area(
        self, points: Sequence[tuple[float, float]], *, kind: str, fill: str, opacity: float
    ) -> None:
        """Add a filled area with these corners."""
        self._add(
            "polygon",
            kind,
            points=_list_points(points),
            fill=fill,
            **{"fill-opacity": f"{opacity:g}"},
        )

    def add_dot(self, x: float, y: float, *, kind: str, fill: str, tip: str) -> None:
        """Add a dot; a pointer over it shows `tip`."""
        element = self._add(
            "circle", kind, cx=_format(x), cy=_format(y), r=_format(_RADIUS), fill=fill
        )
        ElementTree.SubElement(element, "title").text = clean(tip)

    def _add(self, tag: str, kind: str, **attributes: str) -> ElementTree.Element:
        return ElementTree.SubElement(self.root, tag, {"class": kind, **attributes})


def stack(drawings: Sequence[Drawing], *, margin: int = 24, indented: bool = True) -> str:
    """Return one SVG with these drawings, the first one at the top, and a margin around each.

    In a page it need not be `indented`: of a large crosstable that is an eighth.
    """
    height = sum(drawing.height + margin for drawing in drawings) + margin
    width = max(drawing.width for drawing in drawings) + 2 * margin
    root = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {width} {_format(height)}",
            "width": str(width),
            "height": _format(height),
            "role": "img",
            "aria-label": "; ".join(drawing.title for drawing in drawings),
            "font-family": _FONT,
        },
    )
    paper = {"class": "paper", "width": "100%", "height": "100%", "fill": PAPER}
    ElementTree.SubElement(root, "rect", paper)
    top = float(margin)
    for drawing in drawings:
        place = ElementTree.SubElement(
            root, "g", {"transform": f"translate({margin} {_format(top)})"}
        )
        place.append(drawing.root)
        top += drawing.height + margin
    if indented:
        ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def find_text_width(text: str, *, size: int = 13) -> float:
    """Estimate how wide a line of text is, in most fonts at most that."""
    return len(text) * size * _CHARACTER


def shorten(text: str, *, width: float, size: int = 13) -> str:
    """Return as much of a text as fits a width, with an ellipsis if that is not all of it."""
    most = max(int(width / (size * _CHARACTER) + _ROUNDING), 1)
    text = clean(text)
    return text if len(text) <= most else text[: most - 1] + "…"


def _format(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _list_points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{_format(x)},{_format(y)}" for x, y in points)
