"""Draws how the ratings of a ranking came about."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from mazzo.v1 import ranking_pb2
from mazzo_server.results.charts import (
    MOST_LINES,
    Drawing,
    RatingLine,
    RatingPoint,
    draw_ratings,
)

__all__ = ["draw_ranking"]

Explain = Callable[[str], Awaitable[Sequence[ranking_pb2.RatingPassage]]]
"""Returns how the rating of a bot came about, by its name."""


async def draw_ranking(ranking: ranking_pb2.Ranking, explain: Explain) -> list[Drawing]:
    """Return how the ratings of the best bots came about, whichever of their versions played."""
    best = [row.name for row in ranking.rows if row.newest][:MOST_LINES]
    lines = [RatingLine(name=name, points=_list_points(await explain(name))) for name in best]
    drawing = draw_ratings(f"Ranking of {ranking.variant}", lines)
    return [] if drawing is None else [drawing]


def _list_points(passages: Sequence[ranking_pb2.RatingPassage]) -> list[RatingPoint]:
    newest = {passage.tournament: passage.after for passage in passages}
    return [
        RatingPoint(tournament=number, rating=after.rating, mu=after.mu)
        for number, after in sorted(newest.items())
    ]
