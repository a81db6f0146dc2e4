"""Draws what the platform tells of tournaments and rankings, for commands and pages."""

from mazzo_server.serving.charts.crosstable import has_crosstable
from mazzo_server.serving.charts.rankings import draw_ranking
from mazzo_server.serving.charts.tournaments import draw_tournament

__all__ = ["draw_ranking", "draw_tournament", "has_crosstable"]
