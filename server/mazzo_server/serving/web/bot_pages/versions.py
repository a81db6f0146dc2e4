"""The page of one version of a bot, with what its trial has found; it follows the trial."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from mazzo.v1 import bot_pb2
from mazzo_server.results.commentary import (
    clean,
    clear_reasons,
    describe_start,
    describe_trial_needs,
    list_findings,
)
from mazzo_server.serving.web.bot_pages.live_trials import LiveTrials
from mazzo_server.serving.web.rendering import is_allowed_to_act, render, render_part
from mazzo_server.serving.web.services import Services
from mazzo_server.serving.web.visitors import get_services, prepare_form, read_number, send_parts

__all__ = ["show_version", "stream_trial"]


_Made = TypeVar("_Made")


async def show_version(request: Request) -> Response:
    """Show a version of a bot: what it is, and what its trial has found or does now."""
    shown, version = await _find_version(request, get_services(request))
    is_own = shown.own and is_allowed_to_act(request)
    if is_own:
        prepare_form(request)
    return _render_trial(
        partial(render, request, "version.html"), shown.bot, version, is_own=is_own
    )


async def stream_trial(request: Request) -> Response:
    """Send what a trial does as server-sent events, until it is over."""
    services = get_services(request)
    make = partial(render_part, request, "trial.html")

    async def look() -> str:
        shown, version = await _find_version(request, services)
        if not version.trial_progress:
            return ""
        return _render_trial(make, shown.bot, version, is_own=False)

    # This also checks that it may be seen.
    shown, version = await _find_version(request, services)
    trials: LiveTrials = request.app.state.live_trials
    return send_parts(trials.watch(services.token, shown.bot.name, version.version, look))


async def _find_version(
    request: Request, services: Services
) -> tuple[bot_pb2.GetBotResponse, bot_pb2.BotVersion]:
    number = read_number(request.path_params["number"])
    shown = await services.get_bot(request.path_params["name"])
    for version in shown.bot.versions:
        if version.version == number:
            return shown, version
    raise HTTPException(
        HTTPStatus.NOT_FOUND, f"bot {shown.bot.name} has {len(shown.bot.versions)} versions"
    )


def _render_trial(
    make: Callable[..., _Made], bot: bot_pb2.Bot, version: bot_pb2.BotVersion, *, is_own: bool
) -> _Made:
    """Return what is made of a version with the values of its templates."""
    trial = version.trial
    if not is_own:  # the platform may have told these pages more than the visitor may see
        trial = clear_reasons(trial)
    return make(
        bot=bot,
        version=version,
        is_own=is_own,
        findings=list_findings(trial),
        start=describe_start(trial),
        needs=describe_trial_needs(trial) if trial.passed else "",
        log=clean(trial.log, lines=True).splitlines(),
    )
