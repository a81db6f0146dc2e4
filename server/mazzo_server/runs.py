"""A tournament while this process plays it: its task, its claim, and who watches."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from mazzo_server.clock import wall_clock
from mazzo_server.director import Director, Progress
from mazzo_server.errors import FellBehindError, PlatformError
from mazzo_server.live import LiveMatch
from mazzo_server.logs import Action
from mazzo_server.master.instance import InstanceSpec
from mazzo_server.metrics import Metrics
from mazzo_server.storage import Claim, Store, TournamentRow, TournamentStatus

__all__ = ["Begun", "Run", "Watcher", "log_tournament"]

_LOG = logging.getLogger(__name__)

_WATCH_INTERVAL = 0.1  # seconds between two reports to a watcher
_MOST_BEGUN = 500  # matches that begin, in one report
_MOST_WAITING = 10_000  # of them, that a watcher has not read of


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A match that has begun, and the promise of its cards."""

    group: int
    seating: int
    entrants: tuple[str, ...]  # names by seat
    commitment: bytes

    @classmethod
    def of(cls, live: LiveMatch) -> Begun:
        """What may be told of a match in flight."""
        group, seating = live.key
        return cls(group=group, seating=seating, entrants=live.names, commitment=live.commitment)


class Watcher:
    """Gathers the matches that begin, for somebody who reads in his own time."""

    def __init__(self, in_flight: Iterable[Begun] = ()) -> None:
        """`in_flight` are told first, whatever their number."""
        self.waiting = deque(in_flight)
        self._most = len(self.waiting) + _MOST_WAITING
        self._is_behind = False

    def tell(self, begun: Begun) -> None:
        """One for the next report."""
        self._is_behind = self._is_behind or len(self.waiting) >= self._most
        if not self._is_behind:
            self.waiting.append(begun)

    def take(self) -> list[Begun]:
        """What fits into one report; raises `FellBehindError` if something was left out."""
        if self._is_behind:
            raise FellBehindError(
                f"more than {_MOST_WAITING} matches have begun that you have not read of: watch "
                "again, and read faster"
            )
        return [self.waiting.popleft() for _ in range(min(len(self.waiting), _MOST_BEGUN))]


class Run:
    """A tournament that this process plays, from where it stands."""

    def __init__(
        self,
        row: TournamentRow,
        store: Store,
        specs: Sequence[InstanceSpec],
        *,
        claim: Claim,
        concurrency: int,
        metrics: Metrics,
    ) -> None:
        """`claim` is ours, and released when the run is over; `begin` begins."""
        self._row = row
        self._store = store
        self._claim = claim
        self._changed = asyncio.Event()
        self._watchers: list[Watcher] = []
        self._error: PlatformError | None = None
        self._director = Director(
            row,
            store,
            specs,
            concurrency=concurrency,
            on_progress=self._changed.set,
            on_begin=self._tell,
            metrics=metrics,
        )
        self.task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Play in the background."""
        self.task = asyncio.create_task(self._play(), name=f"tournament-{self._row.id}")

    @property
    def over(self) -> bool:
        """Whether nothing is played any more."""
        return self.task is not None and self.task.done()

    def stop(self) -> None:
        """Stop after the current matches."""
        self._director.stop()

    def _tell(self, live: LiveMatch) -> None:
        if self._watchers:
            begun = Begun.of(live)
            for watcher in self._watchers:
                watcher.tell(begun)
            self._changed.set()

    async def _play(self) -> None:
        row, progress = self._row, self._director.progress
        try:
            await self._set_status(TournamentStatus.RUNNING)
            log_tournament(row, Action.TOURNAMENT_STARTED, "is played")
            if await self._director.run():
                await self._set_status(TournamentStatus.FINISHED, end_time=wall_clock())
                log_tournament(row, Action.TOURNAMENT_FINISHED, "is over", progress)
            else:
                log_tournament(row, Action.TOURNAMENT_INTERRUPTED, "is interrupted", progress)
        except asyncio.CancelledError:
            log_tournament(row, Action.TOURNAMENT_INTERRUPTED, "is cut off", progress)
            raise
        except Exception as error:
            # Whatever else it is, it is no fault of anybody who watches.
            self._error = error if isinstance(error, PlatformError) else PlatformError(str(error))
            _LOG.error(
                "tournament %d failed: %s",
                *(row.id, error),
                exc_info=None if isinstance(error, PlatformError) else error,
                extra={"action": Action.TOURNAMENT_FAILED, "tournament": row.id},
            )
        finally:
            await asyncio.to_thread(self._claim.release)
            self._changed.set()

    async def _set_status(self, status: TournamentStatus, end_time: float | None = None) -> None:
        await asyncio.to_thread(self._store.set_status, self._row.id, status, end_time=end_time)

    async def watch(self) -> AsyncIterator[tuple[Progress, list[Begun], PlatformError | None]]:
        """See `Platform.watch`."""
        assert self.task is not None
        progress = self._director.progress
        watcher = Watcher(map(Begun.of, self._director.in_flight))
        self._watchers.append(watcher)
        try:
            while not self.over:
                yield progress, watcher.take(), None
                if watcher.waiting:
                    continue
                self._changed.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(1.0):
                        await self._changed.wait()
                await asyncio.wait((self.task,), timeout=_WATCH_INTERVAL)
            while watcher.waiting:
                yield progress, watcher.take(), None
            yield progress, [], self._error
        finally:
            self._watchers.remove(watcher)


def log_tournament(
    row: TournamentRow, action: Action, what: str, progress: Progress | None = None
) -> None:
    """Log what became of a tournament, with how far it has got."""
    facts: dict[str, object] = {"tournament": row.id, "variant": row.definition.variant}
    if progress is not None:
        what += f" after {progress.matches_played} of {progress.matches_total} matches"
        facts |= {
            "matches_played": progress.matches_played,
            "matches_total": progress.matches_total,
        }
    _LOG.info(
        "tournament %d, %s, %s",
        *(row.id, row.definition.variant, what),
        extra={"action": action, **facts},
    )
