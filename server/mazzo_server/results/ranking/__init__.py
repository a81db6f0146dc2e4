"""The rankings of variants, and how each rating came about."""

from mazzo_server.results.ranking.history import Explanation, Rankings
from mazzo_server.results.ranking.values import Move, VariantRanking

__all__ = ["Explanation", "Move", "Rankings", "VariantRanking"]
