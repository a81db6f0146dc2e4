"""The page of a match: one position of it, and the ways to the others."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response

from mazzo_server.results.watching import Position, WatchedMatch
from mazzo_server.serving.web.cards import draw_symbols
from mazzo_server.serving.web.rendering import render
from mazzo_server.serving.web.replay_pages.points import describe_points
from mazzo_server.serving.web.replay_pages.scenes import list_result, make_scene
from mazzo_server.serving.web.replay_pages.watched_matches import WatchedMatches
from mazzo_server.serving.web.replay_pages.ways import (
    list_ways,
    read_match,
    read_position,
    write_position,
)
from mazzo_server.serving.web.visitors import get_services

__all__ = ["show_replay"]


async def show_replay(request: Request) -> Response:
    """Show a match at a position; without one, its beginning."""
    number = read_match(request, request.path_params["seating"])
    watched: WatchedMatches = request.app.state.watched_matches
    match = await watched.open(get_services(request), number)
    at = read_position(request, match.positions)
    scene, points = await asyncio.to_thread(
        lambda: (make_scene(match, at), describe_points(match, at))
    )
    return render(
        request,
        "replay.html",
        match=number,
        record=match.record,
        names=match.names,
        ways=list_ways(match.positions, at),
        watchers=_list_watchers(match, at),
        symbols=draw_symbols(match.record.variant.game.pack, scene.shown, with_back=True),
        scene=scene,
        points=points,
        here=write_position(at),
        result=list_result(match),
    )


def _list_watchers(match: WatchedMatch, at: Position) -> list[tuple[str, str, bool]]:
    """Return who may be watched: a name, where that leads, and whether it is watched now."""
    seats: list[int | None] = [None, *range(len(match.names))]
    return [
        (
            "All hands" if seat is None else match.names[seat],
            write_position(replace(at, seat=seat)),
            seat == at.seat,
        )
        for seat in seats
    ]
