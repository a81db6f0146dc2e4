"""The hooks of one store: added, listed, tested and removed by its organisers."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from mazzo_server.clock import monotonic, wall_clock
from mazzo_server.errors import ConflictError, InvalidInputError
from mazzo_server.logs import LogAction
from mazzo_server.model import ReadableText
from mazzo_server.serving.hooks.addresses import HookAddress, find_addresses, read_place
from mazzo_server.serving.hooks.deliverer import post_event
from mazzo_server.serving.hooks.posting import DeliveryError, Poster
from mazzo_server.serving.hooks.signing import draw_secret
from mazzo_server.storage import (
    Announcement,
    DeliveryRow,
    HookFormat,
    HookRow,
    HookTest,
    Store,
    list_event_kinds,
)

__all__ = ["HookAnswer", "Hooks"]

_LOG = logging.getLogger(__name__)

_LABEL: Final = ReadableText(100)
_MOST_HOOKS: Final = 32
_ID_BYTES: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class HookAnswer:
    """The result of a test."""

    status: int  # that the receiver answered; 0: it did not arrive
    error: str  # why it did not arrive; "": it did
    seconds: float


class Hooks:
    """Adds, lists, tests and removes hooks. Nothing is kept in memory."""

    def __init__(
        self,
        store: Store,
        poster: Poster,
        *,
        clock: Callable[[], float] = wall_clock,
        most_hooks: int = _MOST_HOOKS,
    ) -> None:
        self._store = store
        self._poster = poster
        self._clock = clock
        self._most_hooks = most_hooks

    async def add(
        self, url: str, *, events: Sequence[str], format: HookFormat, label: str
    ) -> HookRow:
        """Add a hook for events of these kinds, or (none) of every kind; return it with its secret.

        Raises `InvalidInputError` for what cannot be used, and for an address that leads to where
        it may not; `ConflictError` where another one posts some of these events there already, and
        where there are too many hooks.
        """
        address = HookAddress.parse(url, private=self._poster.private)
        known = list_event_kinds()
        kinds = tuple(kind for kind in known if kind in events or not events)
        unknown = [kind for kind in events if kind not in known]
        if unknown:
            raise InvalidInputError(f"events: expected {', '.join(known)}, got {unknown[0]!r}")
        try:
            _LABEL.check(label)
        except InvalidInputError as error:
            raise InvalidInputError(f"label: {error}") from error
        with suppress(OSError, UnicodeError, TimeoutError):  # whether it answers is for a test
            async with asyncio.timeout(self._poster.connect_seconds):
                await find_addresses(
                    address.host,
                    address.port,
                    private=self._poster.private,
                    look_up=self._poster.look_up,
                )
        others = await self.list_hooks()
        if len(others) >= self._most_hooks:
            raise ConflictError(f"there are {self._most_hooks} hooks already: remove one first")
        for other in others:
            is_alike = (other.url, other.format) == (url, format)
            if is_alike and not set(kinds).isdisjoint(other.events):
                raise ConflictError(
                    f"the hook {other.id} posts some of these events to this address already: "
                    f"remove it with `mazzo hooks remove {other.id}`, or name other events"
                )
        hook = HookRow(
            id=secrets.token_hex(_ID_BYTES),
            url=url,
            events=kinds,
            format=format,
            secret=draw_secret(),
            label=label,
            create_time=self._clock(),
        )
        await asyncio.to_thread(self._store.add_hook, hook)
        _log(LogAction.HOOK_ADDED, hook, "is added")
        return hook

    async def list_hooks(self) -> list[HookRow]:
        """Return all hooks, the oldest first."""
        return await asyncio.to_thread(self._store.hooks)

    async def get(self, hook_id: str) -> HookRow:
        """Return a hook; raise `NotFoundError` if there is none of that id."""
        return await asyncio.to_thread(self._store.hook, hook_id)

    async def remove(self, hook_id: str) -> HookRow:
        """Remove a hook, with what waits for it, and return it."""
        hook = await self.get(hook_id)
        await asyncio.to_thread(self._store.delete_hook, hook_id)
        _log(LogAction.HOOK_REMOVED, hook, "is removed")
        return hook

    async def test(self, hook_id: str) -> HookAnswer:
        """Send a test now, beside what waits.

        If it arrives, the hook is not disabled any more, and the server tries at once what waits.
        """
        delivery = DeliveryRow(
            hook=await self.get(hook_id),
            number=0,
            announcement=Announcement.of(HookTest(), time=self._clock()),
            attempts=0,
            first_time=None,
            due_time=0.0,
        )
        begin = monotonic()
        try:
            status = await post_event(self._poster, delivery, time=self._clock())
        except DeliveryError as error:
            return HookAnswer(status=0, error=str(error), seconds=monotonic() - begin)
        seconds = monotonic() - begin
        await asyncio.to_thread(self._store.finish_delivery, hook_id, 0, time=self._clock())
        return HookAnswer(status=status, error="", seconds=seconds)


def _log(action: LogAction, hook: HookRow, what: str) -> None:
    place = read_place(hook.url)
    _LOG.info(
        "the hook %s, to %s, %s",
        *(hook.id, place, what),
        extra={"action": action, "hook": hook.id, "place": place},
    )
