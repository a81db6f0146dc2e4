"""Draws how the ratings of a ranking came about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from mazzo.v1 import ranking_pb2
from mazzo_server.results.charts import (
    MOST_LINES,
    Drawing,
    RatingLine,
    RatingPoint,
    draw_ratings,
)

__all__ = ["draw_bot_ratings", "draw_ranking", "list_best_bots"]


def list_best_bots(ranking: ranking_pb2.Ranking) -> Sequence[str]:
    """Return the names of the bots whose ratings are drawn."""
    return [row.name for row in ranking.rows if row.newest][:MOST_LINES]


def draw_ranking(
    ranking: ranking_pb2.Ranking, ratings: Iterable[ranking_pb2.TournamentRatings]
) -> list[Drawing]:
    """Return how the ratings of the best bots came about, whichever of their versions played."""
    drawing = _draw(f"Ranking of {ranking.variant}", list_best_bots(ranking), ratings)
    return [] if drawing is None else [drawing]


def draw_bot_ratings(
    bot: str, variant: str, ratings: Iterable[ranking_pb2.TournamentRatings]
) -> Drawing | None:
    """Return how the ratings of a bot in a variant came about; None where it has none."""
    return _draw(f"{bot} in {variant}", [bot], ratings)


def _draw(
    title: str, bots: Sequence[str], ratings: Iterable[ranking_pb2.TournamentRatings]
) -> Drawing | None:
    points: dict[str, list[RatingPoint]] = defaultdict(list)
    for tournament in sorted(ratings, key=lambda one: one.tournament):
        for one in tournament.ratings:
            point = RatingPoint(
                tournament=tournament.tournament, rating=one.rating.rating, mu=one.rating.mu
            )
            points[one.bot].append(point)
    lines = [RatingLine(name=name, points=points[name]) for name in bots if points[name]]
    return draw_ratings(title, lines)
