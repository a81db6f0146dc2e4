"""When answers came that wait to be read, one by one."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Backlog"]

_AT_ONCE = 0.02  # seconds within which answers that wait in a row are read
_LONGEST = 0.2  # seconds that it may take to read all of them


class Hearing(Protocol):
    """See `mazzo_server.clock.LoopMonitor`."""

    @property
    def resumed(self) -> float: ...
    def now(self) -> float: ...
    def heard(self) -> float: ...


class Backlog:
    """What a bot has answered while the server did not look.

    Answers are read one by one, so those that wait after a stall of the server are found one
    by one; for all that is known, the others came when the first of them did. That holds as
    long as each answers an open decision and follows at once, and not for long: a bot may not
    make itself a backlog.
    """

    def __init__(self, hearing: Hearing) -> None:
        """Nothing waits."""
        self._hearing = hearing
        self._ends = 0.0  # when it does at the latest
        self._read_at = 0.0  # when the last answer was read
        self._came_at = 0.0  # when it came

    def came(self) -> float:
        """When that came which is acted on now."""
        return self._came_at if self._goes_on(self._hearing.now()) else self._hearing.heard()

    def took(self, came: float) -> None:
        """An answer to an open decision, which came then, is read."""
        now = self._hearing.now()
        if not self._goes_on(now):
            late = now - came > _AT_ONCE or came == self._hearing.resumed
            self._ends = now + _LONGEST if late else 0.0
        self._read_at, self._came_at = now, came

    def end(self) -> None:
        """What was read now was asked after that: no answer waits any more."""
        self._ends = 0.0

    def _goes_on(self, now: float) -> bool:
        return now < self._ends and now - self._read_at < _AT_ONCE
