"""The list of challenges, and the forms that ask for one and cancel one."""

from __future__ import annotations

from http import HTTPStatus

import grpc
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mazzo.v1 import challenge_pb2
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import CHALLENGE_GROUPS, split_version
from mazzo_server.results.commentary import describe_quota
from mazzo_server.serving.web.bot_pages.bot import render_bot
from mazzo_server.serving.web.rendering import is_allowed_to_act, render
from mazzo_server.serving.web.visitors import (
    REFUSALS,
    check_may_act,
    get_services,
    prepare_form,
    read_form,
    read_number,
)

__all__ = ["give_up_challenge", "send_challenge", "show_challenges"]

_PAGE = 25  # challenges


async def show_challenges(request: Request) -> Response:
    """Show the queue, and what became of the others."""
    return await _show(request, place=request.query_params.get("from", ""))


async def send_challenge(request: Request) -> Response:
    """Put a challenge of the bot of the page into the queue, and lead to the list."""
    check_may_act(request)
    form = await read_form(request)
    name = request.path_params["name"]
    field = "your bot"
    try:
        bot, version = split_version(form.get("bot", "").strip())
        field = "mirror groups"
        groups = CHALLENGE_GROUPS.parse(form.get("groups", "").strip() or "50")
    except InvalidInputError as error:
        problem, status = f"{field}: {error}", HTTPStatus.BAD_REQUEST
        return await render_bot(request, name, form=form, problem=problem, status=status)
    opponent_version = form.get("version", "")
    wanted = challenge_pb2.CreateChallengeRequest(
        bot=bot,
        version=version,
        opponent=name,
        opponent_version=read_number(opponent_version) if opponent_version else 0,
        variant=form.get("variant", ""),
        groups=groups,
    )
    services = get_services(request)
    try:
        await services.ask(services.challenges.CreateChallenge, wanted)
    except grpc.aio.AioRpcError as error:
        if error.code() not in REFUSALS:
            raise
        problem, status = error.details() or "", REFUSALS[error.code()]
        return await render_bot(request, name, form=form, problem=problem, status=status)
    return RedirectResponse(request.url_for("challenges").path, HTTPStatus.SEE_OTHER)


async def give_up_challenge(request: Request) -> Response:
    """Cancel a challenge, and show the list again."""
    check_may_act(request)
    await read_form(request)
    services = get_services(request)
    wanted = challenge_pb2.CancelChallengeRequest(id=read_number(request.path_params["number"]))
    try:
        await services.ask(services.challenges.CancelChallenge, wanted)
    except grpc.aio.AioRpcError as error:
        if error.code() not in REFUSALS:
            raise
        problem, status = error.details() or "", REFUSALS[error.code()]
        return await _show(request, problem=problem, status=status)
    return RedirectResponse(request.url_for("challenges").path, HTTPStatus.SEE_OTHER)


async def _show(
    request: Request, *, place: str = "", problem: str = "", status: int = HTTPStatus.OK
) -> Response:
    services = get_services(request)
    wanted = challenge_pb2.ListChallengesRequest(page_size=_PAGE, page_token=place, results=True)
    listed = await services.ask(services.challenges.ListChallenges, wanted)
    if is_allowed_to_act(request):
        prepare_form(request)
    return render(
        request,
        "challenges.html",
        status=status,
        problem=problem,
        challenges=listed.challenges,
        following=listed.next_page_token,
        place=place,
        quota=describe_quota(listed) if listed.HasField("asked_today") else "",
    )
