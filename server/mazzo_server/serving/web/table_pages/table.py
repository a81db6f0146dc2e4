"""The page of a table: who sits there, and for who has a seat the board."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import TypeVar
from urllib.parse import urlencode

import grpc
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mazzo.errors import MazzoError
from mazzo.v1 import replay_pb2, table_pb2
from mazzo_server.model import is_person_name
from mazzo_server.results.commentary import describe_play
from mazzo_server.serving.web.rendering import render
from mazzo_server.serving.web.replay_pages import DecisionAdviser
from mazzo_server.serving.web.services import Services
from mazzo_server.serving.web.site import Site
from mazzo_server.serving.web.table_pages.board import PlayBoard, make_board
from mazzo_server.serving.web.table_pages.seat_keys import keep_key, read_table_id, show_key
from mazzo_server.serving.web.table_pages.seat_players import SeatPlayer, SeatPlayers
from mazzo_server.serving.web.visitors import (
    CSRF,
    get_services,
    get_session,
    prepare_form,
    read_form,
)

__all__ = ["Look", "fetch_look", "join_table", "render_table", "show_table"]

_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What the visitor of a table sees."""

    table: table_pb2.Table
    state: str  # "waiting", "playing", "finished" or "cancelled"
    invitation: str
    has_seat: bool
    player: SeatPlayer | None  # of the visitor, while the match is played
    board: PlayBoard | None  # as it was at the visitor's latest question
    result: str  # once the match is over, for those who may see it
    is_asked: bool  # it is the visitor's turn
    has_hints: bool  # the page shows what a strong player would do
    may_have_hints: bool  # nobody else is at the table but bots

    @property
    def own_seat(self) -> int | None:
        """The visitor's seat; None before it was asked anything."""
        latest = None if self.player is None else self.player.latest
        return None if latest is None else latest.view.seat


async def show_table(request: Request) -> Response:
    """Show the table to people with a seat or an invitation."""
    invitation = request.query_params.get("invitation", "")
    look = await fetch_look(request, invitation)
    prepare_form(request)
    return render_table(request, look, partial(render, request, "table.html"))


async def join_table(request: Request) -> Response:
    """Take a seat at the table, and lead back to it; or say why it is refused."""
    table = read_table_id(request)
    form = await read_form(request)
    services: Services = request.app.state.services
    invitation = form.get("invitation", "")
    wanted = table_pb2.JoinTableRequest(id=table, invitation=invitation, name=form.get("name", ""))
    try:
        joined = await services.ask(services.tables.JoinTable, wanted)
    except grpc.aio.AioRpcError as error:
        if error.code() is not grpc.StatusCode.INVALID_ARGUMENT:
            raise
        look = await fetch_look(request, invitation)
        make = partial(render, request, "table.html", status=HTTPStatus.BAD_REQUEST)
        return render_table(request, look, make, problem=error.details() or "")
    response = RedirectResponse(request.url_for("table", table=table).path, HTTPStatus.SEE_OTHER)
    keep_key(request, response, table, joined.seat_key)
    return response


async def fetch_look(request: Request, invitation: str = "", *, is_shown: bool = True) -> Look:
    """Return what the visitor sees now; raise what the platform answers to strangers.

    Nobody is asked for a hint where it is not shown.
    """
    services, table = show_key(request), read_table_id(request)
    got = await _get_as_seated(services, table) if services.token else None
    has_seat = got is not None
    if got is None:
        wanted = table_pb2.GetTableRequest(id=table, invitation=invitation)
        got = await services.ask(services.tables.GetTable, wanted)
    state = table_pb2.TableState.Name(got.table.state).removeprefix("TABLE_STATE_").lower()
    adviser: DecisionAdviser | None = request.app.state.adviser
    is_alone = sum(map(is_person_name, got.table.players)) == 1
    wants_hints = request.query_params.get("hints", "") == "1"
    player, hint = None, None
    if has_seat and state in ("waiting", "playing"):  # so that nobody loses a seat by looking away
        players: SeatPlayers = request.app.state.seat_players
        player = players.find(services)
    latest = None if player is None else player.latest
    is_asked = is_shown and player is not None and player.question is not None
    if latest is not None and is_asked and adviser is not None and is_alone and wants_hints:
        with suppress(TimeoutError, MazzoError):  # the person decides without it
            hint = await adviser.advise(latest.view)
    if player is not None and player.latest is not latest:
        latest, hint = player.latest, None
    is_asked = player is not None and player.question is not None
    board = (
        None
        if player is None or latest is None
        else make_board(
            latest,
            got.table.players,
            earlier=player.earlier,
            before=player.before,
            chosen=player.chosen,
            is_open=is_asked,
            hint=hint,
        )
    )
    return Look(
        table=got.table,
        state=state,
        invitation=got.invitation,
        has_seat=has_seat,
        player=player,
        board=board,
        result=await _find_result(request, got.table) if state == "finished" else "",
        is_asked=is_asked,
        has_hints=wants_hints,
        may_have_hints=adviser is not None and is_alone and has_seat and state == "playing",
    )


async def _get_as_seated(services: Services, table: str) -> table_pb2.GetTableResponse | None:
    """Return the table if the key that is shown opens a seat there."""
    wanted = table_pb2.GetTableRequest(id=table)
    try:
        got: table_pb2.GetTableResponse = await services.ask(services.tables.GetTable, wanted)
    except grpc.aio.AioRpcError as error:
        if error.code() is not grpc.StatusCode.NOT_FOUND:
            raise
        return None
    return got


async def _find_result(request: Request, table: table_pb2.Table) -> str:
    """Return who scored what, and who forfeited; "" where the visitor may not see matches."""
    wanted = replay_pb2.FindMatchesRequest(tournament=table.tournament)
    try:
        matches, _ = await get_services(request).find_matches(wanted)
    except (grpc.aio.AioRpcError, TimeoutError):
        return ""
    return describe_play(matches[0]) if matches else ""


def render_table(
    request: Request, look: Look, make: Callable[..., _Made], *, problem: str = ""
) -> _Made:
    """Return what is made of the values of the table's templates."""
    table = look.table
    address = request.url_for("table", table=table.id)
    site: Site = request.app.state.site
    if site.is_secure:
        address = address.replace(scheme="https")  # also behind a proxy, which asks by HTTP
    invited = str(address.include_query_params(invitation=look.invitation))
    kept = {} if look.has_seat else {"invitation": look.invitation}
    kept |= {"hints": "1"} if look.has_hints else {}
    return make(
        table=table,
        look=look,
        board=look.board,
        invited=invited,
        query="?" + urlencode(kept) if kept else "",
        form_csrf=get_session(request).get(CSRF, ""),
        problem=problem,
    )
