"""Deals in words: from the views of seats to lines that a card player reads.

Lines are made of views alone, so they say what the seats of these views know and no more.
"""

from mazzo_server.results.commentary.deal import DealTeller
from mazzo_server.results.commentary.lines import (
    Line,
    Part,
    card_name,
    hand_parts,
    in_order,
    listed,
    number_text,
    with_runs,
)
from mazzo_server.results.commentary.names import clean, distinct_names
from mazzo_server.results.commentary.table import (
    action_notes,
    action_parts,
    card_notes,
    fact_lines,
    help_lines,
    table_lines,
    trick_parts,
)
from mazzo_server.results.commentary.words import Names

__all__ = [
    "DealTeller",
    "Line",
    "Names",
    "Part",
    "action_notes",
    "action_parts",
    "card_name",
    "card_notes",
    "clean",
    "distinct_names",
    "fact_lines",
    "hand_parts",
    "help_lines",
    "in_order",
    "listed",
    "number_text",
    "table_lines",
    "trick_parts",
    "with_runs",
]
