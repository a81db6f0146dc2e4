"""Shares the processors of a host with its other platforms: servers, workers, commands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
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
_ROW: Final = 1 << 16  # bytes, see `ProcessorLeases.__init__`


class HostCores:
    """The cores of this host for one platform, which shares them with the host's others."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, ...], Cores] = {}

    def find(self, share: float = 1.0) -> Cores:
        """Return those of all processors, or of a share of them, such as a ladder has.

        Raises `IsolationError`.
        """
        processors = tuple(list_usable_processors(share))
        if processors not in self._found:
            try:
                leases = ProcessorLeases(LockTable.of_host("processors"), processors)
            except OSError as error:
                raise IsolationError(f"the processors cannot be shared out: {error}") from error
            self._found[processors] = Cores(processors, leases)
        return self._found[processors]


class ProcessorLeases:
    """Leases processors, each to one platform at a time, and lets all have about as many.

    One who waits says for which, and how many it has. Who has two more gives one of those up, as
    soon as the bot that thinks there has answered. Who has one more does so after a while, for
    where they cannot be divided evenly, the platforms take turns.
    """

    def __init__(
        self,
        table: LockTable,
        processors: Iterable[int],
        *,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Lease some of these processors, which are all that may be used here.

        A byte of the table is a processor's number. Of the rows of 65,536 bytes that follow, the
        first one is of those who wait and have none, the second one of those who have one, and so
        on: they lock in it the processors that they may use.
        """
        self._table = table
        self._usable = list(_find_ranges(processors))
        self._clock = clock
        self._held = set[int]()
        self._since = clock()  # when the slice began
        self._looked = 0.0
        self._is_wanted = False  # when it looked last
        self._pause_end = 0.0  # until then it takes less, since it has just given one up
        self._left: dict[int, float] = {}  # by processor, until when it is left to others
        self._told: int | None = None  # what the others are told
        self._timer: asyncio.TimerHandle | None = None

    def take(self, processors: Iterable[int]) -> int | None:
        """Lease the first one that nobody else has, None if there is none or others come first."""
        now = self._clock()
        # In the pause also those come first who have as many, or two could swap for ever.
        fewer = len(self._held) + (now < self._pause_end)
        for processor in processors:
            if now < self._left.get(processor, now):
                continue
            was_left = self._left.pop(processor, None) is not None
            if not self._table.lock(processor):
                continue
            # Once only: who waits may be stopped, and take nothing.
            if not was_left and self._is_left(processor, fewer):
                self._table.unlock(processor)
                continue
            self._held.add(processor)
            if self._told is not None:
                self._since = now
            return processor
        return None

    def give_back(self, processor: int) -> None:
        """End a lease."""
        self._held.remove(processor)
        self._table.unlock(processor)

    def is_due(self, processor: int) -> bool:
        """Return whether the lease of a processor should end now, since others wait for it."""
        now = self._clock()
        is_slice_over = now - self._since >= _SLICE
        if not self._is_left(processor, len(self._held) - (not is_slice_over)):
            return False
        self._pause_end = now + _PAUSE
        if is_slice_over:
            self._since = now
        return True

    def is_wanted(self) -> bool:
        """Return whether others wait who should have one of our processors; looks now and then."""
        now = self._clock()
        if now - self._looked >= _LOOK:
            self._looked = now
            fewer = len(self._held) - (now - self._since < _SLICE)
            self._is_wanted = self._has_waiting(self._held, fewer)
        return self._is_wanted

    def _is_left(self, processor: int, fewer: int) -> bool:
        """Return whether it is left, for a moment, to others who wait and have fewer than that."""
        if not self._has_waiting((processor,), fewer):
            return False
        self._left[processor] = self._clock() + _PAUSE
        return True

    def _has_waiting(self, processors: Iterable[int], fewer: int) -> bool:
        """Return whether others wait for one of these processors who have fewer than that."""
        if fewer < 1 or not self._table.is_locked(_ROW, fewer * _ROW):  # as nearly always
            return False
        return any(
            self._table.is_locked(row * _ROW + first, count)
            for first, count in _find_ranges(processors)
            for row in range(1, fewer + 1)
        )

    def wait(self, retry: Callable[[], None] | None) -> None:
        """Tell the others that somebody waits here, and `retry` in a moment; None: nobody waits."""
        if retry is None:
            self._stop_waiting()
            return
        if len(self._held) != self._told:
            self._tell(len(self._held))
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
            row = (1 + self._told) * _ROW
            for first, count in self._usable:
                self._table.unlock(row + first, count)
        if held is not None:
            row = (1 + held) * _ROW
            for first, count in self._usable:
                self._table.lock(row + first, count, shared=True)
        self._told = held

    def _retry(self, retry: Callable[[], None]) -> None:
        self._timer = None
        retry()


def _find_ranges(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield, of each part in which numbers follow each other, the first and how many there are."""
    by_distance = groupby(enumerate(sorted(numbers)), key=lambda one: one[1] - one[0])
    for _, part in by_distance:
        members = [number for _, number in part]
        yield members[0], len(members)
