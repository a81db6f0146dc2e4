"""Decides how many groups are played at a time, so that whole groups come soon and go on coming."""

from __future__ import annotations

from typing import Final

__all__ = ["Pace"]

_START_SECONDS: Final = 0.25  # of a processor, for one instance
_START_SHARE: Final = 0.04  # of the time of a run, which the starts of a window may take
_FIRST_SECONDS: Final = 15.0  # of play, of the first window
_FIRST_SHARE: Final = 0.04  # of the run, for the first window, if that is longer
_FIRST_FLIGHT: Final = 2  # matches in flight by processor until a speed is known


class Pace:
    """Cuts the groups of a run into windows, each of which is played in all its seatings.

    Every window costs new instances of all bots in every seating, and groups are whole only when
    its last seating is played. So the first window is short: a part of the run, or some seconds.
    Later ones are as long as makes their starts cheap. Where even the first one would be too dear,
    since the run is short or starts are many, all is one window.
    """

    def __init__(
        self, *, seatings: int, instances: int, groups: int, processors: int, is_first: bool
    ) -> None:
        """`instances` are those of one seating, `groups` are all that are to be played.

        It `is_first` where no group was played before them: until a window has ended, few matches
        are in flight. A window `is_open` while its first seating is played, and may become larger.
        """
        self._seatings = seatings
        self._groups = groups
        self._start_seconds = _START_SECONDS * instances / processors  # of one seating
        self._first_flight = _FIRST_FLIGHT * processors
        self._more_flight = 0
        self.is_first = is_first
        self.is_open = False
        self._left = self._begun = self._finished = 0
        self._since = 0.0

    def begin_window(self, *, left: int) -> None:
        """Begin the first seating of a window, with so many groups that may be in it."""
        self.is_open = True
        self._left = left
        self._begun = self._finished = 0
        self._since = 0.0

    def note_begun(self, now: float) -> None:
        """Note that a match has begun; `now` is in seconds, of any clock that does not jump."""
        self._begun += 1
        if self._begun == 1:
            self._since = now

    def limit_flight(self, concurrency: int) -> int:
        """Return how many matches may be in flight now: few until the speed is known."""
        if not self.is_first:
            return concurrency
        more = max(self._finished - self._first_flight, 0)
        return min(concurrency, self._first_flight + self._more_flight + more)

    def raise_flight(self) -> None:
        """Let twice as many matches be in flight, since those that are leave processors idle."""
        self._more_flight += self._first_flight + self._more_flight

    def note_finished(self) -> None:
        """Note that a match is over."""
        self._finished += 1

    def is_enough(self, now: float) -> bool:
        """Tell whether the window should have only the groups that have begun."""
        left = self._left - self._begun
        # The first ones end together, which tells no speed.
        is_known = self._finished >= max(self._first_flight, self._begun / 2)
        if not is_known or left <= 0:
            return False
        elapsed = now - self._since
        playing = max(elapsed - self._start_seconds, elapsed / 10)
        group_seconds = self._seatings * playing / self._finished  # in all seatings
        # Seconds of which the starts in all seatings are a small part.
        cheap = self._seatings * self._start_seconds / _START_SHARE
        if self._groups * group_seconds < cheap:
            return False
        wanted = cheap
        if self.is_first:
            wanted = max(_FIRST_SECONDS, _FIRST_SHARE * self._groups * group_seconds)
        # What is left must be worth a window of its own.
        return min(self._begun, left) * group_seconds >= wanted

    def close_window(self) -> None:
        """Let no more groups be in the window."""
        self.is_open = False

    def end_window(self) -> None:
        """Note that all seatings of the window are over."""
        self.is_first = False
