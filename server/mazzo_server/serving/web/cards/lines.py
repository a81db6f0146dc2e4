"""Draws the lines of a commentary, with their cards."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from markupsafe import Markup, escape

from mazzo.cards import Card
from mazzo_server.results.commentary import Line, Part, clean
from mazzo_server.serving.web.cards.faces import draw_card, draw_chip

__all__ = ["Told", "render_lines"]

Told: TypeAlias = tuple[str, Markup]
"""A label and its text."""


def render_lines(lines: Iterable[Line], *, with_faces: bool = False) -> list[Told]:
    """Return lines as parts of a page; cards as chips, or as small faces."""
    return [(line.label, _render_parts(line.parts, with_faces=with_faces)) for line in lines]


def _render_parts(parts: Iterable[Part], *, with_faces: bool) -> Markup:
    def draw(card: Card) -> Markup:
        return draw_card(card, "small") if with_faces else draw_chip(card)

    return Markup("").join(
        draw(part) if isinstance(part, Card) else escape(clean(part)) for part in parts
    )
