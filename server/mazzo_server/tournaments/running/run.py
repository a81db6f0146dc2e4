"""A tournament that this process plays: its task, its claim, and its watchers."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from mazzo_server.clock import monotonic, tell_end_time
from mazzo_server.errors import ConflictError, PlatformError, StoreError
from mazzo_server.logs import LogAction
from mazzo_server.metrics import Metrics
from mazzo_server.model import TournamentKind
from mazzo_server.play import Began
from mazzo_server.play.instances import InstanceSpec
from mazzo_server.results import keep_standings
from mazzo_server.storage import Claim, Store, TournamentRow, TournamentStatus
from mazzo_server.tournaments.executor import Executor
from mazzo_server.tournaments.running.announcing import announce_failure, end_tournament
from mazzo_server.tournaments.running.director import Director, DirectorHooks
from mazzo_server.tournaments.running.feed import Feed
from mazzo_server.tournaments.running.progress import Progress
from mazzo_server.tournaments.running.upcoming import Amend

__all__ = ["Report", "Run", "log_tournament"]

_LOG = logging.getLogger(__name__)

_WATCH_INTERVAL = 0.1  # seconds between two reports to a watcher
_MOST_AT_ONCE = 500  # matches in flight, in one report


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One report to a watcher: how far the run had got, and what has begun."""

    matches_total: int
    matches_played: int
    # Like the next two it counts whole mirror groups, see `Progress`.
    deals_played: int
    decisions_taken: int
    faults: int
    withdrawn: int
    running_seconds: float  # since it began to play; 0.0 before
    begun: Sequence[Began]  # since the last report
    run: str  # the name of the run
    sequence: int  # number of the last reported match; with `run`, the place to go on from
    failure: PlatformError | None  # the reason why the run failed


