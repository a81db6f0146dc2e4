"""The pages of ladders."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

import grpc
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from mazzo.v1 import ladder_pb2
from mazzo_server.results.commentary import (
    ENDED_SEASON,
    LADDER_COLUMNS,
    LADDER_STATES,
    describe_next_table,
    describe_rest,
    format_lead,
    format_trend,
    list_newest_rows,
)
from mazzo_server.serving.web.rendering import render
from mazzo_server.serving.web.visitors import get_services, read_number

__all__ = [
    "LadderPlace",
    "find_ladder_places",
    "list_played_ladders",
    "show_ladder",
    "show_ladders",
]

_MOST_SEASONS: Final = 500
_PATIENCE: Final = 1.0  # seconds, for a table of which a page shows a line
_MOST_AGE: Final = 5.0  # seconds, of a table: a long season's takes seconds to make


async def show_ladders(request: Request) -> Response:
    """Show which variants have a ladder, and the seasons before."""
    return render(
        request, "ladders.html", seasons=await _list_seasons(request), states=LADDER_STATES
    )


async def show_ladder(request: Request) -> Response:
    """Show a season of a ladder, by the number of its tournament."""
    number = read_number(request.path_params["number"])
    seasons = await _list_seasons(request)
    season = next((one for one in seasons if one.tournament == number), None)
    if season is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, "expected the number of a season of a ladder")
    shown = await _get_ladder(request, season)
    with_replaced = request.query_params.get("all") == "1"
    rows = list_newest_rows(shown.rows, with_replaced=with_replaced)
    return render(
        request,
        "ladder.html",
        season=shown.season,
        state=LADDER_STATES[shown.season.state],
        is_over=shown.season.state == ladder_pb2.LADDER_STATE_OVER,
        rows=[
            (rank, row, format_trend(row), format_lead(row, confidence=shown.season.confidence))
            for rank, row in rows
        ],
        replaced=len(shown.rows) - len(rows),
        columns=LADDER_COLUMNS,
        ended=ENDED_SEASON,
        final=shown.final,
        next_tables=Counter(map(describe_next_table, shown.next_tables)),
        rest=describe_rest(shown),
        others=[one for one in seasons if one.variant == season.variant and one != season],
    )


async def list_played_ladders(request: Request) -> Sequence[ladder_pb2.LadderSeason]:
    """Return the seasons that are not over, by variant."""
    seasons = await _list_seasons(request)
    played = [one for one in seasons if one.state != ladder_pb2.LADDER_STATE_OVER]
    return sorted(played, key=lambda season: season.variant)


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderPlace:
    """Where a bot stands on a ladder."""

    season: ladder_pb2.LadderSeason
    rank: int = 0  # 0: it has none yet, or the table does not come soon
    ranked: int = 0  # how many versions have one


async def find_ladder_places(
    request: Request, seasons: Sequence[ladder_pb2.LadderSeason], bot: str
) -> list[LadderPlace]:
    """Return the places of a bot in the tables of these seasons."""
    return await asyncio.gather(*(_find_place(request, season, bot) for season in seasons))


async def _find_place(request: Request, season: ladder_pb2.LadderSeason, bot: str) -> LadderPlace:
    try:
        async with asyncio.timeout(_PATIENCE):
            shown = await _get_ladder(request, season)
    except (TimeoutError, grpc.aio.AioRpcError):
        return LadderPlace(season=season)
    rows = list_newest_rows(shown.rows)
    ranks = [rank for rank, row in rows if row.bot == bot and rank]
    return LadderPlace(
        season=season, rank=min(ranks, default=0), ranked=sum(rank > 0 for rank, _ in rows)
    )


async def _get_ladder(
    request: Request, season: ladder_pb2.LadderSeason
) -> ladder_pb2.GetLadderResponse:
    services = get_services(request)
    wanted = ladder_pb2.GetLadderRequest(
        variant=season.variant, season=season.season, max_age_seconds=_MOST_AGE
    )
    shown: ladder_pb2.GetLadderResponse = await services.ask(services.ladders.GetLadder, wanted)
    return shown


async def _list_seasons(request: Request) -> Sequence[ladder_pb2.LadderSeason]:
    services = get_services(request)
    wanted = ladder_pb2.ListLaddersRequest(page_size=_MOST_SEASONS)
    answer: ladder_pb2.ListLaddersResponse = await services.ask(
        services.ladders.ListLadders, wanted
    )
    return answer.seasons
