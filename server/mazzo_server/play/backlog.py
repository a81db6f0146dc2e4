"""Tells when answers arrived that the server reads late, one by one."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Backlog"]

_AT_ONCE = 0.02  # seconds within which answers that wait in a row are read
_LONGEST = 0.2  # seconds that reading all of them may take


class Hearing(Protocol):
    """See `mazzo_server.clock.LoopMonitor`."""

    @property
    def resumed(self) -> float: ...
    def now(self) -> float: ...
    def heard(self) -> float: ...


class Backlog:
    """The answers of a bot that wait to be read, after the server has stalled.

    The server reads answers one by one, so it finds those that waited during a stall one by one. It
    takes the arrival of the first as the arrival of all: it knows no better. That holds while each
    answer is to an open decision and is read at once after the one before, and only for a short
    time: a bot must not be able to make a backlog for itself.
    """

    def __init__(self, hearing: Hearing) -> None:
        """Begin without waiting answers."""
        self._hearing = hearing
        self._ends = 0.0  # time at which the backlog ends at the latest
        self._read_at = 0.0  # when the last answer was read
        self._came_at = 0.0  # when that answer arrived

    def came(self) -> float:
        """Return the arrival time of the event being handled."""
        return self._came_at if self._goes_on(self._hearing.now()) else self._hearing.heard()

    def took(self, came: float) -> None:
        """Note that an answer to an open decision was read, which arrived at `came`."""
        now = self._hearing.now()
        if not self._goes_on(now):
            late = now - came > _AT_ONCE or came == self._hearing.resumed
            self._ends = now + _LONGEST if late else 0.0
        self._read_at, self._came_at = now, came

    def end(self) -> None:
        """Note that no answer waits any more: this one's question was asked after the stall."""
        self._ends = 0.0

    def _goes_on(self, now: float) -> bool:
        return now < self._ends and now - self._read_at < _AT_ONCE
