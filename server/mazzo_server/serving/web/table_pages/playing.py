"""What a person does at a table: chooses, leaves, and sees the table change."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from functools import partial
from http import HTTPStatus
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mazzo.v1 import table_pb2
from mazzo_server.serving.web.rendering import render_part
from mazzo_server.serving.web.table_pages.seat_keys import forget_key, read_table_id, show_key
from mazzo_server.serving.web.table_pages.table import Look, fetch_look, render_table
from mazzo_server.serving.web.visitors import read_form, read_number, send_parts

__all__ = ["give_up_seat", "stream_table", "take_choice"]

_LOOK: Final = 1.0  # seconds between two looks at a table that waits, when it has just changed
_SLOWEST: Final = 8.0  # the same when it has not changed for long
_BEAT: Final = 15.0  # seconds after which a silent connection is tried
_CLOCK: Final = re.compile(r'<span class="clock".*?</span>')  # counts by itself
_MOST_EVENTS: Final = 100_000


async def take_choice(request: Request) -> Response:
    """Take what the visitor chose, and lead back to the table, where the next question waits."""
    form = await read_form(request)
    look = await fetch_look(request, is_shown=False)
    number, action = (
        read_number(form.get(name, ""), problem="expected the number of a choice")
        for name in ("number", "action")
    )
    if look.player is not None:
        await look.player.choose(number, action)  # what is too late changes nothing
    address = request.url_for("table", table=read_table_id(request)).path
    query = "?hints=1" if look.has_hints else ""
    return RedirectResponse(address + query, HTTPStatus.SEE_OTHER)


async def give_up_seat(request: Request) -> Response:
    """Leave the table; during play that forfeits the match."""
    await read_form(request)
    look = await fetch_look(request, is_shown=False)
    table = read_table_id(request)
    if look.player is not None and look.state == "playing":
        await look.player.leave()
        return RedirectResponse(request.url_for("table", table=table).path, HTTPStatus.SEE_OTHER)
    if look.has_seat and look.state == "waiting":
        services = show_key(request)
        await services.ask(services.tables.LeaveTable, table_pb2.LeaveTableRequest())
    response = RedirectResponse(request.url_for("tables").path, HTTPStatus.SEE_OTHER)
    forget_key(request, response, table)
    return response


async def stream_table(request: Request) -> Response:
    """Send the table whenever it changes for the visitor, until the match is over."""
    look = await fetch_look(request, request.query_params.get("invitation", ""))
    return send_parts(_follow(request, look), ignored=_CLOCK)


async def _follow(request: Request, look: Look) -> AsyncGenerator[str, None]:
    make = partial(render_part, request, "seat.html")
    invitation, last = request.query_params.get("invitation", ""), ""
    pause = _LOOK
    for _ in range(_MOST_EVENTS):
        count = look.player.count if look.player is not None else 0
        text = render_table(request, look, make)
        if look.state in ("finished", "cancelled"):
            return
        yield text
        told = _CLOCK.sub("", text)
        pause = _LOOK if told != last else min(pause * 1.5, _SLOWEST)
        last = told
        if look.player is None or look.player.is_over:
            await asyncio.sleep(pause)
        else:  # the player tells when the match begins, and each turn
            await look.player.wait(count, pause if look.state == "waiting" else _BEAT)
        look = await fetch_look(request, invitation)
