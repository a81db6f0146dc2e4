"""Directs a tournament, from any point on: sends chunks of its schedule, and records the events."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial

from mazzo_server.clock import monotonic
from mazzo_server.errors import ConflictError
from mazzo_server.logs import LogAction
from mazzo_server.metrics import Metrics
from mazzo_server.model import Definition, MatchOutcome, Owner
from mazzo_server.pairing import Group
from mazzo_server.play import Began, Finished, PlayEvent, Spoilt, Withdrawn
from mazzo_server.play.instances import InstanceSpec
from mazzo_server.storage import Store, TournamentRow
from mazzo_server.tournaments.executor import Executor
from mazzo_server.tournaments.running.kept_standings import keep_standings_often
from mazzo_server.tournaments.running.progress import Progress
from mazzo_server.tournaments.running.recorder import MOST_UNSTORED, Recorder
from mazzo_server.tournaments.running.upcoming import Amend, UpcomingGroups

__all__ = ["Director", "DirectorHooks"]

_LOG = logging.getLogger(__name__)

_PLATFORM_FAULTS = 3  # faults at one match, after which the run ends


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectorHooks:
    """The callbacks of a director."""

    on_progress: Callable[[], None] = lambda: None
    on_begin: Callable[[Began], None] = lambda event: None
    # Called in a thread when a round is over and stored. Its groups are passed where results decide
    # what is played, else none, since a change may still replace the last ones.
    on_round: Callable[[Sequence[Group]], None] = lambda groups: None


@dataclass(slots=True)
class _Faults:
    """The faults of the platform at one match."""

    times: int = 0  # that they spoilt it, in all runs
    suspicions: int = 0  # those in this run of which the match may be the reason


class Director:
    """One run of a tournament, to its end or until it is stopped."""

    def __init__(
        self,
        row: TournamentRow,
        store: Store,
        executor: Executor,
        *,
        hooks: DirectorHooks | None = None,
        metrics: Metrics | None = None,
        most_unstored: int = MOST_UNSTORED,
    ) -> None:
        """The executor must know how to start each entrant, in the definition's order."""
        self.executor = executor
        self.in_flight: dict[tuple[int, int], Began] = {}  # by group and seating
        self._row = row
        self._hooks = hooks or DirectorHooks()
        self._metrics = metrics or Metrics()
        self._upcoming = UpcomingGroups(row, store)
        self.progress = Progress(matches_total=self._upcoming.matches_total, matches_played=0)
        self.recorder = Recorder(
            store,
            row.id,
            seatings=self._upcoming.definition.seatings,
            progress=self.progress,
            on_progress=self._hooks.on_progress,
            on_error=self.fail,
            most_unstored=most_unstored,
        )
        self._withdrawn: set[int] = set()
        self._spoilt: dict[tuple[int, int], _Faults] = {}  # by group and seating
        self._is_stopped = False
        self._error: Exception | None = None

    def stop(self, *, at_once: bool = False) -> None:
        """Begin no new match; `run` returns when the current ones are stored, or given up."""
        self._is_stopped = True
        self._upcoming.stop()
        self.executor.stop(at_once=at_once)

    def fail(self, error: Exception) -> None:
        """Stop at once; `run` raises this error, or the first one."""
        self._error = self._error or error
        self.stop(at_once=True)

    async def run(self) -> bool:
        """Play what is not stored yet; return whether the tournament is over.

        Raises the error that stops it: `IsolationError`, `StoreError`, or `ConflictError` for a
        match with too many faults of the platform. By then, every match that had ended is stored.
        """
        try:
            finished = await self._load()
            with self._metrics.watch_queues(unstored=lambda: self.recorder.waiting):
                await self._play_rounds(finished)
        finally:
            self.close()
            await self.recorder.close()
        if self._error is not None:
            raise self._error
        return not self._is_stopped

    def close(self) -> None:
        """Allow no more changes; call this for a run that could not begin, too."""
        self._upcoming.close()

    async def change(self, amend: Amend, *specs: InstanceSpec) -> int:
        """Change the entrants in the groups that have not begun; return the first of these groups.

        `specs` tell how to start the added entrants. Raises what `amend` and the store raise, and
        `ConflictError` when the run is over.
        """
        # The caller may go away meanwhile, but what is stored must be what is played.
        return await asyncio.shield(self._change(amend, specs))

    async def _change(self, amend: Amend, specs: Sequence[InstanceSpec]) -> int:
        first = await self._upcoming.change(amend, self.executor.cut_off)
        self.executor.add_entrants(specs)
        await self._count_matches()
        self._hooks.on_progress()
        return first

    async def _count_matches(self) -> None:
        # In a thread, for counting a long schedule takes time.
        total = await asyncio.to_thread(lambda: self._upcoming.matches_total)
        self.progress.matches_total = total

    async def _load(self) -> frozenset[tuple[int, int]]:
        finished = await self._upcoming.load()
        self.recorder.count_finished(finished)
        self._withdrawn = await self.recorder.read_withdrawn()
        spoilt = await self.recorder.read_spoilt()
        self._spoilt = {key: _Faults(times=times) for key, times in spoilt.items()}
        self.progress.matches_played = self._row.matches_played
        self.progress.withdrawn = len(self._withdrawn)
        self.progress.started_at = monotonic()
        self._hooks.on_progress()
        return finished

    async def _play_rounds(self, finished: frozenset[tuple[int, int]]) -> None:
        upcoming = self._upcoming
        while True:
            self.progress.is_resting = upcoming.is_endless
            groups = await upcoming.take_next_round(self.executor.groups_at_a_time)
            self.progress.is_resting = False
            if not groups:
                return
            if upcoming.is_endless:
                await self._count_matches()
            keep = partial(self._hooks.on_round, ())
            async with keep_standings_often(self.progress, keep, self.fail):
                await self._play(groups, finished)
            if self._is_stopped:
                return
            await self.recorder.settle()
            if self._error is not None:
                return
            over = await upcoming.finish_round(groups, self._withdrawn)
            await asyncio.to_thread(self._hooks.on_round, over)
            groups = over = ()  # a round may be large: there is room for one

    async def _play(self, groups: Sequence[Group], finished: frozenset[tuple[int, int]]) -> None:
        chunk = self._upcoming.make_chunk(groups, finished=finished, withdrawn=self._withdrawn)
        async with aclosing(self.executor.play(chunk)) as events:
            try:
                async for event in events:
                    self._take(event)
                    await self.recorder.wait_for_room()
            except Exception as error:
                self.fail(error)
            finally:
                self.in_flight.clear()

    def _take(self, event: PlayEvent) -> None:
        match event:
            case Began():
                # A worker may begin a match before it hears that an entrant is withdrawn.
                withdrawn = _name_entrants(self._upcoming.definition, self._withdrawn)
                if withdrawn.isdisjoint(event.entrants):
                    self.in_flight[event.group, event.seating] = event
                    self._hooks.on_begin(event)
            case Finished(outcome=outcome):
                self.in_flight.pop((outcome.group, outcome.seating), None)
                self._log_faults(outcome)
                spoilt = self._spoilt.get((outcome.group, outcome.seating), _Faults())
                self.recorder.record(outcome, spoilt=spoilt.times)
            case Withdrawn():
                self._withdraw(event)
            case Spoilt():
                self.in_flight.pop((event.group, event.seating), None)
                self._count_spoilt(event)

    def _log_faults(self, outcome: MatchOutcome) -> None:
        """Log who failed and how; not the reason, which may name cards that are still secret."""
        for fault in outcome.faults:
            entrant = outcome.entrants[fault.seat]
            bot = self._upcoming.definition.entrants[entrant].name
            _LOG.log(
                logging.INFO if fault.owner is Owner.BOT else logging.WARNING,
                "tournament %d, group %d, seating %d: %s forfeits: %s, by the %s",
                *(self._row.id, outcome.group, outcome.seating),
                *(bot, fault.termination, fault.owner),
                extra={
                    "action": LogAction.MATCH_FAULT,
                    "tournament": self._row.id,
                    "group": outcome.group,
                    "seating": outcome.seating,
                    "bot": bot,
                    "termination": fault.termination,
                    "owner": fault.owner,
                },
            )

    def _withdraw(self, event: Withdrawn) -> None:
        """Withdraw an entrant: its results are void, the others play on."""
        if event.entrant in self._withdrawn:
            return
        self._withdrawn.add(event.entrant)
        self.progress.withdrawn += 1
        bot = self._upcoming.definition.entrants[event.entrant].name
        _LOG.warning(
            "tournament %d: %s is withdrawn: %s",
            *(self._row.id, bot, event.reason),
            extra={
                "action": LogAction.ENTRANT_WITHDRAWN,
                "tournament": self._row.id,
                "bot": bot,
                "reason": event.reason,
            },
        )
        for key, begun in list(self.in_flight.items()):
            if bot in begun.entrants:
                del self.in_flight[key]
        self.recorder.withdraw(event, lambda: self._leave(event.entrant))

    async def _leave(self, entrant: int) -> None:
        await self._upcoming.leave({entrant})
        await self._count_matches()

    def _count_spoilt(self, event: Spoilt) -> None:
        """Count a fault of the platform; too many faults at one match end the run."""
        key = event.group, event.seating
        spoilt = self._spoilt.setdefault(key, _Faults())
        spoilt.times += 1
        spoilt.suspicions += event.is_suspect
        self.recorder.record_spoilt(event)
        _LOG.warning(
            "tournament %d, group %d, seating %d: spoilt by the platform: %s",
            *(self._row.id, *key, event.reason),
            extra={
                "action": LogAction.MATCH_SPOILT,
                "tournament": self._row.id,
                "group": event.group,
                "seating": event.seating,
                "reason": event.reason,
            },
        )
        if spoilt.suspicions >= _PLATFORM_FAULTS:
            self.fail(
                ConflictError(
                    f"match {self._row.id}/{event.group}/{event.seating} met {_PLATFORM_FAULTS} "
                    f"faults of the platform, the last one: {event.reason}"
                )
            )


def _name_entrants(definition: Definition, entrants: Iterable[int]) -> set[str]:
    return {definition.entrants[entrant].name for entrant in entrants}
