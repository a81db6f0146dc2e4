"""Deals in words: from the views of seats to lines that a card player reads.

Lines are made of views alone, so they say what the seats of these views know and no more.
"""

from mazzo_server.telling.deal import DealTeller
from mazzo_server.telling.lines import Line, Part, hand_parts, listed, number_text
from mazzo_server.telling.words import Names, help_lines, table_lines

__all__ = [
    "DealTeller",
    "Line",
    "Names",
    "Part",
    "hand_parts",
    "help_lines",
    "listed",
    "number_text",
    "table_lines",
]
