"""The first page."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from mazzo.games import GAMES
from mazzo_server.results.commentary import LADDER_STATES
from mazzo_server.serving.web.rendering import render
from mazzo_server.serving.web.standing_pages import (
    list_best,
    list_open_tournaments,
    list_played_ladders,
)
from mazzo_server.serving.web.visitors import get_services

__all__ = ["show_home"]

_NEWEST = 5  # tournaments


async def show_home(request: Request) -> Response:
    """Show what can be entered, the newest tournaments, and who leads the rankings."""
    services = get_services(request)
    tournaments, more = await services.list_tournaments()
    rankings = await services.list_rankings()
    taking_entries = await list_open_tournaments(services)
    return render(
        request,
        "home.html",
        tournaments=tournaments[:_NEWEST],
        ladders=await list_played_ladders(request),
        ladder_states=LADDER_STATES,
        taking_entries=taking_entries,
        has_more=bool(more) or len(tournaments) > _NEWEST,
        rankings=rankings,
        games=[*GAMES.values()],
        best={ranking.variant: list_best(ranking) for ranking in rankings},
    )
