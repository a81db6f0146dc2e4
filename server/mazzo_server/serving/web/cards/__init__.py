"""The faces of cards, Italian and French, drawn in code."""

from mazzo_server.serving.web.cards.faces import draw_back, draw_card, draw_chip, draw_symbols

__all__ = ["draw_back", "draw_card", "draw_chip", "draw_symbols"]
