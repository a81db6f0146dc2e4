"""The page that has a whole match in itself: it steps without asking for anything more."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from mazzo.cards import Card
from mazzo_server.results.watching import Position, WatchedMatch
from mazzo_server.serving.web.cards import draw_symbols, render_lines
from mazzo_server.serving.web.rendering import render, render_part
from mazzo_server.serving.web.replay_pages.scenes import list_result, make_scene
from mazzo_server.serving.web.replay_pages.watched_matches import WatchedMatches
from mazzo_server.serving.web.replay_pages.ways import read_match
from mazzo_server.serving.web.visitors import get_services

__all__ = ["WholeMatches", "show_whole"]

_MOST: Final = 600  # positions
_MOST_KEPT: Final = 8  # matches


@dataclass(frozen=True, slots=True, kw_only=True)
class _Whole:
    """All positions of a match, as parts of a page."""

    first: Markup  # position
    data: Markup  # JSON for the script, of all
    story: list[list[tuple[str, Markup]]]  # by deal
    shown: set[Card]  # the faces that are drawn


class WholeMatches:
    """Renders one match at a time, as each takes about a second, and keeps a few."""

    def __init__(self) -> None:
        self._rendering = asyncio.Lock()
        self._kept: OrderedDict[WatchedMatch, _Whole] = OrderedDict()

    async def render(self, request: Request, match: WatchedMatch) -> _Whole:
        """Return all positions of a match."""
        async with self._rendering:
            if match not in self._kept:
                self._kept[match] = await asyncio.to_thread(_render_positions, request, match)
                if len(self._kept) > _MOST_KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(match)
            return self._kept[match]


async def show_whole(request: Request) -> Response:
    """Show a match on one page, which can be kept as a file; all hands are open."""
    number = read_match(request, request.path_params["seating"])
    watched: WatchedMatches = request.app.state.watched_matches
    match = await watched.open(get_services(request), number)
    count = sum(len(steps) + 1 for steps in match.steps)
    if count > _MOST:
        raise HTTPException(
            HTTPStatus.NOT_FOUND,
            f"A match of {count} positions is too long for one page: at most {_MOST}.",
        )
    matches: WholeMatches = request.app.state.whole_matches
    whole = await matches.render(request, match)
    return render(
        request,
        "whole.html",
        match=number,
        record=match.record,
        names=match.names,
        symbols=draw_symbols(match.record.variant.game.pack, whole.shown, with_back=True),
        first=whole.first,
        data=whole.data,
        story=whole.story,
        result=list_result(match),
    )


def _render_positions(request: Request, match: WatchedMatch) -> _Whole:
    texts, shown = list[str](), set[Card]()
    for at in match.positions.list_all():
        if at.seat is None:
            scene = make_scene(match, at)
            shown |= scene.shown
            texts.append(render_part(request, "position.html", scene=scene))
    lines: dict[str, int] = {}  # most of a position is as in the one before
    steps = [
        [lines.setdefault(line, len(lines)) for line in text.splitlines() if line] for text in texts
    ]
    data = {"lines": list(lines), "steps": steps, "deals": [len(one) + 1 for one in match.steps]}
    return _Whole(
        first=Markup(texts[0]),  # noqa: S704 - rendered by a template
        # No text in it can end the element that it stands in.
        data=Markup(json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")),  # noqa: S704
        story=[
            render_lines(match.tell_end(Position(deal=deal))) for deal in range(len(match.steps))
        ],
        shown=shown,
    )
