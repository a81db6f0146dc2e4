"""The server's monotonic clock, and how long its event loop stood still."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from time import monotonic
from time import time as wall_clock  # noqa: TID251 (only ever shown to people)

__all__ = ["LoopMonitor", "monotonic", "wall_clock"]

_BEAT = 0.02  # seconds between heartbeats
_NOTICED = 0.005  # seconds of delay from which a heartbeat counts as a stall
_KEPT = 256  # stalls that are remembered


class LoopMonitor:
    """Measures stalls of the event loop by a heartbeat, so that no bot pays for them.

    A stall that is still going on cannot be seen from inside; it ends with the next beat,
    so whoever asks right after a stall gets what had been due until then.
    """

    def __init__(
        self,
        clock: Callable[[], float] = monotonic,
        *,
        on_delay: Callable[[float], None] | None = None,
    ) -> None:
        """A monitor that does not beat yet; each beat tells `on_delay` how late it was, in s."""
        self._clock = clock
        self._on_delay = on_delay
        self._stalls: deque[tuple[float, float]] = deque(maxlen=_KEPT)  # (end, seconds)
        self._due = clock() + _BEAT
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> LoopMonitor:
        self._due = self._clock() + _BEAT
        self._task = asyncio.create_task(self._beat(), name="loop-monitor")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(max(0.0, self._due - self._clock()))
            self.beat()

    def beat(self) -> None:
        """One heartbeat; a late one is a stall of as long as it is late."""
        now = self._clock()
        late = now - self._due
        if late > _NOTICED:
            self._stalls.append((now, late))
        self._due = now + _BEAT
        if self._on_delay is not None:
            self._on_delay(max(0.0, late))

    def longest_stall(self, since: float) -> float:
        """Seconds of the longest stall that ended after `since`, one that is due included."""
        now = self._clock()
        longest = max(0.0, min(now - self._due, now - since))
        for end, seconds in reversed(self._stalls):
            if end < since:
                break
            longest = max(longest, min(seconds, end - since))
        return longest if longest > _NOTICED else 0.0
