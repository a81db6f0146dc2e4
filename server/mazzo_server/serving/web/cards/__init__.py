"""The faces of cards, Italian and French, drawn in code."""

from mazzo_server.serving.web.cards.faces import draw_back, draw_card, draw_symbols
from mazzo_server.serving.web.cards.lines import Told, render_lines

__all__ = ["Told", "draw_back", "draw_card", "draw_symbols", "render_lines"]
