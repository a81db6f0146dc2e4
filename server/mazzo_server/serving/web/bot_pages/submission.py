"""The form by which a visitor submits a version of a bot, as a file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, suppress
from http import HTTPStatus
from typing import Final, TypeAlias

import grpc
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mazzo.v1 import bot_pb2
from mazzo_server.serving.web.rendering import is_allowed_to_act, render
from mazzo_server.serving.web.services import Services
from mazzo_server.serving.web.visitors import (
    REFUSALS,
    check_may_act,
    get_services,
    prepare_form,
    read_archive_form,
    read_to_end,
    redirect_to_login,
)

__all__ = ["show_submission", "submit_archive"]

_CHUNK: Final = 256 * 1024  # bytes
_MIB: Final = 1024 * 1024
_ROOM: Final = "mazzo-upload-bytes"  # metadata with the size that is taken
_ON_FORM: Final = (HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
_PATIENCE: Final = 120.0  # seconds for the platform to check what has arrived

_Call: TypeAlias = "grpc.aio.StreamUnaryCall[bot_pb2.SubmitBotRequest, bot_pb2.SubmitBotResponse]"


async def show_submission(request: Request) -> Response:
    """Show the form."""
    if not is_allowed_to_act(request) and request.app.state.site.has_login:
        return redirect_to_login(request)
    check_may_act(request)
    return _show_form(request)


async def submit_archive(request: Request) -> Response:
    """Pass an archive on to the platform as it arrives, and lead to the page of the new version."""
    try:
        check_may_act(request)
        async with aclosing(read_archive_form(request)) as pieces:
            bot = await _upload(get_services(request), pieces)
    except HTTPException as error:
        await read_to_end(request)
        if error.status_code not in _ON_FORM or not is_allowed_to_act(request):
            raise
        return _show_form(request, problem=error.detail, status=error.status_code)
    except grpc.aio.AioRpcError as error:
        await read_to_end(request)
        if error.code() not in REFUSALS:
            raise
        problem, status = error.details() or "", REFUSALS[error.code()]
        return _show_form(request, problem=problem, status=status)
    page = request.url_for("version", name=bot.name, number=bot.versions[-1].version)
    return RedirectResponse(page.path, HTTPStatus.SEE_OTHER)


async def _upload(services: Services, pieces: AsyncIterator[bytes]) -> bot_pb2.Bot:
    """Send what arrives as soon as the platform has said that it takes it.

    A refusal that came while gRPC writes would be lost: it reports an "Internal error" of its own.
    So nothing is sent that the platform has not said that it takes.
    """
    begin = await anext(pieces)  # before it is there nothing is asked of the platform
    call = services.bots.SubmitBot(metadata=services.metadata)
    try:
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):  # awaiting it tells why
            options = bot_pb2.SubmitOptions(detached=True)
            await call.write(bot_pb2.SubmitBotRequest(options=options))
            taken = dict(tuple(await call.initial_metadata()))
            if taken:  # none comes with a refusal
                left = int(taken.get(_ROOM, 0)) - len(begin)
                await _write(call, begin)
                async for piece in pieces:
                    left -= len(piece)
                    _check_room(left, taken)
                    await _write(call, piece)
                await call.done_writing()
        async with asyncio.timeout(_PATIENCE):
            answer: bot_pb2.SubmitBotResponse = await call
        return answer.bot
    finally:
        call.cancel()  # unless it is over


def _check_room(left: int, taken: Mapping[str, str | bytes]) -> None:
    """Raise `HTTPException` when more has come than the platform has said that it takes."""
    if _ROOM in taken and left < 0:
        raise HTTPException(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"expected an archive of at most {int(taken[_ROOM]) // _MIB} MiB, got more; leave out "
            "what the bot does not need",
        )


async def _write(call: _Call, piece: bytes) -> None:
    for start in range(0, len(piece), _CHUNK):
        await call.write(bot_pb2.SubmitBotRequest(chunk=piece[start : start + _CHUNK]))


def _show_form(request: Request, *, problem: str = "", status: int = HTTPStatus.OK) -> Response:
    prepare_form(request)
    return render(request, "submit.html", status=status, problem=problem)
