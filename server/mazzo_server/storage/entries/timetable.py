"""When an open tournament takes entries, when it starts, and when it is played again.

All times are Unix seconds of the machine's clock, which may be set back or forward at any moment.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

__all__ = ["Every", "Timetable"]

_DAY: Final = 86_400.0  # seconds


class Every(StrEnum):
    """How often an open tournament is played."""

    DAY = "day"
    WEEK = "week"

    @property
    def seconds(self) -> float:
        """The time from one start to the next; clocks that people change do not matter."""
        return _DAY if self is Every.DAY else 7 * _DAY

    @property
    def patience(self) -> float:
        """The time for which a round that is due waits for bots: 3 hours, or 21 of a week.

        Then it is given up, so that authors enter their bots for the next one.
        """
        return self.seconds / 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Timetable:
    """The times of one round of an open tournament; what is None was not asked for."""

    entries_from: float | None = None  # before, authors can neither enter nor leave
    entries_until: float | None = None  # from then on, likewise
    start_at: float | None = None
    start_with: int | None = None  # it starts as soon as so many bots can play
    every: Every | None = None  # None: it is played once

    @property
    def start_time(self) -> float | None:
        """When it starts at the latest; None: only the number of its bots decides."""
        return self.entries_until if self.start_at is None else self.start_at

    @property
    def close_time(self) -> float | None:
        """From when on authors can neither enter nor leave; None: until it starts."""
        return self.start_at if self.entries_until is None else self.entries_until

    def is_due(self, now: float) -> bool:
        """Tell whether its time to start has come."""
        return self.start_time is not None and now >= self.start_time

    def has_opened(self, now: float) -> bool:
        """Tell whether the time has come from which authors enter their bots."""
        return self.entries_from is None or now >= self.entries_from

    def has_closed(self, now: float) -> bool:
        """Tell whether the time is over in which authors enter their bots."""
        return self.close_time is not None and now >= self.close_time

    def find_next(self, now: float) -> Timetable | None:
        """Return the timetable of the first round after this one that is not due yet.

        Rounds that were missed, since no server ran, are left out. None: it is played once.
        """
        if self.every is None or self.start_time is None:
            return None
        period = self.every.seconds
        missed = max(0, math.floor((now - self.start_time) / period))
        return self._shift(period * (missed + 1))

    def correct(self, now: float, *, last_start: float | None) -> Timetable:
        """Return the timetable without rounds that were left out because a clock was wrong.

        `last_start` is the `start_time` of the last round that is over. A clock that was a year
        fast, and is right again, would else mean that nothing is played for a year. No round comes
        twice: the times that are returned are later than the `last_start`.
        """
        if self.every is None or self.start_time is None or last_start is None:
            return self
        period = self.every.seconds
        surplus = math.ceil((self.start_time - max(now, last_start)) / period) - 1
        return self._shift(-period * surplus) if surplus > 0 else self

    def _shift(self, seconds: float) -> Timetable:
        """Return the times so much later."""

        def move(time: float | None) -> float | None:
            return None if time is None else time + seconds

        return replace(
            self,
            entries_from=move(self.entries_from),
            entries_until=move(self.entries_until),
            start_at=move(self.start_at),
        )
