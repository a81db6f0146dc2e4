"""The page on which organisers audit a tournament: asked for by a button, as it takes a while."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Final

import grpc
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mazzo.v1 import auth_pb2, standings_pb2, tournament_pb2
from mazzo_server.clock import monotonic
from mazzo_server.results.commentary import AUDIT_COLUMNS
from mazzo_server.serving.presenting import (
    describe_audit,
    format_excess,
    list_found_pairs,
    list_shown_pairs,
)
from mazzo_server.serving.web.rendering import render
from mazzo_server.serving.web.services import Services
from mazzo_server.serving.web.visitors import (
    check_may_act,
    get_services,
    prepare_form,
    read_form,
    read_number,
    send_parts,
)

__all__ = ["Audits", "begin_audit", "show_audit", "stream_audit"]

_PATIENCE: Final = 900.0  # seconds; the platform gives one up earlier, and makes one at a time
_MOST_KEPT: Final = 20  # tournaments
_MOST_WAITING: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """An audit that somebody asked for."""

    begin: float  # on the monotonic clock
    task: asyncio.Task[standings_pb2.GetAuditResponse]

    @property
    def answer(self) -> standings_pb2.GetAuditResponse | None:
        """What was found; None: there is none, or not yet."""
        task = self.task
        return task.result() if task.done() and not self.problem else None

    @property
    def problem(self) -> str:
        """Why there is no answer; "": there is one, or will be."""
        if not self.task.done():
            return ""
        if self.task.cancelled():
            return "the server has stopped it"
        error = self.task.exception()
        if isinstance(error, grpc.aio.AioRpcError):
            return error.details() or "the platform does not answer"
        return "" if error is None else "the platform does not answer in time"


class Audits:
    """Keeps the last audit of each tournament that one was asked for, and those under way.

    It looks after no rights: who shows an answer checks them.
    """

    def __init__(self, *, pause: float = 1.0) -> None:
        """Tell those who wait of progress after so many seconds each time."""
        self._pause = pause
        self._asked: dict[int, _Asked] = {}  # by tournament, the oldest first

    def begin(self, services: Services, number: int) -> None:
        """Ask for an audit, unless one is under way; raise `HTTPException` where many are."""
        asked = self._asked.get(number)
        if asked is not None and not asked.task.done():
            return
        if sum(not one.task.done() for one in self._asked.values()) >= _MOST_WAITING:
            raise HTTPException(
                HTTPStatus.TOO_MANY_REQUESTS, "Other audits are under way: try again in a minute."
            )
        patient = replace(services, patience=_PATIENCE)
        request = standings_pb2.GetAuditRequest(id=number)
        task = asyncio.create_task(_fetch(patient, request), name=f"audit {number}")
        task.add_done_callback(_take_error)
        self._asked.pop(number, None)
        self._asked[number] = _Asked(begin=monotonic(), task=task)
        over = [one for one, other in self._asked.items() if other.task.done()]
        for one in over[: max(0, len(self._asked) - _MOST_KEPT)]:
            del self._asked[one]

    def find(self, number: int) -> _Asked | None:
        """Return what was last asked for of a tournament."""
        return self._asked.get(number)

    async def watch(self, number: int) -> AsyncGenerator[str, None]:
        """Yield how far an audit is, until it is over."""
        while (asked := self._asked.get(number)) is not None and not asked.task.done():
            yield _describe_wait(monotonic() - asked.begin)
            await asyncio.wait([asked.task], timeout=self._pause)


async def _fetch(
    services: Services, request: standings_pb2.GetAuditRequest
) -> standings_pb2.GetAuditResponse:
    answer: standings_pb2.GetAuditResponse = await services.ask(
        services.standings.GetAudit, request
    )
    return answer


def _take_error(task: asyncio.Task[standings_pb2.GetAuditResponse]) -> None:
    """Take note of an error that perhaps nobody comes to see."""
    if not task.cancelled():
        task.exception()


def _describe_wait(seconds: float) -> str:
    """Say that an audit is under way, as text of a page."""
    return (
        f"It is being computed, since {seconds:.0f} s. That takes some seconds, and a minute or "
        "two for forty entrants. The page shows it as soon as it is there."
    )


async def show_audit(request: Request) -> Response:
    """Show the last audit of a tournament, or that it is under way, or how to ask for it."""
    tournament = await _find_tournament(request)
    audits: Audits = request.app.state.audits
    asked = audits.find(tournament.id)
    answer = None if asked is None else asked.answer
    is_under_way = asked is not None and not asked.task.done()
    prepare_form(request)
    is_whole = "all" in request.query_params
    return render(
        request,
        "audit.html",
        tournament=tournament,
        problem="" if asked is None else asked.problem,
        progress=_describe_wait(monotonic() - asked.begin) if asked and is_under_way else "",
        audit=answer,
        words=None if answer is None else describe_audit(answer),
        found=[] if answer is None else list_found_pairs(answer),
        pairs=[] if answer is None else answer.pairs if is_whole else list_shown_pairs(answer),
        has_joint=any(pair.HasField("joint") for pair in answer.pairs) if answer else False,
        columns=AUDIT_COLUMNS,
        points=format_excess,
    )


async def begin_audit(request: Request) -> Response:
    """Have a tournament audited, and lead to the page that shows it."""
    check_may_act(request)
    await read_form(request)
    tournament = await _find_tournament(request)
    audits: Audits = request.app.state.audits
    audits.begin(get_services(request), tournament.id)
    address = request.url_for("audit", number=tournament.id).path
    return RedirectResponse(address, HTTPStatus.SEE_OTHER)


async def stream_audit(request: Request) -> Response:
    """Send how far an audit is as server-sent events."""
    tournament = await _find_tournament(request)
    audits: Audits = request.app.state.audits
    return send_parts(audits.watch(tournament.id))


async def _find_tournament(request: Request) -> tournament_pb2.Tournament:
    """Return the tournament of a page; raise `HTTPException` for all but organisers.

    The platform is asked each time: the audit that is kept was told to another one.
    """
    check_may_act(request)
    number = read_number(request.path_params["number"])
    services = get_services(request)
    if (await services.get_caller()).role != auth_pb2.TOKEN_ROLE_ORGANISER:
        raise HTTPException(HTTPStatus.FORBIDDEN, "An audit is for an organiser.")
    return await services.get_tournament(number)
