"""Makes what people look at of the platform's messages: charts, and the words of tables."""

from mazzo_server.serving.presenting.crosstable import has_crosstable
from mazzo_server.serving.presenting.found_matches import (
    describe_play,
    describe_verdict,
    format_points,
    format_swing,
    has_copies,
    list_sides,
    name_match,
)
from mazzo_server.serving.presenting.rankings import draw_ranking
from mazzo_server.serving.presenting.tournaments import draw_tournament

__all__ = [
    "describe_play",
    "describe_verdict",
    "draw_ranking",
    "draw_tournament",
    "format_points",
    "format_swing",
    "has_copies",
    "has_crosstable",
    "list_sides",
    "name_match",
]
