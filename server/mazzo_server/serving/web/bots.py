"""The pages of bots."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from mazzo.v1 import replay_pb2
from mazzo_server.results.commentary import RANKING_COLUMNS
from mazzo_server.serving.web.login import get_services
from mazzo_server.serving.web.matches import list_rows
from mazzo_server.serving.web.rendering import render

__all__ = ["show_bot", "show_bots"]

_NEWEST = 10  # matches on the page of a bot


async def show_bots(request: Request) -> Response:
    """Show the bots by name, retired ones too."""
    services = get_services(request)
    place = request.query_params.get("from", "")
    bots, following = await services.list_bots(place)
    return render(request, "bots.html", bots=bots, following=following, place=place)


async def show_bot(request: Request) -> Response:
    """Show one bot: its versions, where it stands, its newest matches."""
    services = get_services(request)
    bot = await services.get_bot(request.path_params["name"])
    rankings = await services.list_rankings()
    standing = [
        (ranking, row)
        for ranking in rankings
        for row in ranking.rows
        if row.name == bot.name and row.newest
    ]
    wanted = replay_pb2.FindMatchesRequest(bot=bot.name, page_size=_NEWEST)
    matches, following = await services.find_matches(wanted)
    return render(
        request,
        "bot.html",
        bot=bot,
        newest=bot.versions[-1],
        versions=list(reversed(bot.versions)),
        standing=standing,
        columns={name: RANKING_COLUMNS[name] for name in ("rating", "W-D-L", "tournaments")},
        rows=list_rows(matches),
        has_more=bool(following),
    )
