"""The page of what went wrong with a bot, for its owner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from mazzo.v1 import bot_pb2
from mazzo_server.results.commentary import clean, describe_life, describe_occasion
from mazzo_server.serving.web.rendering import render
from mazzo_server.serving.web.visitors import check_may_act, get_services

__all__ = ["show_bot_logs"]

_PAGE: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """One log in words."""

    occasion: str
    life: str  # when the instance lived; "" where that is not known
    log: bot_pb2.BotLog
    lines: list[str]  # that the bot wrote
    is_forfeit: bool
    is_trial: bool


async def show_bot_logs(request: Request) -> Response:
    """Show forfeits, withdrawals and failed trials with what the bot wrote."""
    check_may_act(request)
    name, place = request.path_params["name"], request.query_params.get("from", "")
    services = get_services(request)
    wanted = bot_pb2.ListBotLogsRequest(name=name, page_size=_PAGE, page_token=place)
    answer: bot_pb2.ListBotLogsResponse = await services.ask(services.bots.ListBotLogs, wanted)
    return render(
        request,
        "logs.html",
        name=name,
        place=place,
        following=answer.next_page_token,
        logs=[
            _Told(
                occasion=describe_occasion(log),
                life=describe_life(log) if log.HasField("begin_time") else "",
                log=log,
                lines=clean(log.log, lines=True).splitlines(),
                is_forfeit=log.kind == bot_pb2.BOT_LOG_KIND_FORFEIT,
                is_trial=log.kind == bot_pb2.BOT_LOG_KIND_TRIAL,
            )
            for log in answer.logs
        ],
    )
