"""The arrival times of answers that wait in a row and are read one by one."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Backlog"]

_AT_ONCE = 0.02  # seconds within which the next answer of a row is read
_LONGEST = 0.2  # seconds that it may take to read a row


class Arrivals(Protocol):
    """What a backlog reads of a `mazzo_server.clock.ArrivalClock`."""

    @property
    def resumed(self) -> float: ...
    def now(self) -> float: ...
    def estimate_arrival(self) -> float: ...


class Backlog:
    """The answers of one bot that arrived while the server was busy.

    They are read one by one, so only the first of them is found when the server has time again.
    The others arrived with it, as far as anybody knows. That holds while each one answers an open
    decision and is read at once after the one before, and not for long: a bot must not be able to
    make a backlog of its own.
    """

    def __init__(self, clock: Arrivals) -> None:
        """Begin without answers that wait."""
        self._clock = clock
        self._ends = 0.0  # when the row ends at the latest
        self._read_at = 0.0  # when the last answer was read
        self._arrival = 0.0  # when the last answer arrived

    def estimate_arrival(self) -> float:
        """Return when the event being handled arrived."""
        if self._is_in_row(self._clock.now()):
            return self._arrival
        return self._clock.estimate_arrival()

    def mark_read(self, arrival: float) -> None:
        """Note that an answer to an open decision, which arrived then, is read."""
        now = self._clock.now()
        if not self._is_in_row(now):
            waited = now - arrival > _AT_ONCE or arrival == self._clock.resumed
            self._ends = now + _LONGEST if waited else 0.0
        self._read_at, self._arrival = now, arrival

    def end(self) -> None:
        """Note that no answer waits: the last one answered a question that is younger than it."""
        self._ends = 0.0

    def _is_in_row(self, now: float) -> bool:
        return now < self._ends and now - self._read_at < _AT_ONCE
