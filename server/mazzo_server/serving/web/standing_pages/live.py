"""Follows tournaments for those who look at their pages: one stream of the platform for all."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import suppress
from functools import partial
from typing import Final

import grpc

from mazzo.v1 import tournament_pb2
from mazzo_server.serving.web.services import Services

__all__ = ["LiveTournaments"]

_PAUSE: Final = 1.5  # seconds between two events
_BEAT: Final = 15.0  # seconds of silence after which a connection is tried
_log = logging.getLogger(__name__)

Render = Callable[[tournament_pb2.Tournament], str]


class LiveTournaments:
    """Follows each tournament that somebody watches, and no other."""

    def __init__(self) -> None:
        self._followed: dict[int, _Followed] = {}

    async def watch(
        self, services: Services, number: int, render: Render, *, after: str | None
    ) -> AsyncGenerator[str, None]:
        """Yield events until the tournament is over or stopped: its standing, whenever it changes.

        Each has the number of the event as its id; who has got the newest one (`after`) waits for
        the next. Everybody gets the same, which one of the watchers has asked for.
        """
        followed = self._followed.get(number)
        if followed is None:
            followed = self._followed[number] = _Followed(services, number, render)
        followed.watchers += 1
        try:
            async for event in followed.list_events(after):
                yield event
        finally:
            followed.watchers -= 1
            if not followed.watchers and self._followed.get(number) is followed:
                del self._followed[number]
                followed.close()


class _Followed:
    """A tournament that is followed while it has watchers."""

    def __init__(self, services: Services, number: int, render: Render) -> None:
        self.watchers = 0
        self._services = services
        self._number = number
        self._render = render
        self._changed = asyncio.Event()
        self._told = asyncio.Condition()
        self._count = 0
        self._event = ""  # the newest one
        self._is_over = False
        self._tasks = [
            asyncio.create_task(self._read(), name=f"watch tournament {number}"),
            asyncio.create_task(self._tell(), name=f"tell of tournament {number}"),
        ]

    def close(self) -> None:
        """Follow it no longer."""
        for task in self._tasks:
            task.cancel()

    async def list_events(self, after: str | None) -> AsyncIterator[str]:
        """Yield every event from now on, or the newest of those that were missed."""
        seen = after
        while True:
            try:
                async with asyncio.timeout(_BEAT), self._told:
                    await self._told.wait_for(partial(self._is_worth_a_look, seen))
            except TimeoutError:
                yield ": still here\n\n"
                continue
            if self._has_news(seen):
                seen = str(self._count)
                yield self._event
            if self._is_over:
                yield "event: over\ndata: \n\n"
                return

    def _is_worth_a_look(self, seen: str | None) -> bool:
        return self._is_over or self._has_news(seen)

    def _has_news(self, seen: str | None) -> bool:
        return bool(self._event) and seen != str(self._count)

    async def _read(self) -> None:
        try:
            async for _ in self._services.watch_tournament(self._number):
                self._changed.set()
        except grpc.aio.AioRpcError as error:
            _log.warning("tournament %d is no longer watched: %s", self._number, error.details())
        self._is_over = True
        self._changed.set()

    async def _tell(self) -> None:
        try:
            is_last = False
            while not is_last:
                await self._changed.wait()
                self._changed.clear()
                is_last = self._is_over
                await self._make_event()
                await asyncio.sleep(0 if is_last else _PAUSE)
        finally:
            self._is_over = True
            async with self._told:
                self._told.notify_all()

    async def _make_event(self) -> None:
        with suppress(grpc.aio.AioRpcError, TimeoutError):  # the next one will do
            tournament = await self._services.get_tournament(self._number)
            lines = "".join(f"data: {line}\n" for line in self._render(tournament).splitlines())
            self._count += 1
            self._event = f"id: {self._count}\nevent: standing\n{lines}\n"
        async with self._told:
            self._told.notify_all()
