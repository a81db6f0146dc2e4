"""What each page shows."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mazzo.errors import VariantError
from mazzo.games import parse_variant
from mazzo.v1 import ranking_pb2, tournament_pb2
from mazzo_server.model import find_bot_name
from mazzo_server.serving.presenting import draw_tournament, has_crosstable
from mazzo_server.serving.web.login import get_services
from mazzo_server.serving.web.ranking_charts import RankingCharts
from mazzo_server.serving.web.rendering import render, render_chart

__all__ = ["show_home", "show_ranking", "show_rankings", "show_tournament", "show_tournaments"]

_NEWEST = 5  # tournaments on the first page
_BEST = 3  # bots of each ranking there
_MOST_CROSSED = 20  # entrants in a crosstable; its page has the square of that
_MOST_KINDS = 200  # of forfeits
_LAST_NUMBER = 2**32 - 1  # that a message can ask for


async def show_home(request: Request) -> Response:
    """Show the newest tournaments, and who leads the rankings."""
    services = get_services(request)
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
    """Show all tournaments, the newest first."""
    place = request.query_params.get("from", "")
    tournaments, following = await get_services(request).list_tournaments(place)
    return render(
        request, "tournaments.html", tournaments=tournaments, following=following, place=place
    )


async def show_tournament(request: Request) -> Response:
    """Show one tournament: what it is, its standings, its forfeits."""
    number = _parse_number(request.path_params["number"])
    tournament = await get_services(request).get_tournament(number)
    standings = tournament.standings
    names = [entrant.name for entrant in tournament.entrants]
    drawings = draw_tournament(tournament, most=_MOST_CROSSED)
    is_crossed = has_crosstable(tournament, most=_MOST_CROSSED)
    return render(
        request,
        "tournament.html",
        tournament=tournament,
        standings=standings,
        has_places=len(parse_variant(tournament.variant).sides) > 2,
        has_copies=len({find_bot_name(name) for name in names}) < len(names),
        points={row.name: row.points for row in standings.swiss},
        charts=[render_chart(drawing) for drawing in drawings],
        too_many=not is_crossed and has_crosstable(tournament, most=len(names)),
        entrants=[row for row in standings.rows if not row.withdrawn] if is_crossed else [],
        cells={(cell.name, cell.opponent): cell for cell in standings.crosstable},
        forfeits=standings.fault_kinds[:_MOST_KINDS],
        is_over=tournament.HasField("end_time"),
        is_cancelled=tournament.state == tournament_pb2.TOURNAMENT_STATE_CANCELLED,
    )


def _parse_number(text: str) -> int:
    """Return the number of a tournament in an address; raise `HTTPException`."""
    if text.isascii() and text.isdecimal() and len(text) <= len(str(_LAST_NUMBER)):
        number = int(text)
        if number <= _LAST_NUMBER:
            return number
    raise HTTPException(HTTPStatus.NOT_FOUND)


async def show_rankings(request: Request) -> Response:
    """Show which variants have a ranking, and who leads it."""
    rankings = await get_services(request).list_rankings()
    best = {ranking.variant: _list_best(ranking) for ranking in rankings}
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
        best = {one.variant: _list_best(one) for one in rankings}
        return render(
            request, "rankings.html", status=status, rankings=rankings, best=best, missing=text
        )
    charts: RankingCharts = request.app.state.ranking_charts
    return render(
        request,
        "ranking.html",
        ranking=ranking,
        charts=await charts.draw(get_services(request), ranking),
    )
