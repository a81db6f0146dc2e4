"""Decides how many groups are played at a time, so that whole groups come soon and go on coming."""

from __future__ import annotations

from typing import Final

__all__ = ["Pace"]

_START_SECONDS: Final = 0.25  # of a processor, for one instance
_RUN_START_SHARE: Final = 0.03  # of the time of a run in batches, for the starts of one batch
_BATCH_START_SHARE: Final = 0.02  # of the time of a later batch, for its starts
_FIRST_SECONDS: Final = 10.0  # of play, of the first batch
_FIRST_SHARE: Final = 0.04  # of the run, for the first batch, if that is longer
_START_UP: Final = 0.5  # seconds, at least, of each seating of a batch in which bots start
_FIRST_FLIGHT: Final = 2  # matches in flight by processor until a speed is known
_WAVES: Final = 8  # matches of a later batch, times those in flight: each seating ends with a few
_SURE_FLIGHT: Final = 128  # matches that may be in flight however long they take
_OPEN_SECONDS: Final = 30.0  # of play, of all that are in flight if they are more


class Pace:
    """Parts the groups of a run into batches, each of which is played in all its seatings.

    Every batch costs new instances of all bots in every seating, and groups are whole only when its
    last seating is played. So the first batch is short: a part of the run, or some seconds. Later
    ones are so long that their starts cost little. A short run, or one with many starts, is played
    in one batch.
    """

    def __init__(
        self,
        *,
        seatings: int,
        instances: int,
        groups: int,
        processors: int,
        is_first: bool,
        is_whole: bool = False,
    ) -> None:
        """`instances` are those of one seating, `groups` are all that are to be played.

        With `is_first` nothing was played before, so few matches are in flight at first: until the
        speed is known, or the processors are idle. With `is_whole` all groups are one batch. A
        batch `is_open` while its first seating is played: it may become larger.
        """
        self._seatings = seatings
        self._groups = groups
        self._start_seconds = max(_START_UP, _START_SECONDS * instances / processors)  # a seating
        most = int(_FIRST_SHARE * groups)  # or the first batch would be too large
        self._first_flight = max(min(_FIRST_FLIGHT * processors, most), 1)
        self._flight = 0  # matches that may be in flight
        # With one seating every match makes a group whole.
        self._is_whole = is_whole or seatings == 1
        self.is_first = is_first and not self._is_whole
        self.is_open = False
        self._left = self._begun = self._finished = 0
        self._since = 0.0

    def begin_batch(self, *, left: int) -> None:
        """Begin the first seating of a batch, with so many groups that may be in it."""
        self.is_open = True
        self._left = left
        self._begun = self._finished = 0
        self._since = 0.0

    def note_begun(self, now: float) -> None:
        """Note that a match has begun; `now` is in seconds, of any clock that does not jump."""
        self._begun += 1
        if self._begun == 1:
            self._since = now

    def limit_flight(self, concurrency: int, now: float) -> int:
        """Return how many matches may be in flight now, at most `concurrency`.

        Few are until the speed is known; all may be once it shows that the first batch needs so
        many more. More than 128 may be only where they are over soon: who stops or loses a run
        loses what is open, and slow bots, whose frames are small anyway, gain nothing.
        """
        if not self.is_open:
            return min(concurrency, max(self._flight, _SURE_FLIGHT))
        group_seconds = self._find_group_seconds(now)
        most = self._flight
        if group_seconds:
            most = int(_OPEN_SECONDS * self._seatings / group_seconds)
        concurrency = min(concurrency, max(most, _SURE_FLIGHT))
        if self.is_first and self._first_flight < concurrency:
            more = min(self._begun + concurrency, self._left)
            if group_seconds is not None and not self._is_worth(more, group_seconds):
                self._first_flight = concurrency
        self._flight = concurrency
        if self.is_first:
            self._flight = min(concurrency, max(self._first_flight, self._finished))
        return self._flight

    def raise_flight(self) -> None:
        """Let twice as many matches be in flight, since those that are leave processors idle."""
        self._first_flight *= 2

    def note_finished(self) -> None:
        """Note that a match is over."""
        self._finished += 1

    def is_enough(self, now: float) -> bool:
        """Tell whether the batch should have only the groups that have begun."""
        left = self._left - self._begun
        group_seconds = self._find_group_seconds(now)
        if self._is_whole or group_seconds is None or left <= 0:
            return False
        # What is left must be worth a batch of its own.
        return self._is_worth(min(self._begun, left), group_seconds)

    def _find_group_seconds(self, now: float) -> float | None:
        """Return how long a group takes in all its seatings; None while that is not known."""
        # The first ones end together, which tells no speed.
        if self._finished < max(min(self._first_flight, self._flight), self._begun / 2, 1):
            return None
        elapsed = now - self._since
        playing = max(elapsed - self._start_seconds, elapsed / 10)
        return self._seatings * playing / self._finished

    def _is_worth(self, groups: int, group_seconds: float) -> bool:
        """Tell whether so many groups are enough for a batch."""
        starts = self._seatings * self._start_seconds
        if self._groups * group_seconds * _RUN_START_SHARE < starts:  # the run is one batch
            return False
        waves = _WAVES * min(self._flight, _SURE_FLIGHT) * group_seconds
        wanted = max(starts / _BATCH_START_SHARE, waves)
        if self.is_first:
            wanted = max(_FIRST_SECONDS, _FIRST_SHARE * self._groups * group_seconds)
        return groups * group_seconds >= wanted

    def close_batch(self) -> None:
        """Let no more groups be in the batch."""
        self.is_open = False

    def end_batch(self) -> None:
        """Note that all seatings of the batch are over."""
        self.is_first = False
