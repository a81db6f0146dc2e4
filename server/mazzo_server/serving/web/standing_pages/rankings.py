"""The pages of rankings."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mazzo.errors import VariantError
from mazzo.games import parse_variant
from mazzo.v1 import ranking_pb2
from mazzo_server.results.commentary import RANKING_COLUMNS
from mazzo_server.serving.presenting import draw_ranking, list_best_bots
from mazzo_server.serving.web.rendering import render, render_chart
from mazzo_server.serving.web.visitors import get_services

__all__ = ["list_best", "show_ranking", "show_rankings"]

_BEST = 3  # bots of each ranking where there are several


def list_best(ranking: ranking_pb2.Ranking) -> Sequence[ranking_pb2.RankingRow]:
    """Return the rows of the best bots, each with its newest version."""
    return [row for row in ranking.rows if row.newest][:_BEST]


async def show_rankings(request: Request) -> Response:
    """Show which variants have a ranking, and who leads it."""
    rankings = await get_services(request).list_rankings()
    best = {ranking.variant: list_best(ranking) for ranking in rankings}
    return render(request, "rankings.html", rankings=rankings, best=best)


async def show_ranking(request: Request) -> Response:
    """Show the ranking of one variant, and how it came about; of a game those of its variants."""
    text = request.path_params["variant"]
    if request.url.query:  # an option of the variant, as people type it
        text += f"?{request.url.query}"
    if not text:
        return RedirectResponse(request.url_for("rankings").path)
    rankings = await get_services(request).list_rankings(text)
    try:
        wanted = parse_variant(text).text
    except VariantError:  # a game
        wanted = text
    ranking = next((one for one in rankings if one.variant == wanted), None)
    if ranking is None:
        status = HTTPStatus.OK if rankings else HTTPStatus.NOT_FOUND
        best = {one.variant: list_best(one) for one in rankings}
        return render(
            request, "rankings.html", status=status, rankings=rankings, best=best, missing=text
        )
    bots = list_best_bots(ranking)
    ratings = await get_services(request).list_ratings(ranking.variant, bots)
    return render(
        request,
        "ranking.html",
        ranking=ranking,
        charts=[render_chart(drawing) for drawing in draw_ranking(ranking, ratings)],
        bots=bots,
        columns=RANKING_COLUMNS,
        ratings=[
            (one.tournament, one.name, {rating.bot: rating.rating for rating in one.ratings})
            for one in ratings
            if one.ratings
        ],
    )
