"""Makes what people look at of the platform's messages: charts, and the words of tables."""

from mazzo_server.serving.presenting.audit import (
    describe_audit,
    format_excess,
    list_found_pairs,
    list_match_commands,
    list_shown_pairs,
)
from mazzo_server.serving.presenting.bracket import draw_bouts, list_bouts
from mazzo_server.serving.presenting.course import (
    draw_moments,
    draw_score_spreads,
    list_moments,
    list_spreads,
)
from mazzo_server.serving.presenting.crosstable import find_lead_steps, has_crosstable
from mazzo_server.serving.presenting.head_to_head import draw_leads, list_leads
from mazzo_server.serving.presenting.rankings import draw_bot_ratings, draw_ranking, list_best_bots
from mazzo_server.serving.presenting.tournaments import draw_standings, draw_tournament

__all__ = [
    "describe_audit",
    "draw_bot_ratings",
    "draw_bouts",
    "draw_leads",
    "draw_moments",
    "draw_ranking",
    "draw_score_spreads",
    "draw_standings",
    "draw_tournament",
    "find_lead_steps",
    "format_excess",
    "has_crosstable",
    "list_best_bots",
    "list_bouts",
    "list_found_pairs",
    "list_leads",
    "list_match_commands",
    "list_moments",
    "list_shown_pairs",
    "list_spreads",
]
