"""Plays a tournament: pairing, tables, store; from wherever it stands.

The pairing gives one round of mirror groups after the other. A round is played in phases:
seating 0 of its groups, then every instance of the round is ended, then seating 1 with new
ones, and so on. So twins never live at the same time, and no process meets a deal twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace

from mazzo.games import parse_variant
from mazzo.match import Match, MatchFormat
from mazzo.shuffle import attempt_seed
from mazzo_server.clock import LoopMonitor, monotonic
from mazzo_server.errors import ConflictError, PlatformError
from mazzo_server.logs import Action
from mazzo_server.metrics import Metrics
from mazzo_server.model.definition import Change, Definition
from mazzo_server.model.outcome import MatchOutcome, Owner
from mazzo_server.pairing import Group, GroupResult
from mazzo_server.play.decision_queue import Desk
from mazzo_server.play.instances.instance import InstanceSpec
from mazzo_server.play.live import LiveMatch
from mazzo_server.play.note_budget import Notebook
from mazzo_server.play.phase import Phase, Planned
from mazzo_server.play.table import Table
from mazzo_server.results.rounds import results_of, schedule_of, seatings_of
from mazzo_server.storage import OutcomeWriter, Store, TournamentRow

__all__ = ["Director", "Progress"]

_LOG = logging.getLogger(__name__)

_PLATFORM_FAULTS = 3  # of one match, after which the run ends


@dataclass(slots=True, kw_only=True)
class Progress:
    """How far a run has got; one object, updated in place."""

    matches_total: int
    matches_played: int
    # Of mirror groups that were completed since the start of this run, like the next two: what
    # is known of a match of another group could tell its other seatings something.
    deals_played: int = 0
    decisions_taken: int = 0
    faults: int = 0
    withdrawn: int = 0
    started_at: float = 0.0  # on the monotonic clock


class Director:
    """One run of a tournament, to its end or until it is stopped."""

    def __init__(
        self,
        row: TournamentRow,
        store: Store,
        specs: Sequence[InstanceSpec],
        *,
        concurrency: int,
        on_progress: Callable[[], None],
        on_begin: Callable[[LiveMatch], None] = lambda _: None,
        on_round: Callable[[Sequence[Group]], None] = lambda _: None,
        share: Callable[[], int] = lambda: 1,
        metrics: Metrics | None = None,
    ) -> None:
        """`specs` say how to start each entrant, in the definition's order.

        `on_begin` is told of each match before its first card, `on_round`, in a thread, that
        a round is over and stored: where results decide what is played, of which groups.
        `share` is the number of runs that share the machine: each has so many matches fewer in
        flight.
        """
        self.metrics = metrics or Metrics()
        self.on_begin = on_begin
        self._on_round = on_round
        self._share = share
        self._row = row
        self._store = store
        self._specs = list(specs)
        self._notebooks: defaultdict[int, Notebook] = defaultdict(Notebook)  # by entrant
        self._concurrency = concurrency
        self._on_progress = on_progress
        self._definition = row.definition
        self._variant = parse_variant(row.definition.variant)
        self._pairing = schedule_of(row.definition)
        self._changing = asyncio.Lock()  # held while what comes next is decided
        self._caught_up = asyncio.Event()  # the round that is played has groups not stored yet
        self._over = False
        # The round that is played: its first group, its end, which of its seatings it is at, and
        # one more than the last group of it that has begun.
        self._first = self._end = self._begun_to = self._seating = 0
        self._finished: set[tuple[int, int]] = set()  # before this run, which adds nothing
        self._withdrawn: set[int] = set()
        self._platform_faults: Counter[tuple[int, int]] = Counter()
        self._stopped = False
        self._error: Exception | None = None
        self._phase: Phase | None = None
        self._storing: set[asyncio.Task[None]] = set()
        self._untold: dict[int, Counter[str]] = {}  # by group: what adds to the progress
        self._seatings = seatings_of(row.definition)
        self.progress = Progress(matches_total=self._matches_total, matches_played=0)

    @property
    def _matches_total(self) -> int:
        return self._pairing.total() * self._seatings

    @property
    def in_flight(self) -> list[LiveMatch]:
        """The matches that have begun and are not over."""
        return [] if self._phase is None else self._phase.in_flight

    def stop(self, *, at_once: bool = False) -> None:
        """Begin no new match; `run` returns when the current ones are stored, or given up."""
        self._stopped = True
        if self._phase is not None:
            if at_once:
                self._phase.cut()
            else:
                self._phase.stop()

    async def run(self) -> bool:
        """Play what is not stored yet; whether the tournament is over.

        Raises what stops it: `IsolationError`, `StoreError`, or `ConflictError` for a match
        with too many faults of the platform. Every match that had ended is stored.
        """
        self._writer = OutcomeWriter(self._store, self._row.id)
        try:
            await self._load()
            queues = self.metrics.watch_queues(
                waiting=lambda: sum(desk.waiting for desk in self._desks),
                in_flight=lambda: sum(desk.in_flight for desk in self._desks),
                unstored=lambda: self._writer.waiting,
            )
            with queues:
                async with LoopMonitor(on_delay=self.metrics.loop_delay) as monitor:
                    await self._play_rounds(monitor)
        finally:
            self.end()
            try:
                await self._settle()
            finally:  # cancelled in this moment, too
                await self._writer.close()
        if self._error is not None:
            raise self._error
        return not self._stopped

    def end(self) -> None:
        """Let nothing be changed any more; for a run that could not begin, too."""
        self._over = True
        self._caught_up.set()

    async def _load(self) -> None:
        """Find where the tournament stands."""
        store, tournament = self._store, self._row.id
        first = 0
        if not self._pairing.adaptive:
            kept = await asyncio.to_thread(store.checkpoint, tournament)
            first = kept[0] if kept is not None else 0  # all groups before it are over
        self._finished = await asyncio.to_thread(
            store.finished_matches, tournament, first_group=first
        )
        withdrawals = await asyncio.to_thread(store.withdrawals, tournament)
        self._withdrawn = {row.entrant for row in withdrawals}
        self._first = self._end = first
        self._begun_to = max(first, await asyncio.to_thread(store.next_group, tournament))
        self.progress.matches_played = self._row.matches_played
        self.progress.withdrawn = len(self._withdrawn)
        self.progress.started_at = monotonic()
        self._on_progress()

    @property
    def _desks(self) -> list[Desk]:
        return [] if self._phase is None else self._phase.desks

    async def _settle(self) -> None:
        """Wait until everything that is to be stored is, or could not be."""
        while self._storing:
            await asyncio.gather(*self._storing, return_exceptions=True)

    async def _play_rounds(self, monitor: LoopMonitor) -> None:
        results: list[GroupResult] = []
        while groups := await self._next_round(results):
            for seating in range(self._seatings):
                self._seating = seating
                matches = [
                    Planned(group, seating)
                    for group in groups
                    if (group.number, seating) not in self._finished
                ]
                while matches and not self._stopped:
                    matches = await self._play(matches, monitor)
            if self._stopped:
                return
            await self._settle()
            if self._error is not None:
                return
            if self._pairing.adaptive:
                if self._is_newest:  # one was withdrawn when the process was killed
                    await self._leave(self._withdrawn)
                results += await asyncio.to_thread(
                    results_of, self._store, self._row.id, self._definition, groups
                )
            # A change may still make others of the last groups where results decide nothing.
            over = groups if self._pairing.adaptive else ()
            await asyncio.to_thread(self._on_round, over)

    async def _next_round(self, results: Sequence[GroupResult]) -> Sequence[Group]:
        async with self._changing:
            first = self._end
            # In a thread, for a schedule may be long.
            groups = await asyncio.to_thread(self._pairing.next, first, results)
            self._first, self._end, self._seating = first, first + len(groups), 0
            if self._is_newest:
                self._caught_up.set()
            if not groups:  # or somebody might still join, and never play
                self._over = True
            return groups

    @property
    def _is_newest(self) -> bool:
        """Whether nothing of a later round is stored: no change may come before that."""
        return self._end >= self._begun_to

    async def _play(self, matches: list[Planned], monitor: LoopMonitor) -> list[Planned]:
        """One phase; returns what a fault of the platform spoilt, to be played again."""
        matches = [
            match
            for match in matches
            if not self._withdrawn & set(match.group.table) and match.group.number < self._end
        ]
        phase = self._phase = Phase(self, matches, monitor)
        try:
            await phase.run()
        finally:
            self._phase = None
            await phase.close()
        return phase.again

    # Changes

    async def change(
        self, amend: Callable[[Definition, int], Definition], *specs: InstanceSpec
    ) -> int:
        """Change who takes part in the groups that have not begun; the first one of these.

        `amend` gives the new definition, which is stored, from the present one and that number;
        `specs` how to start the entrants that it adds. Raises what `amend` and the store raise,
        and `ConflictError` when the run is over.
        """
        await self._caught_up.wait()
        # Whoever asks may go away meanwhile, but what is stored is to be what is played.
        return await asyncio.shield(self._change(amend, specs))

    async def _change(
        self, amend: Callable[[Definition, int], Definition], specs: Sequence[InstanceSpec]
    ) -> int:
        async with self._changing:
            if self._over:
                raise ConflictError("the tournament has just ended or stopped: look at it again")
            first = self._cut()
            await self._adopt(amend(self._definition, first))
            self._specs += specs
            self._on_progress()
            return first

    def _cut(self) -> int:
        """End the round before the groups that have not begun, if it need not be whole."""
        if not self._pairing.adaptive and self._seating == 0:
            self._end = min(self._end, max(self._first, self._begun_to))
            if self._phase is not None:
                self._phase.cut_off(self._end)
        # A process that was killed after a change had begun groups that are not stored.
        return max(self._end, self._definition.last_change)

    async def _adopt(self, definition: Definition) -> None:
        await asyncio.to_thread(self._store.amend, self._row.id, definition)
        self._definition = definition
        self._pairing = schedule_of(definition)
        # In a thread, for a change may come late in a long schedule.
        self.progress.matches_total = await asyncio.to_thread(lambda: self._matches_total)

    def begins(self, planned: Planned) -> None:
        """A match is about to begin."""
        self._begun_to = max(self._begun_to, planned.group.number + 1)

    # What a phase asks and tells

    def new_match(self, planned: Planned, attempt: int) -> Table:
        """The table of a planned match."""
        definition = self._definition
        match_format = MatchFormat.parse(definition.match_format)
        seed = attempt_seed(planned.group.seed, attempt)
        match = Match(self._variant, seed, match_format, draws=definition.draws)
        return Table(match, definition.time)

    def is_remote(self, planned: Planned) -> bool:
        """Whether an entrant of the match cannot be made to forget it."""
        return any(self._definition.entrants[entrant].remote for entrant in planned.group.table)

    async def attempts(self, matches: Sequence[Planned]) -> list[int]:
        """Note durably that these matches begin; which attempt each one is, from 0."""
        keys = [(planned.group.number, planned.seating) for planned in matches]
        return await asyncio.to_thread(self._store.begin_matches, self._row.id, keys)

    def seats_of(self, planned: Planned) -> Sequence[tuple[int, int]]:
        """By seat: the entrant, and which of its own seats it is."""
        return planned.group.parts_by_seat(planned.seating, self._variant.sides)

    def spec_of(self, entrant: int) -> InstanceSpec:
        """How to start an entrant."""
        return self._specs[entrant]

    def notebook_of(self, entrant: int) -> Notebook:
        """Where it is kept what an entrant says, from the first phase to the last."""
        return self._notebooks[entrant]

    @property
    def unstored(self) -> int:
        """Matches that are over and not stored yet."""
        return len(self._storing)

    @property
    def concurrency(self) -> int:
        """Matches in flight at once."""
        return max(1, self._concurrency // max(1, self._share()))

    def store(self, outcome: MatchOutcome) -> None:
        """Store a finished match in the background."""
        self.metrics.match_finished(outcome)
        self._log_faults(outcome)
        self._background(self._put(outcome))

    def _log_faults(self, outcome: MatchOutcome) -> None:
        """Who failed and how; why in words may name cards, which nobody is to see yet."""
        for fault in outcome.faults:
            bot = self._definition.entrants[outcome.entrants[fault.seat]].name
            _LOG.log(
                logging.INFO if fault.owner is Owner.BOT else logging.WARNING,
                "tournament %d, group %d, seating %d: %s forfeits: %s, by the %s",
                *(self._row.id, outcome.group, outcome.seating),
                *(bot, fault.termination, fault.owner),
                extra={
                    "action": Action.MATCH_FAULT,
                    "tournament": self._row.id,
                    "group": outcome.group,
                    "seating": outcome.seating,
                    "bot": bot,
                    "termination": fault.termination,
                    "owner": fault.owner,
                },
            )

    async def _put(self, outcome: MatchOutcome) -> None:
        await self._writer.put(outcome)
        self.progress.matches_played += 1
        group = outcome.group
        before = sum((group, seating) in self._finished for seating in range(self._seatings))
        untold = self._untold.setdefault(group, Counter(matches=before))
        untold["matches"] += 1
        untold["deals"] += len(outcome.deals)
        untold["decisions"] += sum(outcome.decisions)
        untold["faults"] += bool(outcome.faults)
        if untold["matches"] == self._seatings:
            del self._untold[group]
            self.progress.deals_played += untold["deals"]
            self.progress.decisions_taken += untold["decisions"]
            self.progress.faults += untold["faults"]
        self._on_progress()

    def withdraw(self, entrant: int, reason: str, log: str) -> None:
        """Take an entrant out: its results are void, the others play on."""
        if entrant not in self._withdrawn:
            self._withdrawn.add(entrant)
            self.progress.withdrawn += 1
            bot = self._definition.entrants[entrant].name
            _LOG.warning(
                "tournament %d: %s is withdrawn: %s",
                *(self._row.id, bot, reason),
                extra={
                    "action": Action.ENTRANT_WITHDRAWN,
                    "tournament": self._row.id,
                    "bot": bot,
                    "reason": reason,
                },
            )
            self._background(self._store_withdrawal(entrant, reason, log))

    async def _store_withdrawal(self, entrant: int, reason: str, log: str) -> None:
        await asyncio.to_thread(
            self._store.add_withdrawal, self._row.id, entrant, reason=reason, log=log
        )
        if self._pairing.adaptive:
            await self._leave({entrant})
        self._on_progress()

    async def _leave(self, entrants: set[int]) -> None:
        """Let entrants that were withdrawn not be paired in the rounds to come."""
        async with self._changing:
            changes = self._definition.changes
            left = {change.entrant for change in changes if not change.joins}
            leaving = [
                Change(entrant=entrant, first_group=self._end, joins=False)
                for entrant in sorted(entrants - left)
            ]
            if leaving:
                await self._adopt(replace(self._definition, changes=(*changes, *leaving)))

    def spoilt(self, planned: Planned, reason: str) -> bool:
        """Count a fault of the platform; whether the match is to be played again."""
        key = (planned.group.number, planned.seating)
        self._platform_faults[key] += 1
        _LOG.warning(
            "tournament %d, group %d, seating %d: spoilt by the platform: %s",
            *(self._row.id, *key, reason),
            extra={
                "action": Action.MATCH_SPOILT,
                "tournament": self._row.id,
                "group": key[0],
                "seating": key[1],
                "reason": reason,
            },
        )
        if self._platform_faults[key] < _PLATFORM_FAULTS:
            return True
        self.fail(
            ConflictError(
                f"group {key[0]}, seating {key[1]} met {_PLATFORM_FAULTS} faults of the "
                f"platform, the last one: {reason}"
            )
        )
        return False

    def fail(self, error: Exception) -> None:
        """Something that ends the run."""
        self._error = self._error or error
        self.stop(at_once=True)

    def _background(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._storing.add(task)
        task.add_done_callback(self._stored)

    def _stored(self, task: asyncio.Task[None]) -> None:
        self._storing.discard(task)
        if self._phase is not None:
            self._phase.fill()
        if not task.cancelled() and (error := task.exception()) is not None:
            self.fail(error if isinstance(error, Exception) else PlatformError(str(error)))
