"""The page that has a whole match in itself: it steps without asking for anything more."""

from __future__ import annotations

import asyncio
import json
from http import HTTPStatus
from typing import Final

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from mazzo.cards import Card
from mazzo_server.results.watching import Position, WatchedMatch
from mazzo_server.serving.web.cards import draw_symbols
from mazzo_server.serving.web.login import get_services
from mazzo_server.serving.web.rendering import render, render_part
from mazzo_server.serving.web.replay_pages.scenes import list_result, make_scene, render_lines
from mazzo_server.serving.web.replay_pages.watched_matches import WatchedMatches
from mazzo_server.serving.web.replay_pages.ways import read_match

__all__ = ["show_whole"]

_MOST: Final = 600  # positions


async def show_whole(request: Request) -> Response:
    """Show a match on one page, which can be kept as a file; all hands are open."""
    number = read_match(request, request.path_params["seating"])
    watched: WatchedMatches = request.app.state.watched_matches
    match = await watched.open(get_services(request), number)
    positions = [at for at in match.positions.list_all() if at.seat is None]
    if len(positions) > _MOST:
        raise HTTPException(
            HTTPStatus.NOT_FOUND,
            f"A match of {len(positions)} positions is too long for one page: at most {_MOST}.",
        )
    texts, shown = await asyncio.to_thread(_render_positions, request, match, positions)
    lines: dict[str, int] = {}  # most of a position is as in the one before
    steps = [
        [lines.setdefault(line, len(lines)) for line in text.splitlines() if line] for text in texts
    ]
    data = {"lines": list(lines), "steps": steps, "deals": [len(one) + 1 for one in match.steps]}
    ends = [match.tell_end(Position(deal=deal)) for deal in range(len(match.steps))]
    return render(
        request,
        "whole.html",
        match=number,
        record=match.record,
        names=match.names,
        symbols=draw_symbols(match.record.variant.game.pack, shown, with_back=True),
        first=Markup(texts[0]),  # noqa: S704 - rendered by a template
        # No text in it can end the element that it stands in.
        data=Markup(json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")),  # noqa: S704
        story=[render_lines(end) for end in ends],
        result=list_result(match),
    )


def _render_positions(
    request: Request, match: WatchedMatch, positions: list[Position]
) -> tuple[list[str], set[Card]]:
    """Return the text of every position, and the cards that are drawn in them."""
    texts, shown = [], set[Card]()
    for at in positions:
        scene = make_scene(match, at)
        shown |= scene.shown
        texts.append(render_part(request, "position.html", scene=scene))
    return texts, shown
