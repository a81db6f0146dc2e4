"""What each page shows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from mazzo.games import parse_variant
from mazzo.v1 import ranking_pb2, tournament_pb2
from mazzo_server.serving.web.charts import draw_ranking, draw_tournament
from mazzo_server.serving.web.rendering import render, render_chart
from mazzo_server.serving.web.services import Services

__all__ = ["show_home", "show_ranking", "show_rankings", "show_tournament", "show_tournaments"]

_NEWEST = 5  # tournaments on the first page
_BEST = 3  # bots of each ranking there
_MOST_KINDS = 200  # of forfeits
_LAST_NUMBER = 2**32 - 1  # that a message can ask for


async def show_home(request: Request) -> Response:
    """The newest tournaments, and who leads the rankings."""
    services = _get_services(request)
    tournaments, more = await services.list_tournaments()
    rankings = await services.list_rankings()
    return render(
        request,
        "home.html",
        tournaments=tournaments[:_NEWEST],
        has_more=bool(more) or len(tournaments) > _NEWEST,
        rankings=rankings,
        best={ranking.variant: _list_best(ranking) for ranking in rankings},
    )


def _list_best(ranking: ranking_pb2.Ranking) -> Sequence[ranking_pb2.RankingRow]:
    return [row for row in ranking.rows if row.newest][:_BEST]


async def show_tournaments(request: Request) -> Response:
    """All tournaments, the newest first."""
    place = request.query_params.get("from", "")
    tournaments, following = await _get_services(request).list_tournaments(place)
    return render(
        request, "tournaments.html", tournaments=tournaments, following=following, place=place
    )


async def show_tournament(request: Request) -> Response:
    """One tournament: what it is, its standings, its forfeits."""
    number = request.path_params["number"]
    if number > _LAST_NUMBER:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    tournament = await _get_services(request).get_tournament(number)
    standings = tournament.standings
    entrants = [row for row in standings.rows if not row.withdrawn]
    sides = parse_variant(tournament.variant).sides
    has_crosstable = len(entrants) > max(len(sides), 2)
    return render(
        request,
        "tournament.html",
        tournament=tournament,
        standings=standings,
        has_places=len(sides) > 2,
        charts=[render_chart(drawing) for drawing in draw_tournament(tournament)],
        entrants=entrants if has_crosstable else [],
        cells={(cell.name, cell.opponent): cell for cell in standings.crosstable},
        forfeits=standings.fault_kinds[:_MOST_KINDS],
        is_over=_is_over(tournament),
    )


def _is_over(tournament: tournament_pb2.Tournament) -> bool:
    return tournament.state in (
        tournament_pb2.TOURNAMENT_STATE_FINISHED,
        tournament_pb2.TOURNAMENT_STATE_CANCELLED,
    )


async def show_rankings(request: Request) -> Response:
    """Which variants have a ranking, and who leads it."""
    rankings = await _get_services(request).list_rankings()
    best = {ranking.variant: _list_best(ranking) for ranking in rankings}
    return render(request, "rankings.html", rankings=rankings, best=best)


async def show_ranking(request: Request) -> Response:
    """The ranking of one variant, and how it came about."""
    services, variant = _get_services(request), request.path_params["variant"]
    rankings = [one for one in await services.list_rankings(variant) if one.variant == variant]
    if not rankings:
        return render(request, "rankings.html", status=404, rankings=(), best={}, missing=variant)
    (ranking,) = rankings
    explain = partial(services.explain_ranking, variant=variant)
    charts = [render_chart(drawing) for drawing in await draw_ranking(ranking, explain)]
    return render(request, "ranking.html", ranking=ranking, charts=charts)


def _get_services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services
