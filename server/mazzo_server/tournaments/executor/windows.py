"""Cuts a chunk into smaller ones, which several workers play at the same time."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from math import ceil
from typing import Final

from mazzo_server.errors import ConflictError, PlatformError
from mazzo_server.tournaments.executor.chunk import Chunk, ChunkGroup

__all__ = ["Windows"]

_START_SECONDS: Final = 0.25  # of a processor, for one instance
_START_SHARE: Final = 0.04  # of the time of a chunk, which starts may take
_START_UP: Final = 0.5  # seconds of each seating of a chunk in which bots start
_LEAST_SECONDS, _MOST_SECONDS = 5.0, 900.0  # of play, that a chunk should last
_LEAST_SHARE: Final = 1 / 3  # of that, which it lasts also near the end
_MOST_LOSSES: Final = 3  # of workers that play one chunk, after which the run ends
_DEEP: Final = 4  # times the matches in flight: groups of a chunk while no speed is known


class Windows:
    """Gives out chunks of a few tables each, from one window of the schedule after the other.

    Windows go out in order, so that tables stay about equally far; within a window a chunk has as
    few tables as possible, since each entrant in it costs a start in every seating. A chunk lasts
    long enough for the starts to cost little: some seconds with two bots, minutes with twelve in
    twelve seatings. Near the end chunks become smaller, down to the share of a worker in half of
    what is left, so that all workers end at about the same time, but not so small that starts
    would cost more than that saves.
    """

    def __init__(
        self, chunk: Chunk, groups: Sequence[ChunkGroup], *, workers: int, concurrency: int
    ) -> None:
        """Give out these groups of the chunk; each worker has so many matches in flight at most."""
        self.end = chunk.end  # one more than the number of the last group that is played
        self.workers = workers  # how many there are, for the size of what is cut from now on
        self._chunk = chunk
        # By group, as a chunk that goes on has hundreds of thousands, and is cut into hundreds.
        self._finished = defaultdict[int, list[tuple[int, int]]](list)
        for key in chunk.finished:
            self._finished[key[0]].append(key)
        self._rest: deque[ChunkGroup] = deque(groups)
        self._ready: deque[Chunk] = deque()
        self._begun_to = chunk.first
        self._in_play = 0  # chunks that are given out
        self._losses: dict[int, int] = {}  # of workers, by the first group of a chunk
        self._first_size = _DEEP * concurrency
        self._group_seconds = 0.0  # of play on one worker; 0.0: not known yet
        self._wanted = _MOST_SECONDS  # of play, for a chunk

    @property
    def begun_to(self) -> int:
        """One more than the number of the last group that can no longer be cut off."""
        return self._begun_to

    @property
    def is_over(self) -> bool:
        """Whether all is played."""
        return not (self._rest or self._ready or self._in_play)

    def take(self, is_wanted: Callable[[Chunk], bool] = lambda _: True) -> Chunk | None:
        """Return the next chunk that is wanted, None when there is none now.

        See `note_time` and `put_back`.
        """
        if not self._ready and self._rest:
            self._open_window()
        chunk = next(filter(is_wanted, self._ready), None)
        if chunk is not None:
            self._ready.remove(chunk)
            self._in_play += 1
        return chunk

    def put_back(
        self, chunk: Chunk, finished: Collection[tuple[int, int]], error: PlatformError | None
    ) -> None:
        """Give a chunk out again, without what is over.

        With an error the worker that played it was lost, perhaps because of it. Raises
        `ConflictError` when that happened too often with the same chunk.
        """
        self._in_play -= 1
        losses = self._losses.get(chunk.first, 0) + (error is not None)
        self._losses[chunk.first] = losses
        if losses >= _MOST_LOSSES:
            raise ConflictError(
                f"the groups {chunk.first} to {chunk.end - 1} lost {losses} workers, the last "
                f"one: {error}"
            )
        self._ready.appendleft(replace(chunk, finished=chunk.finished.union(finished)))

    def note_begun(self, end: int) -> None:
        """Note that groups before that number have begun elsewhere: they cannot be cut off."""
        self._begun_to = max(self._begun_to, end)

    def cut_off(self, end: int) -> None:
        """Give out no group from that number on, as far as they have not begun."""
        self.end = min(self.end, max(end, self._begun_to))
        self._rest = deque(item for item in self._rest if item.group.number < self.end)

    def note_time(self, chunk: Chunk, seconds: float, *, matches: int) -> None:
        """Note that a chunk was played: its speed gives the size of later ones.

        `matches` were played in so many seconds; the others were over, or are void.
        """
        self._in_play -= 1
        if not matches:
            return
        playing = max(seconds - chunk.seatings * _START_UP, seconds / 10)
        self._group_seconds = playing * chunk.seatings / matches
        starts = _START_SECONDS * chunk.seatings * chunk.count_instances()
        self._wanted = min(max(starts / _START_SHARE, _LEAST_SECONDS), _MOST_SECONDS)

    def _open_window(self) -> None:
        rest, workers = len(self._rest), max(self.workers, 1)
        size = self._first_size
        if self._group_seconds:
            least = ceil(max(_LEAST_SECONDS, self._wanted * _LEAST_SHARE) / self._group_seconds)
            most = ceil(self._wanted / self._group_seconds)
            size = min(max(ceil(rest / (2 * workers)), least), most)
            if rest < 2 * least * workers:  # what is left then would be too small for its starts
                size = rest
        size = min(size, ceil(rest / workers))
        window = [self._rest.popleft() for _ in range(min(size * workers, rest))]
        self.note_begun(window[-1].group.number + 1)
        window.sort(key=lambda item: (item.group.table, item.group.number))
        for first in range(0, len(window), size):
            self._ready.append(self._cut(window[first : first + size]))

    def _cut(self, groups: Sequence[ChunkGroup]) -> Chunk:
        return replace(
            self._chunk,
            groups=tuple(sorted(groups, key=lambda item: item.group.number)),
            finished=frozenset(
                key for item in groups for key in self._finished.get(item.group.number, ())
            ),
        )
