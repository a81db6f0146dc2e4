"""Follows tournaments for those who look at their pages: one stream of the platform for all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import grpc

from mazzo.v1 import tournament_pb2
from mazzo_server.serving.web.rendering import OVER, render_event
from mazzo_server.serving.web.services import Services

__all__ = ["LiveTournaments"]

_REFUSED: Final = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED)

Render = Callable[[tournament_pb2.Tournament], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pauses:
    """Seconds between two events, two looks without a stream, and two signs of life."""

    event: float
    look: float
    beat: float


class LiveTournaments:
    """Follows each tournament that somebody watches, and no other."""

    def __init__(self, *, pause: float = 1.5, look: float = 5.0, beat: float = 15.0) -> None:
        """Send an event after so many seconds at the earliest.

        Look after a tournament that another process plays every `look` seconds, and try silent
        connections every `beat` seconds.
        """
        self._pauses = _Pauses(event=pause, look=look, beat=beat)
        self._followed: dict[tuple[str, int], _Followed] = {}

    async def watch(
        self, services: Services, number: int, render: Render, *, after: str | None
    ) -> AsyncGenerator[str, None]:
        """Yield the standing as an event whenever it changes, and `OVER` when nobody plays on.

        Each has its number as its id; who has got the newest one (`after`) waits for the next.
        What is rendered is for all who have the same rights. Ends without `OVER` where these are
        taken away.
        """
        key = services.token, number
        followed = self._followed.get(key)
        if followed is None or followed.is_closed:
            followed = self._followed[key] = _Followed(services, number, render, self._pauses)
        followed.watchers += 1
        try:
            async for event in followed.list_events(after):
                yield event
        finally:
            followed.watchers -= 1
            if not followed.watchers:
                followed.close()
                if self._followed.get(key) is followed:
                    del self._followed[key]


class _Followed:
    """A tournament that is followed while it has watchers."""

    def __init__(self, services: Services, number: int, render: Render, pauses: _Pauses) -> None:
        self.watchers = 0
        self.is_closed = False  # nothing more comes
        self._services = services
        self._number = number
        self._render = render
        self._pauses = pauses
        self._has_changed = asyncio.Event()
        self._condition = asyncio.Condition()  # of what follows
        self._count = 0
        self._event = ""  # the newest one
        self._reading = asyncio.create_task(self._read(), name=f"watch tournament {number}")
        self._sending = asyncio.create_task(self._send(), name=f"show tournament {number}")

    def close(self) -> None:
        """Follow it no longer."""
        self._reading.cancel()
        self._sending.cancel()

    async def list_events(self, after: str | None) -> AsyncIterator[str]:
        """Yield every event from now on, or the newest of those that were missed."""
        seen = after
        while True:
            try:
                async with asyncio.timeout(self._pauses.beat), self._condition:
                    await self._condition.wait_for(partial(self._is_worth_a_look, seen))
            except TimeoutError:
                yield ": still here\n\n"
                continue
            if self._has_news(seen):
                seen = str(self._count)
                yield self._event
            if self.is_closed:
                if self._is_over():
                    yield OVER
                return

    def _is_worth_a_look(self, seen: str | None) -> bool:
        return self.is_closed or self._has_news(seen)

    def _has_news(self, seen: str | None) -> bool:
        return bool(self._event) and seen != str(self._count)

    def _is_over(self) -> bool:
        reading = self._reading
        return reading.done() and not reading.cancelled() and reading.result()

    async def _read(self) -> bool:
        """Note changes while it is played; return whether it is over, or else out of sight."""
        is_over: bool | None = None
        while is_over is None:
            try:
                async for _ in self._services.watch_tournament(self._number):
                    self._has_changed.set()
            except grpc.aio.AioRpcError:
                pass  # another process plays it, or the platform is away: look now and then
            is_over = await self._find_end()
            self._has_changed.set()
            if is_over is None:
                await asyncio.sleep(self._pauses.look)
        return is_over

    async def _find_end(self) -> bool | None:
        """Return None while it is played, True when it is over, False where it may not be seen."""
        try:
            tournament = await self._services.get_tournament(self._number)
        except TimeoutError:
            return None
        except grpc.aio.AioRpcError as error:
            return False if error.code() in _REFUSED else None
        return True if tournament.state != tournament_pb2.TOURNAMENT_STATE_RUNNING else None

    async def _send(self) -> None:
        try:
            is_last = False
            while not is_last:
                await self._has_changed.wait()
                self._has_changed.clear()
                is_last = self._reading.done()
                await self._make_event()
                await asyncio.sleep(0 if is_last else self._pauses.event)
        finally:
            self.is_closed = True
            async with self._condition:
                self._condition.notify_all()

    async def _make_event(self) -> None:
        try:
            tournament = await self._services.get_tournament(self._number)
        except (grpc.aio.AioRpcError, TimeoutError):
            return  # the next one will do
        self._count += 1
        self._event = render_event(self._count, self._render(tournament))
        async with self._condition:
            self._condition.notify_all()
