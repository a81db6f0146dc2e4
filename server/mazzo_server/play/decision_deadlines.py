"""Finds the decisions that a bot has not taken in time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from mazzo_server.model import Termination
from mazzo_server.play.backlog import Backlog
from mazzo_server.play.decision_queue import DecisionQueue
from mazzo_server.play.instances import InstanceRunner

__all__ = ["Deadlines", "give_up_stalled"]

_SLACK = 0.01  # seconds by which the check runs late, so that it finds the overdue decisions


class Deadlines:
    """A timer for the decisions that one bot has in flight.

    When several decisions are overdue, nobody knows which one an uploaded bot is busy with. So its
    instance is given up, and the next instance gets them one at a time. A remote bot cannot be
    restarted: each of its decisions counts as late by itself.
    """

    def __init__(
        self,
        queue: DecisionQueue,
        backlog: Backlog,
        runner: InstanceRunner,
        *,
        is_remote: bool,
        on_late: Callable[[], None],
        on_error: Callable[[Exception], None],
    ) -> None:
        """Call `on_late` when decisions of a remote bot were late: there may be news."""
        self._queue = queue
        self._backlog = backlog
        self._runner = runner
        self._is_remote = is_remote
        self._on_late = on_late
        self._on_error = on_error
        self._timer: asyncio.TimerHandle | None = None

    def set(self, seconds: float | None) -> None:
        """Check for overdue decisions after so many seconds, or earlier; None: there are none."""
        if seconds is None:
            return
        loop = asyncio.get_running_loop()
        when = loop.time() + max(seconds, 0.0) + _SLACK
        if self._timer is not None:
            if self._timer.when() <= when:
                return
            self._timer.cancel()
        self._timer = loop.call_at(when, self._check)

    def close(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()

    def _check(self) -> None:
        self._timer = None
        if not self._runner.is_running:
            return  # its end decides, and the next instance has a timer of its own
        try:
            self._expire_overdue(self._backlog.estimate_arrival())
        except Exception as error:  # a bug of ours, which must not hang the tournament
            self._on_error(error)

    def _expire_overdue(self, now: float) -> None:
        queue = self._queue
        overdue = queue.find_overdue(now)
        if overdue and not self._is_remote:
            is_alone = queue.in_flight == 1
            give_up_stalled(self._runner)
            if not is_alone:
                return
        for seat in overdue:
            elapsed, owner = queue.measure(seat, now), seat.owner_of_delay
            queue.expire(seat)
            seat.live.expire(seat, elapsed, owner)
        if overdue and not self._is_remote:
            return
        if overdue:
            self._on_late()
        self.set(queue.time_until_due(now))


def give_up_stalled(runner: InstanceRunner) -> None:
    """Give up an instance that did not answer in time."""
    runner.give_up(Termination.OUT_OF_TIME, "did not answer in time")
