"""Tells deals in words: turns the views of seats into lines for a card player.

Lines are made from views alone, so they tell what the seats of these views know and no more.
"""

from mazzo_server.results.commentary.bot_logs import describe_life, describe_occasion
from mazzo_server.results.commentary.columns import (
    MATCH_COLUMNS,
    RANKING_COLUMNS,
    compute_mean_places,
    describe_contradictions,
    describe_more,
    describe_seats,
    describe_separation,
    describe_standings,
    name_places,
)
from mazzo_server.results.commentary.deal import DealTeller
from mazzo_server.results.commentary.found_matches import (
    describe_play,
    describe_verdict,
    format_points,
    format_swing,
    has_copies,
    list_sides,
    name_match,
)
from mazzo_server.results.commentary.lines import (
    Line,
    Part,
    format_bytes,
    format_decimal,
    format_number,
    join_parts,
    join_runs,
    list_choices,
    make_advice_line,
    make_hand_parts,
    make_part,
    name_card,
    sort_cards,
)
from mazzo_server.results.commentary.names import clean, make_distinct_names
from mazzo_server.results.commentary.table import (
    Tallies,
    list_action_remarks,
    list_card_remarks,
    make_action_parts,
    make_fact_lines,
    make_help_lines,
    make_score_lines,
    make_table_lines,
    make_tallies,
    make_trick_parts,
)
from mazzo_server.results.commentary.trial_failures import find_failures
from mazzo_server.results.commentary.trials import (
    clear_reasons,
    describe_active,
    describe_start,
    describe_trial_needs,
    list_findings,
)
from mazzo_server.results.commentary.words import Names

__all__ = [
    "MATCH_COLUMNS",
    "RANKING_COLUMNS",
    "DealTeller",
    "Line",
    "Names",
    "Part",
    "Tallies",
    "clean",
    "clear_reasons",
    "compute_mean_places",
    "describe_active",
    "describe_contradictions",
    "describe_life",
    "describe_more",
    "describe_occasion",
    "describe_play",
    "describe_seats",
    "describe_separation",
    "describe_standings",
    "describe_start",
    "describe_trial_needs",
    "describe_verdict",
    "find_failures",
    "format_bytes",
    "format_decimal",
    "format_number",
    "format_points",
    "format_swing",
    "has_copies",
    "join_parts",
    "join_runs",
    "list_action_remarks",
    "list_card_remarks",
    "list_choices",
    "list_findings",
    "list_sides",
    "make_action_parts",
    "make_advice_line",
    "make_distinct_names",
    "make_fact_lines",
    "make_hand_parts",
    "make_help_lines",
    "make_part",
    "make_score_lines",
    "make_table_lines",
    "make_tallies",
    "make_trick_parts",
    "name_card",
    "name_match",
    "name_places",
    "sort_cards",
]