class Run:
    """A tournament that this process plays, from any point on."""

    def __init__(
        self,
        row: TournamentRow,
        store: Store,
        executor: Executor,
        *,
        claim: Claim,
        metrics: Metrics,
        claim_interval: float = 1.0,
    ) -> None:
        """Take over `claim`, and release it when the run is over; `begin` starts the run.

        `claim_interval` is the seconds between two checks that we still have the claim.
        """
        self._row = row
        self._store = store
        self._claim = claim
        self._claim_interval = claim_interval
        self._changed = asyncio.Event()
        self._feed = Feed()
        self._name = secrets.token_hex(4)
        self._error: PlatformError | None = None
        self._ending: TournamentStatus | None = None  # the requested final status
        self._director = Director(
            row,
            store,
            executor,
            hooks=DirectorHooks(
                on_progress=self._changed.set,
                on_begin=self._add_to_feed,
                on_round=partial(keep_standings, store, row.id),
            ),
            metrics=metrics,
        )
        self._played = asyncio.Event()  # or given up: the claim is no longer needed
        self.task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Play in the background."""
        self.task = asyncio.create_task(self._play(), name=f"tournament-{self._row.id}")

    @property
    def is_over(self) -> bool:
        """Whether the run has ended."""
        return self.task is not None and self.task.done()

    @property
    def is_resting(self) -> bool:
        """Whether there is nothing to play until somebody joins."""
        return self._director.progress.is_resting

    def stop(self) -> None:
        """Stop after the current matches."""
        self._director.stop()

    def pause(self) -> None:
        """Stop after the current matches, until the tournament is resumed."""
        self._ending = self._ending or TournamentStatus.PAUSED
        self._director.stop()

    def cancel(self) -> None:
        """Stop for good, and give up the current matches."""
        self._ending = TournamentStatus.CANCELLED
        self._director.stop(at_once=True)

    async def change(self, amend: Amend, *specs: InstanceSpec) -> int:
        """See `Director.change`."""
        return await self._director.change(amend, *specs)

    def _add_to_feed(self, event: Began) -> None:
        self._feed.add(event)
        self._changed.set()

    async def _play(self) -> None:
        row, progress = self._row, self._director.progress
        claiming = asyncio.create_task(self._keep_claim(), name=f"claim-{row.id}")
        try:
            await self._check_store()
            await self._set_status(TournamentStatus.RUNNING)
            log_tournament(row, LogAction.TOURNAMENT_STARTED, "is played")
            is_over = await self._director.run()
            await self._check_store()
            if is_over:
                await self._set_status(TournamentStatus.FINISHED)
                log_tournament(row, LogAction.TOURNAMENT_FINISHED, "is over", progress)
            elif self._ending is TournamentStatus.CANCELLED:
                await self._set_status(self._ending)
                log_tournament(row, LogAction.TOURNAMENT_CANCELLED, "is cancelled", progress)
            elif self._ending is not None:
                await self._set_status(self._ending)
                log_tournament(row, LogAction.TOURNAMENT_PAUSED, "is paused", progress)
            else:
                log_tournament(row, LogAction.TOURNAMENT_INTERRUPTED, "is interrupted", progress)
        except asyncio.CancelledError:
            log_tournament(row, LogAction.TOURNAMENT_INTERRUPTED, "is cut off", progress)
            raise
        except Exception as error:
            # Whatever the error is, the watchers did not cause it.
            self._error = error if isinstance(error, PlatformError) else PlatformError(str(error))
            if self._ending is TournamentStatus.CANCELLED:
                with suppress(PlatformError):
                    await self._set_status(self._ending)
            with suppress(PlatformError):  # the store may be the reason
                await asyncio.to_thread(announce_failure, self._store, row, error)
            _LOG.error(
                "tournament %d failed: %s",
                *(row.id, error),
                exc_info=None if isinstance(error, PlatformError) else error,
                extra={"action": LogAction.TOURNAMENT_FAILED, "tournament": row.id},
            )
        finally:
            self._director.close()
            if progress.started_at:
                seconds = monotonic() - progress.started_at
                with suppress(PlatformError):  # the time serves only to estimate others
                    await asyncio.to_thread(self._store.add_run_time, row.id, seconds)
            self._played.set()
            await claiming
            await asyncio.to_thread(self._claim.release)
            self._changed.set()

    async def _keep_claim(self) -> None:
        """Claim the tournament again when a database that was away has forgotten the claim.

        And end the run if the store is gone, even while there is nothing to store.
        """
        while not self._played.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(self._claim_interval):
                    await self._played.wait()
                    return
            try:
                await asyncio.to_thread(self._claim_again)
                await self._check_store()
            except Exception as error:
                self._director.fail(error)
                return

    def _claim_again(self) -> None:
        if self._claim.is_lost():
            lost, claim = self._claim, self._store.claim(self._row.id)
            if claim is None:
                raise ConflictError(
                    "the database was away, and another process has begun to play meanwhile"
                )
            self._claim = claim
            lost.release()

    async def _check_store(self) -> None:
        stored = self._director.progress.matches_played
        await asyncio.to_thread(_check_store, self._store, self._row, stored)

    async def _set_status(self, status: TournamentStatus) -> None:
        store, number = self._store, self._row.id
        if status.is_over:
            end_time = _tell_end(self._row, self._director.progress)
            await asyncio.to_thread(end_tournament, store, number, status, end_time)
        else:
            await asyncio.to_thread(store.set_status, number, status)

    async def watch(self, *, sequence: int = 0, run: str = "") -> AsyncIterator[Report]:
        """See `Tournaments.watch`."""
        assert self.task is not None
        told = sequence if run == self._name and sequence <= self._feed.last else 0
        if not told:
            told = self._feed.last
            in_flight = list(self._director.in_flight.values())
            while in_flight:  # a watcher that leaves before they are all sent begins anew
                part, in_flight = in_flight[:_MOST_AT_ONCE], in_flight[_MOST_AT_ONCE:]
                yield self._report(part, 0 if in_flight else told)
        while True:
            over = self.is_over  # read before the feed, so that the feed is then complete
            begun = self._feed.list_after(told)
            told += len(begun)
            if over and not begun:
                yield self._report([], told, self._error)
                return
            yield self._report(begun, told)
            if not over and not self._feed.list_after(told):
                self._changed.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(1.0):
                        await self._changed.wait()
                await asyncio.wait((self.task,), timeout=_WATCH_INTERVAL)

    def _report(
        self, begun: Sequence[Began], sequence: int, failure: PlatformError | None = None
    ) -> Report:
        progress = self._director.progress
        return Report(
            matches_total=progress.matches_total,
            matches_played=progress.matches_played,
            deals_played=progress.deals_played,
            decisions_taken=progress.decisions_taken,
            faults=progress.faults,
            withdrawn=progress.withdrawn,
            running_seconds=monotonic() - progress.started_at if progress.started_at else 0.0,
            begun=begun,
            run=self._name,
            sequence=sequence,
            failure=failure,
        )


def _tell_end(row: TournamentRow, progress: Progress) -> float:
    """Return the time at which the tournament is over: not before it was played so long."""
    seconds = monotonic() - progress.started_at if progress.started_at else 0.0
    return tell_end_time(row.create_time, seconds=row.run_seconds + seconds)


def _check_store(store: Store, row: TournamentRow, stored: int) -> None:
    """Raise `StoreError` unless the store still has this tournament and so many of its matches.

    An earlier copy may have been put in the place of the store, in a way that changes neither the
    number of a file nor those of tables.
    """
    store.check_place()
    found = store.tournament(row.id)
    has_all = found.matches_played >= stored
    if not has_all or (found.create_time, found.definition.seed) != (
        row.create_time,
        row.definition.seed,
    ):
        raise StoreError(
            f"expected tournament {row.id} with the {stored} matches that were stored, got "
            f"{f'one with {found.matches_played}' if not has_all else 'another tournament'}: "
            "somebody put another store in the place of this one; stop every mazzo command on it, "
            "put the right one back, then start again"
        )


def log_tournament(
    row: TournamentRow, action: LogAction, what: str, progress: Progress | None = None
) -> None:
    """Log the new state of a tournament, with its progress."""
    definition = row.definition
    is_season = definition.kind is TournamentKind.LADDER
    facts: dict[str, int | str] = {"tournament": row.id, "variant": definition.variant}
    if progress is not None:
        # What plays until it is sure, or for ever, has no number of matches to reach.
        is_planned = not is_season and action is not LogAction.TOURNAMENT_FINISHED
        total = f" of {progress.matches_total}" if is_planned else ""
        what += f" after {progress.matches_played}{total} matches"
        facts |= {
            "matches_played": progress.matches_played,
            "matches_total": progress.matches_total,
        }
    _LOG.info(
        "tournament %d, %s, %s",
        *(row.id, definition.name if is_season else definition.variant, what),
        extra={"action": action, **facts},
    )
