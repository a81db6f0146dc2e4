"""The list of tables, and the form that opens one."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode

import grpc
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mazzo.errors import MazzoError
from mazzo.game import Variant
from mazzo.games import GAMES, parse_variant
from mazzo.v1 import table_pb2
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import WholeNumber
from mazzo_server.serving.web.rendering import render
from mazzo_server.serving.web.table_pages.seat_keys import has_key, keep_key
from mazzo_server.serving.web.visitors import REFUSALS, get_services, prepare_form, read_form

__all__ = ["open_table", "show_tables"]

_FIELDS: Final = ("variant", "name", "bots", "people", "match")
_LOG_IN: Final = "log in first, since this server lets nobody else open tables"


async def show_tables(request: Request) -> Response:
    """Show the tables, and the form for the variant that is asked for."""
    return await _show(request, request.query_params)


async def open_table(request: Request) -> Response:
    """Open a table, and lead to it; or say why it is refused."""
    form = await read_form(request)
    services = get_services(request)
    try:
        variant = parse_variant(form.get("variant", ""))
        bots = _share_out(form, variant)
    except MazzoError as error:
        return await _show(request, form, problem=str(error), status=HTTPStatus.BAD_REQUEST)
    wanted = table_pb2.CreateTableRequest(
        variant=variant.text,
        bots=bots,
        name=form.get("name", ""),
        match_format=form.get("match", "").strip(),
    )
    try:
        opened = await services.ask(services.tables.CreateTable, wanted)
    except grpc.aio.AioRpcError as error:
        is_unknown = error.code() is grpc.StatusCode.UNAUTHENTICATED and not services.token
        if is_unknown and request.app.state.site.has_login:
            return await _show(request, form, must_log_in=True, status=HTTPStatus.FORBIDDEN)
        if error.code() not in REFUSALS:
            raise
        status = REFUSALS[error.code()]
        return await _show(request, form, problem=error.details() or "", status=status)
    table = opened.table.id
    address = request.url_for("table", table=table).path
    response = RedirectResponse(address, HTTPStatus.SEE_OTHER)
    keep_key(request, response, table, opened.seat_key)
    return response


def _share_out(form: Mapping[str, str], variant: Variant) -> list[str]:
    """Return the bots in the seats that are not for people: those that were chosen, by turns.

    Raises `InvalidInputError` where people and bots do not fill the table.
    """
    people = WholeNumber(1, variant.players).parse(form.get("people", "1").strip())
    seats = variant.players - people
    chosen = form.get("bots", "").replace(",", " ").split()
    if len(chosen) > seats or (seats and not chosen):
        raise InvalidInputError(
            f"bots: expected {'1 to ' if seats > 1 else ''}{seats} at a table of {variant} with "
            f"{people} of the seats for people, got {len(chosen)}"
        )
    counts = Counter(chosen[seat % len(chosen)] for seat in range(seats))
    return [name if count == 1 else f"{name}*{count}" for name, count in counts.items()]


async def _show(
    request: Request,
    form: Mapping[str, str],
    *,
    problem: str = "",
    must_log_in: bool = False,
    status: int = HTTPStatus.OK,
) -> Response:
    services = get_services(request)
    listed, bots = await asyncio.gather(
        services.ask(services.tables.ListTables, table_pb2.ListTablesRequest()),
        request.app.state.known_bots.list_playing(services),
    )
    prepare_form(request)
    typed = {name: form[name] for name in _FIELDS if form.get(name)}
    return render(
        request,
        "tables.html",
        status=status,
        tables=[(table, has_key(request, table.id)) for table in listed.tables],
        variants=[
            parse_variant(f"{game.id}/{players}" if len(game.players) > 1 else game.id).text
            for game in GAMES.values()
            for players in game.players
        ],
        bots=bots,
        form=form,
        # What was typed is there again after the log-in.
        typed="?" + urlencode(typed) if typed else "",
        problem=_LOG_IN if must_log_in else problem,
        must_log_in=must_log_in,
    )
