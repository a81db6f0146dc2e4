"""The page of a mirror group: the same deals in all seatings, side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from starlette.requests import Request
from starlette.responses import Response

from mazzo_server.model import MatchId
from mazzo_server.results.commentary import format_number
from mazzo_server.results.watching import Position, Positions, WatchedMatch
from mazzo_server.serving.web.cards import draw_symbols
from mazzo_server.serving.web.rendering import render
from mazzo_server.serving.web.replay_pages.scenes import Scene, make_scene
from mazzo_server.serving.web.replay_pages.watched_matches import WatchedMatches
from mazzo_server.serving.web.replay_pages.ways import (
    list_ways,
    read_match,
    read_position,
    write_position,
)
from mazzo_server.serving.web.visitors import get_services

__all__ = ["show_group"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seating:
    """One seating of the group at the position that is shown."""

    match: MatchId
    names: Sequence[str]
    scores: list[str]
    query: str  # of its own page, at the same place
    scene: Scene


async def show_group(request: Request) -> Response:
    """Show all seatings of a mirror group at the same place."""
    watched: WatchedMatches = request.app.state.watched_matches
    matches = await watched.open_group(get_services(request), read_match(request, "0"))
    positions = _join_positions(matches)
    at = read_position(request, positions)
    seatings = await asyncio.to_thread(_show_seatings, matches, at)
    shown = set().union(*(seating.scene.shown for seating in seatings))
    record = matches[0][1].record
    return render(
        request,
        "group.html",
        tournament=matches[0][0].tournament,
        group=matches[0][0].group,
        record=record,
        at=at,
        deals=max(len(match.steps) for _, match in matches),
        ways=list_ways(positions, at),
        parting=[write_position(replace(at, deal=d, step=s)) for d, s in _find_partings(matches)],
        symbols=draw_symbols(record.variant.game.pack, shown, with_back=True),
        seatings=seatings,
    )


def _show_seatings(matches: Sequence[tuple[MatchId, WatchedMatch]], at: Position) -> list[_Seating]:
    return [
        _Seating(
            match=number,
            names=match.names,
            scores=[format_number(score) for score in match.record.match_scores],
            query=write_position(here),
            scene=make_scene(match, here),
        )
        for number, match in matches
        for here in [_find_nearest(match, at)]
    ]


def _join_positions(matches: Sequence[tuple[MatchId, WatchedMatch]]) -> Positions:
    """Return the positions that at least one of the matches has."""
    tricks = [
        max((deal for deal in deals if deal is not None), key=len)
        for deals in zip_longest(*(match.tricks for _, match in matches))
    ]
    return Positions(tricks, players=len(matches[0][1].names))


def _find_nearest(match: WatchedMatch, at: Position) -> Position:
    """Return the position, or the end that comes before it."""
    if at.deal >= len(match.steps):
        return match.positions.find_last(at)
    return replace(at, step=min(at.step, len(match.steps[at.deal])))


def _find_partings(matches: Sequence[tuple[MatchId, WatchedMatch]]) -> list[tuple[int, int]]:
    """Return deal and decision where the seatings first differ, in each deal in which they do."""
    partings = []
    for number, deals in enumerate(zip(*(match.steps for _, match in matches), strict=False)):
        rows = zip_longest(*([step.action for step in deal] for deal in deals), fillvalue=-1)
        for index, actions in enumerate(rows):
            if len(set(actions)) > 1:
                partings.append((number, index))
                break
    return partings
