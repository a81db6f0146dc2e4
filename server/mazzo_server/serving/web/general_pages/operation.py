"""The page for the people who run the server: what runs and waits, and what went wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from mazzo.v1 import operation_pb2, tournament_pb2
from mazzo_server.results.commentary import format_bytes
from mazzo_server.serving.web.rendering import render
from mazzo_server.serving.web.services import Services
from mazzo_server.serving.web.visitors import check_may_act, get_services

__all__ = ["show_operation"]

_LITTLE_ROOM: Final = 0.1  # of a disk, below which it is said
_MOST_SHOWN: Final = 20  # tournaments


@dataclass(frozen=True, slots=True, kw_only=True)
class _Playing:
    """A tournament that is being played."""

    tournament: tournament_pb2.Tournament
    workers: int


async def show_operation(request: Request) -> Response:
    """Show what the server does, if the platform tells it the visitor."""
    check_may_act(request)
    services = get_services(request)
    wanted = operation_pb2.GetStatusRequest(protections="protections" in request.query_params)
    status: operation_pb2.GetStatusResponse = await services.ask(
        services.operation.GetStatus, wanted
    )
    disk = status.disk
    return render(
        request,
        "operation.html",
        now=status,
        playing=await _list_playing(services, status),
        forfeits=[one for one in status.forfeits if one.owner == "platform"],
        others=sum(one.count for one in status.forfeits if one.owner != "platform"),
        memory=format_bytes(status.memory_bytes) if status.memory_bytes else "",
        free=format_bytes(disk.free_bytes),
        total=format_bytes(disk.total_bytes),
        store=format_bytes(disk.store_bytes) if disk.store_bytes else "",
        is_full=disk.free_bytes < _LITTLE_ROOM * disk.total_bytes,
    )


async def _list_playing(
    services: Services, status: operation_pb2.GetStatusResponse
) -> Sequence[_Playing]:
    running = status.tournaments[:_MOST_SHOWN]
    found = await asyncio.gather(*(services.get_tournament(one.id) for one in running))
    return [
        _Playing(tournament=tournament, workers=one.workers)
        for one, tournament in zip(running, found, strict=True)
    ]
