"""Draws the ranking of a variant: how the ratings of its best bots came about."""

from __future__ import annotations

from collections.abc import Sequence

from mazzo.v1 import ranking_pb2
from mazzo_server.cli.shell.connection import Client, fetch_all
from mazzo_server.errors import InvalidInputError, PlatformError
from mazzo_server.results.charts import MOST_LINES, RatingLine, RatingPoint, draw_ratings, stack

__all__ = ["draw_rankings"]


async def draw_rankings(client: Client, rankings: Sequence[ranking_pb2.Ranking]) -> str:
    """Return the chart of the one ranking as SVG.

    Raises `PlatformError` where there is none, and `InvalidInputError` where there are several.
    """
    if len(rankings) > 1:
        variants = ", ".join(ranking.variant for ranking in rankings)
        raise InvalidInputError(
            f"--plot: expected one variant, got {len(rankings)}: name one of {variants}"
        )
    if not rankings:
        raise PlatformError("expected a ranking to draw, got none: no tournament is finished")
    (ranking,) = rankings
    best = [row.name for row in ranking.rows if row.newest][:MOST_LINES]
    lines = [
        RatingLine(name=name, points=await _fetch_points(client, name, ranking.variant))
        for name in best
    ]
    drawing = draw_ratings(f"Ranking of {ranking.variant}", lines)
    assert drawing is not None  # a ranking has rows
    return stack([drawing])


async def _fetch_points(client: Client, bot: str, variant: str) -> list[RatingPoint]:
    """Return the bot's ratings after each tournament, whichever version played."""
    request = ranking_pb2.ExplainRankingRequest(bot=bot, variant=variant, groups=1)
    passages = await fetch_all(client.rankings.ExplainRanking, request, "passages")
    newest = {passage.tournament: passage for passage in passages}
    return [
        RatingPoint(tournament=number, rating=passage.after.rating, mu=passage.after.mu)
        for number, passage in sorted(newest.items())
    ]
