"""What owners do with their bots by forms: choose a version, retire, try again, join a ladder."""

from __future__ import annotations

from collections.abc import Awaitable
from http import HTTPStatus

import grpc
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mazzo.v1 import bot_pb2, ladder_pb2
from mazzo_server.serving.web.bot_pages.bot import render_bot
from mazzo_server.serving.web.visitors import (
    REFUSALS,
    check_may_act,
    get_services,
    read_form,
    read_number,
)

__all__ = [
    "activate_version",
    "drop_from_ladder",
    "join_ladder",
    "play_trial_again",
    "retire_bot",
]


async def activate_version(request: Request) -> Response:
    """Choose the version that enters tournaments; 0: the newest one that is qualified."""
    check_may_act(request)
    form = await read_form(request)
    number = read_number(form.get("version", ""), problem="expected the number of a version")
    services = get_services(request)
    name = request.path_params["name"]
    wanted = bot_pb2.ActivateVersionRequest(name=name, version=number)
    return await _act(request, services.ask(services.bots.ActivateVersion, wanted))


async def retire_bot(request: Request) -> Response:
    """Take a bot out of future tournaments."""
    check_may_act(request)
    await read_form(request)
    services = get_services(request)
    wanted = bot_pb2.RetireBotRequest(name=request.path_params["name"])
    return await _act(request, services.ask(services.bots.RetireBot, wanted))


async def play_trial_again(request: Request) -> Response:
    """Play the trial of a version once more, and lead to its page."""
    check_may_act(request)
    await read_form(request)
    number = read_number(request.path_params["number"])
    services = get_services(request)
    wanted = bot_pb2.PlayTrialRequest(
        name=request.path_params["name"],
        version=number,
        options=bot_pb2.SubmitOptions(detached=True),
    )
    return await _act(request, services.ask(services.bots.PlayTrial, wanted), version=number)


async def join_ladder(request: Request) -> Response:
    """Let a bot join the ladder of a variant."""
    variant, services = await _read_variant(request), get_services(request)
    wanted = ladder_pb2.JoinLadderRequest(variant=variant, bot=request.path_params["name"])
    return await _act(request, services.ask(services.ladders.JoinLadder, wanted))


async def drop_from_ladder(request: Request) -> Response:
    """Let a bot leave the ladder of a variant."""
    variant, services = await _read_variant(request), get_services(request)
    wanted = ladder_pb2.LeaveLadderRequest(variant=variant, bot=request.path_params["name"])
    return await _act(request, services.ask(services.ladders.LeaveLadder, wanted))


async def _read_variant(request: Request) -> str:
    """Return the variant of a form, from a visitor who may act."""
    check_may_act(request)
    return (await read_form(request)).get("variant", "")


async def _act(request: Request, act: Awaitable[object], *, version: int = 0) -> Response:
    """Return the page that shows what was done, or why it was not."""
    name = request.path_params["name"]
    try:
        await act
    except grpc.aio.AioRpcError as error:
        if error.code() not in REFUSALS:
            raise
        problem, status = error.details() or "", REFUSALS[error.code()]
        return await render_bot(request, name, problem=problem, status=status)
    if version:
        address = request.url_for("version", name=name, number=version).path
    else:
        address = f"{request.url_for('bot', name=name).path}#owner"
    return RedirectResponse(address, HTTPStatus.SEE_OTHER)
