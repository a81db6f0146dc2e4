"""The server's monotonic clock, and the arrival times of what its event loop handles."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic, thread_time
from time import time as wall_clock  # noqa: TID251 (only ever shown to people)

__all__ = ["ArrivalClock", "monotonic", "run_arrival_clock", "tell_end_time", "wall_clock"]

_INTERVAL = 0.01  # seconds between heartbeats
_SHARE = 0.005  # seconds of a long delay that a bot pays
_STANDSTILL = 0.25  # seconds without running from which on the process stood still
_NEAR = 0.02  # seconds in which other threads pass on what arrived during a standstill


def tell_end_time(
    begin_time: float, *, seconds: float = 0.0, clock: Callable[[], float] = wall_clock
) -> float:
    """Return the Unix time now, as the end of what began then and lasted `seconds` at least.

    The machine's clock may be set back meanwhile: an end is never before its beginning.
    """
    return max(clock(), begin_time + seconds)


class ArrivalClock:
    """Tells when the events being handled arrived.

    An event loop that is in time for its heartbeats handles an event when it arrives. While a
    heartbeat is overdue, the loop is busy and events wait. Of a delay that is shorter than the
    interval of the heartbeats the middle is taken, which is right on average. After a longer one
    an event arrived when the loop was last in time: no bot pays for a busy server.

    The clock stands still while the whole process does, that is while time passes in which its
    thread computes nothing. Nobody knows then whether a question had left before, or when its
    answer arrived: so what is found just afterwards arrived when the standstill ended. A loop
    that is busy computing does not stop the clock, because a bot could keep it busy.
    """

    def __init__(
        self,
        clock: Callable[[], float] = monotonic,
        cpu_time: Callable[[], float] = thread_time,
        *,
        interval: float = _INTERVAL,
    ) -> None:
        """Begin; the first heartbeat is due in `interval` seconds.

        `cpu_time` is the processor time of the thread that reads the clock.
        """
        self._clock, self._cpu_time, self._interval = clock, cpu_time, interval
        self._stood_still = 0.0  # seconds in all
        self._latest = clock()  # the latest reading
        self._in_time = self._latest  # the latest reading while no heartbeat was overdue
        self._due = self._latest + interval  # when the next heartbeat is due
        self._cpu_at_beat = cpu_time()
        self._arrival = self._latest  # the latest arrival that was told
        self._delayed: float | None = None  # when the events that a late heartbeat met arrived
        self.resumed = float("-inf")  # when the last standstill ended

    def now(self) -> float:
        """Return the time, which never goes back; this may find that there was a standstill."""
        now = self._clock() - self._stood_still
        unexplained = now - self._latest - self._interval  # the loop never waits for longer
        if unexplained >= _STANDSTILL:
            used = self._cpu_time() - self._cpu_at_beat
            if unexplained - used >= _STANDSTILL:
                self.resumed = self._latest + _SHARE + used
                self._stood_still += now - self.resumed
                now = self.resumed
        self._latest = now
        if now <= self._due:
            self._in_time = now
        return now

    def estimate_arrival(self) -> float:
        """Return when the event being handled arrived, never before an earlier answer.

        All events that arrived before then were handled: an answer that was due by then, and is
        not there, is late.
        """
        now = self.now()
        arrival = self._estimate(now) if self._delayed is None else self._delayed
        if abs(arrival - self.resumed) < _NEAR:
            arrival = self.resumed
        self._arrival = max(arrival, self._arrival)
        return self._arrival

    def beat(self) -> None:
        """Note a heartbeat. Until `catch_up`, events that arrived before it are handled."""
        now = self.now()
        self._delayed = self._estimate(now) if now > self._due else None
        self._due = now + self._interval
        self._in_time = now
        self._cpu_at_beat = self._cpu_time()

    def catch_up(self) -> None:
        """Note that all events are handled that arrived before the last heartbeat."""
        self._delayed = None

    def _estimate(self, now: float) -> float:
        delay = max(0.0, now - self._due)
        return now - delay / 2 if delay < self._interval else self._in_time + _SHARE


@contextmanager
def run_arrival_clock(
    on_delay: Callable[[float], None] = lambda _: None,
) -> Iterator[ArrivalClock]:
    """Run a clock on the running event loop; each heartbeat reports the seconds of its delay.

    An event that the loop finds together with a heartbeat wakes its task at once. The task runs
    in the next turn of the loop, before `catch_up`, which the heartbeat puts behind it.
    """
    loop = asyncio.get_running_loop()
    clock = ArrivalClock()
    timer: asyncio.TimerHandle

    def beat() -> None:
        nonlocal timer
        clock.beat()
        loop.call_soon(clock.catch_up)
        on_delay(max(0.0, loop.time() - timer.when()))
        timer = loop.call_later(_INTERVAL, beat)

    timer = loop.call_later(_INTERVAL, beat)
    try:
        yield clock
    finally:
        timer.cancel()
