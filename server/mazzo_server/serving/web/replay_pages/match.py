"""The page of a match: one position of it, and the ways to the others."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mazzo.errors import MazzoError
from mazzo_server.results.watching import Position, WatchedMatch
from mazzo_server.serving.web.cards import draw_symbols
from mazzo_server.serving.web.rendering import render
from mazzo_server.serving.web.replay_pages.advice import (
    Asked,
    DecisionAdviser,
    find_adviser,
    find_other_choice,
    get_advice,
)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Help:
    """What a page offers of an adviser."""

    name: str
    is_asked: bool
    ask: str  # the query that asks about this position
    leave: str  # the query that does not
    search: str  # the query for the next place where it decides otherwise; "": there is none
    told: str  # what the last search has found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Searched:
    """The end of a search for a place where the adviser decides otherwise."""

    query: str  # that leads there, or goes on looking; "": there is none
    told: str  # why it has not been found; "": it has


async def show_replay(request: Request) -> Response:
    """Show a match at a position; without one, its beginning."""
    number = read_match(request, request.path_params["seating"])
    watched: WatchedMatches = request.app.state.watched_matches
    match = await watched.open(get_services(request), number)
    at = read_position(request, match.positions)
    adviser, asked = find_adviser(request)
    searched = _Searched(query=write_position(at, expert=Asked.DIFFERENCE), told="")
    if adviser is not None and asked is Asked.DIFFERENCE:
        seconds: float = request.app.state.search_seconds
        searched = await _find_other_place(adviser, match, at, seconds)
        if not searched.told:
            return RedirectResponse(searched.query, HTTPStatus.SEE_OTHER)
        asked = Asked.ADVICE
    advice = None
    if adviser is not None and asked is Asked.ADVICE:
        advice = await get_advice(adviser, match, at)
    scene, points = await asyncio.to_thread(
        lambda: (make_scene(match, at, advice), describe_points(match, at))
    )
    return render(
        request,
        "replay.html",
        match=number,
        record=match.record,
        names=match.names,
        ways=list_ways(match.positions, at, expert=asked),
        watchers=_list_watchers(match, at, asked),
        symbols=draw_symbols(match.record.variant.game.pack, scene.shown, with_back=True),
        scene=scene,
        points=points,
        here=write_position(at),
        help=adviser and _describe_help(adviser, at, asked, searched),
        result=list_result(match),
    )


async def _find_other_place(
    adviser: DecisionAdviser, match: WatchedMatch, at: Position, seconds: float
) -> _Searched:
    """Look for the next place where the adviser would have decided otherwise."""
    try:
        search = await find_other_choice(adviser, match, at, seconds=seconds)
    except (TimeoutError, MazzoError):
        told = f"{adviser.name.capitalize()} has not answered in time: try again."
        return _Searched(query=write_position(at, expert=Asked.DIFFERENCE), told=told)
    if search.found is not None:
        return _Searched(query=write_position(search.found, expert=Asked.ADVICE), told="")
    whose = "" if at.seat is None else f" of {match.names[at.seat]}"
    if search.is_over:
        told = f"{adviser.name.capitalize()} agrees with all later decisions{whose} in this match."
        if not search.looked:
            told = f"There is no later decision{whose} in this match."
        return _Searched(query="", told=told)
    told = f"None among the next {search.looked} decisions{whose}."
    return _Searched(query=write_position(search.last, expert=Asked.DIFFERENCE), told=told)


def _describe_help(
    adviser: DecisionAdviser, at: Position, asked: Asked, searched: _Searched
) -> _Help:
    return _Help(
        name=adviser.name,
        is_asked=asked is Asked.ADVICE,
        ask=write_position(at, expert=Asked.ADVICE),
        leave=write_position(at),
        search=searched.query,
        told=searched.told,
    )


def _list_watchers(match: WatchedMatch, at: Position, asked: Asked) -> list[tuple[str, str, bool]]:
    """Return who may be watched: a name, where that leads, and whether it is watched now."""
    seats: list[int | None] = [None, *range(len(match.names))]
    return [
        (
            "All hands" if seat is None else match.names[seat],
            write_position(replace(at, seat=seat), expert=asked),
            seat == at.seat,
        )
        for seat in seats
    ]
