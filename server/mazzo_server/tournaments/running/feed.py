"""Numbers the matches that have begun in a run, for watchers that come back."""

from __future__ import annotations

from collections import deque
from itertools import islice

from mazzo_server.errors import FellBehindError
from mazzo_server.play import Began

__all__ = ["Feed"]

_MOST_KEPT = 10_000  # the newest events that are kept
_MOST_AT_ONCE = 500


class Feed:
    """The matches that have begun, in order, numbered from 1; the oldest are forgotten."""

    def __init__(self) -> None:
        self.last = 0  # number of the newest event
        self._kept: deque[Began] = deque(maxlen=_MOST_KEPT)

    def add(self, event: Began) -> None:
        """Add a match that has just begun."""
        self._kept.append(event)
        self.last += 1

    def list_after(self, number: int) -> list[Began]:
        """Return the next events after that number, at most 500.

        Raises `FellBehindError` when some of them are already forgotten.
        """
        skipped = number - (self.last - len(self._kept))
        if skipped < 0:
            raise FellBehindError(
                f"more than {_MOST_KEPT} matches have begun that you have not read of: watch "
                "again from now on, and read faster"
            )
        return list(islice(self._kept, skipped, skipped + _MOST_AT_ONCE))
