"""The server's monotonic clock, and when that came which its event loop acts on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from selectors import BaseSelector
from time import monotonic, thread_time
from time import time as wall_clock  # noqa: TID251 (only ever shown to people)
from typing import Any
from weakref import WeakKeyDictionary

__all__ = ["Ear", "LoopMonitor", "monotonic", "wall_clock"]

_BEAT = 0.02  # seconds between heartbeats
_SHORT = 0.02  # seconds of a busy turn of the loop up to which both sides share the doubt
_PAID = 0.005  # seconds that a bot pays of a longer one
_STANDSTILL = 0.25  # seconds from which on the process counts as one that was not let run
_JUST_AFTER = 0.02  # seconds within which other threads have passed on what had come by then

_Select = Callable[[float | None], list[Any]]


class Ear:
    """Knows, of a loop that looks for news and then acts on them, when the news came.

    When the loop found nothing and had to wait, they came at the end of the wait. Otherwise
    they came at some moment since it had looked before: it was busy. Of a short turn the
    middle is taken, which is right on average; of a long one its beginning, or nearly so, for
    nobody is to pay for it. What the news wake is run in the next turn, after another look.

    All of it is told by a clock that stands still while the whole process does, which is when
    time passes in which nothing runs. For then nobody knows whether a question had left before,
    or when its answer came: what other threads have to pass on is found some turns later. What
    is found just after came at once. A turn that is long because it has much to do is none: a
    bot could see to that.
    """

    def __init__(
        self, clock: Callable[[], float] = monotonic, used: Callable[[], float] = thread_time
    ) -> None:
        """An ear that has just heard everything; `used` is the processor time of its thread."""
        self._clock, self._used = clock, used
        self._stood_still = 0.0  # seconds in all
        self._told = clock()  # the latest time
        self.resumed = float("-inf")  # when the last standstill was
        self.heard = self._told  # when that came which is acted on now
        self._found = self._told  # when that came which the last look found
        self._looked = self._told
        self._used_before = used()  # the last look

    def now(self) -> float:
        """The time, for what acts in this turn; may find out that there was a standstill."""
        return self._after(_PAID)

    def listening(self, select: _Select) -> _Select:
        """The same function to wait for news, with this ear in it."""

        def listen(timeout: float | None = None) -> list[Any]:
            self.heard = self._found
            now = self._after(_PAID)
            news = select(0)
            if news or (timeout is not None and timeout <= 0):
                busy = now - self._looked
                self._find(self._looked + (busy / 2 if busy < _SHORT else _PAID))
                self._look(now)
                return news
            self._look(now)
            news = select(timeout)
            # A wait that lasts longer than it may is one of a process that was not let run.
            longest = timeout if timeout is not None else float("inf")
            self._look(self._after(longest))
            self._find(min(self._looked, now + longest))
            return news

        return listen

    def _look(self, now: float) -> None:
        self._looked, self._used_before = now, self._used()

    def _find(self, when: float) -> None:
        just_after = self.resumed <= when < self.resumed + _JUST_AFTER
        self._found = self.resumed if just_after else when

    def _after(self, longest: float) -> float:
        """The time, when no more than `longest` should have passed since the last look."""
        now = self._clock() - self._stood_still
        since = max(self._looked, self._told)
        if now - since - longest >= _STANDSTILL:
            used = self._used() - self._used_before
            if now - since - longest - used >= _STANDSTILL:
                self.resumed = since + _PAID + used
                self._stood_still += now - self.resumed
                now = self.resumed
        self._told = now
        return now


# Of each loop that was ever monitored: several tournaments are played in one.
_EARS: WeakKeyDictionary[asyncio.AbstractEventLoop, Ear] = WeakKeyDictionary()


def _ear_of(loop: asyncio.AbstractEventLoop) -> Ear:
    ear = _EARS.get(loop)
    if ear is None:
        ear = _EARS[loop] = Ear()
        selector: BaseSelector = loop._selector  # type: ignore[attr-defined]
        selector.select = ear.listening(selector.select)  # type: ignore[assignment, method-assign]
    return ear


class LoopMonitor:
    """Says when news came to the running event loop, so that no bot pays for its delays.

    A heartbeat bounds how long the loop ever waits, and measures how late it is.
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
        self._due = clock() + _BEAT
        self._ear: Ear | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> LoopMonitor:
        self._ear = _ear_of(asyncio.get_running_loop())
        self._due = self._clock() + _BEAT
        self._task = asyncio.create_task(self._beat(), name="loop-monitor")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    def now(self) -> float:
        """The time, of a monotonic clock that stands still while the whole process does."""
        return self._entered.now()

    @property
    def resumed(self) -> float:
        """When, on the same clock, the process stood still the last time."""
        return self._entered.resumed

    def heard(self) -> float:
        """When, on the same clock, that came to this process which is acted on now.

        All that had come before was acted on: what was due by then, and has not come, is late.
        """
        return self._entered.heard

    @property
    def _entered(self) -> Ear:
        assert self._ear is not None, "a monitor hears while it is entered"
        return self._ear

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(max(0.0, self._due - self._clock()))
            self.beat()

    def beat(self) -> None:
        """One heartbeat."""
        now = self._clock()
        late = now - self._due
        self._due = now + _BEAT
        if self._on_delay is not None:
            self._on_delay(max(0.0, late))
