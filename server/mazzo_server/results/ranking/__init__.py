"""The rankings of variants, and the history of each rating."""

from mazzo_server.results.ranking.history import Explanation, Rankings
from mazzo_server.results.ranking.meetings import VariantMeetings
from mazzo_server.results.ranking.values import Move, TournamentRatings, VariantRanking

__all__ = [
    "Explanation",
    "Move",
    "Rankings",
    "TournamentRatings",
    "VariantMeetings",
    "VariantRanking",
]
