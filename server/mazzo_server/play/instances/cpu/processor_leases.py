"""Shares the processors of a host with its other platforms: servers, workers, commands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

from mazzo_server.clock import monotonic
from mazzo_server.errors import IsolationError
from mazzo_server.play.instances.cpu.cores import Cores
from mazzo_server.sandbox import LockTable
from mazzo_server.settings import list_usable_processors

__all__ = ["HostCores", "ProcessorLeases"]

_POLL: Final = 0.005  # seconds after which one who waits looks again
_LOOK: Final = 0.01  # seconds between two looks at whether others wait
_PAUSE: Final = 3 * _POLL  # in which those who wait find what was left to them
_SLICE: Final = 0.1  # seconds for which one keeps what others who wait have not
_WAITING: Final = 1 << 16  # the byte of those who wait and have none; then of those who have one, …


class HostCores:
    """The cores of this host for one platform, which shares them with the host's others."""

    def __init__(self) -> None:
        self._found: dict[float, Cores] = {}

    def find(self, share: float = 1.0) -> Cores:
        """Return those of all processors, or of a share of them, such as a ladder has.

        Raises `IsolationError`.
        """
        if share not in self._found:
            try:
                leases = ProcessorLeases(LockTable.of_host("processors"))
            except OSError as error:
                raise IsolationError(f"the processors cannot be shared out: {error}") from error
            self._found[share] = Cores(list_usable_processors(share), leases)
        return self._found[share]


class ProcessorLeases:
    """Leases processors, each to one platform at a time, and lets all have about as many.

    One who waits says how many it has. Who has two more gives one up, as soon as the bot that
    thinks there has answered. Who has one more does so after a while, for where they cannot be
    divided evenly, the platforms take turns.
    """

    def __init__(self, table: LockTable, *, clock: Callable[[], float] = monotonic) -> None:
        """A byte of the table is a processor's number; those from 65,536 on say who waits."""
        self._table = table
        self._clock = clock
        self._held = 0
        self._since = clock()  # when the slice began
        self._looked = 0.0
        self._is_wanted = False  # when it looked last
        self._pause_end = 0.0  # until then it takes nothing
        self._told: int | None = None  # what the others are told
        self._timer: asyncio.TimerHandle | None = None

    def take(self, processors: Iterable[int]) -> int | None:
        """Lease the first one that nobody else has, None if there is none or others come first."""
        if self._clock() < self._pause_end or self._is_due_to_others(self._held + 1):
            return None
        for processor in processors:
            if self._table.lock(processor):
                self._held += 1
                if self._told is not None:
                    self._since = self._clock()
                return processor
        return None

    def give_back(self, processor: int) -> None:
        """End a lease."""
        self._held -= 1
        self._table.unlock(processor)

    def is_due(self) -> bool:
        """Return whether one of the leases should end now, since others wait."""
        return self._is_due_to_others(self._held)

    def is_wanted(self) -> bool:
        """Return whether others wait who should have one of our processors; looks now and then."""
        now = self._clock()
        if now - self._looked >= _LOOK:
            self._looked = now
            fewer = self._held - (now - self._since < _SLICE)
            self._is_wanted = fewer > 0 and self._table.is_locked(_WAITING, fewer)
        return self._is_wanted

    def _is_due_to_others(self, held: int) -> bool:
        """Return whether one of so many should be left to others who wait, for a moment."""
        now = self._clock()
        fewer = held - 1
        if now - self._since >= _SLICE:
            self._since = now
            fewer = held
        if fewer and self._table.is_locked(_WAITING, fewer):
            self._pause_end = now + _PAUSE
            return True
        return False

    def wait(self, retry: Callable[[], None] | None) -> None:
        """Tell the others that somebody waits here, and `retry` in a moment; None: nobody waits."""
        if retry is None:
            self._stop_waiting()
            return
        if self._held != self._told:
            self._tell(self._held)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_POLL, self._retry, retry)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._told is not None:
            self._tell(None)

    def _tell(self, held: int | None) -> None:
        if self._told is not None:
            self._table.unlock(_WAITING + self._told)
        if held is not None:
            self._table.lock(_WAITING + held, shared=True)
        self._told = held

    def _retry(self, retry: Callable[[], None]) -> None:
        self._timer = None
        retry()
