"""The page of an open tournament: who has entered, what each lacks, and the authors' forms."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import Any

import grpc
from google.protobuf.message import Message
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mazzo.v1 import entry_pb2
from mazzo_server.results.commentary import (
    describe_entry_times,
    describe_request,
    name_open_state,
)
from mazzo_server.serving.web.rendering import is_allowed_to_act, render
from mazzo_server.serving.web.services import Services
from mazzo_server.serving.web.visitors import (
    REFUSALS,
    check_may_act,
    get_services,
    prepare_form,
    read_form,
    read_number,
)

__all__ = ["enter_bot", "list_open_tournaments", "show_open_tournament", "take_bot_out"]


async def list_open_tournaments(services: Services) -> Sequence[entry_pb2.OpenTournament]:
    """Return the open tournaments by number, a page of them."""
    request = entry_pb2.ListOpenTournamentsRequest()
    answer: entry_pb2.ListOpenTournamentsResponse = await services.ask(
        services.entries.ListOpenTournaments, request
    )
    return answer.open_tournaments


async def show_open_tournament(request: Request) -> Response:
    """Show who has entered, and offer the visitor's own bots."""
    return await _render(request)


async def enter_bot(request: Request) -> Response:
    """Enter a bot of the visitor's."""
    stub = get_services(request).entries
    return await _act(request, stub.EnterBot, entry_pb2.EnterBotRequest)


async def take_bot_out(request: Request) -> Response:
    """Take a bot of the visitor's out."""
    stub = get_services(request).entries
    return await _act(request, stub.LeaveBot, entry_pb2.LeaveBotRequest)


async def _act(
    request: Request, method: Callable[..., Awaitable[Any]], make: Callable[..., Message]
) -> Response:
    """Return the page that shows what was done, or why it was not."""
    check_may_act(request)
    form = await read_form(request)
    number = read_number(request.path_params["number"])
    try:
        await get_services(request).ask(method, make(id=number, bot=form.get("bot", "")))
    except grpc.aio.AioRpcError as error:
        if error.code() not in REFUSALS:
            raise
        problem, status = error.details() or "", REFUSALS[error.code()]
        return await _render(request, problem=problem, status=status)
    address = request.url_for("entries", number=number).path
    return RedirectResponse(address, HTTPStatus.SEE_OTHER)


async def _render(request: Request, *, problem: str = "", status: int = HTTPStatus.OK) -> Response:
    number = read_number(request.path_params["number"])
    services = get_services(request)
    answer: entry_pb2.GetOpenTournamentResponse = await services.ask(
        services.entries.GetOpenTournament, entry_pb2.GetOpenTournamentRequest(id=number)
    )
    shown = answer.open_tournament
    has_forms = is_allowed_to_act(request)
    if has_forms:
        prepare_form(request)
    return render(
        request,
        "entries.html",
        status=status,
        problem=problem,
        shown=shown,
        name=shown.tournament.name or shown.tournament.variant,
        game=shown.tournament.variant.partition("/")[0],
        state=name_open_state(shown.state),
        is_over=shown.state == entry_pb2.OPEN_TOURNAMENT_STATE_OVER,
        asked=describe_request(shown.tournament),
        times=describe_entry_times(shown),
        enterable=shown.enterable if has_forms else [],
        removable=[one.bot for one in shown.entries if one.removable] if has_forms else [],
    )
