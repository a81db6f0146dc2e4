"""Plays a tournament: pairing, tables, store; from wherever it stands.

The pairing gives one round of mirror groups after the other. A round is played in phases:
seating 0 of its groups, then every instance of the round is ended, then seating 1 with new
ones, and so on. So twins never live at the same time, and no process meets a deal twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace

from mazzo.games import parse_variant
from mazzo.match import Match, MatchFormat
from mazzo.shuffle import attempt_seed
from mazzo_server.clock import LoopMonitor, monotonic
from mazzo_server.definition import Change, Definition
from mazzo_server.desk import Desk
from mazzo_server.errors import ConflictError, PlatformError
from mazzo_server.live import LiveMatch
from mazzo_server.logs import Action
from mazzo_server.master.instance import InstanceSpec
from mazzo_server.master.player import Player
from mazzo_server.metrics import Metrics
from mazzo_server.outcome import MatchOutcome, Owner
from mazzo_server.pairing import Group, GroupResult
from mazzo_server.schedule import results_of, schedule_of, seatings_of
from mazzo_server.storage import OutcomeWriter, Store, TournamentRow
from mazzo_server.table import Table

__all__ = ["Director", "Progress"]

_LOG = logging.getLogger(__name__)

_MOST_UNSTORED = 1000  # finished matches; when the store is slower than that, play waits for it
_PLATFORM_FAULTS = 3  # of one match, after which the tournament pauses


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
        self._phase: _Phase | None = None
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
        self._first = self._end = self._begun_to = first
        self._begun_to = max((group + 1 for group, _ in self._finished), default=first)
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
                    _Planned(group, seating)
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

    async def _play(self, matches: list[_Planned], monitor: LoopMonitor) -> list[_Planned]:
        """One phase; returns what a fault of the platform spoilt, to be played again."""
        matches = [
            match
            for match in matches
            if not self._withdrawn & set(match.group.table) and match.group.number < self._end
        ]
        phase = self._phase = _Phase(self, matches, monitor)
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
        self.progress.matches_total = self._matches_total

    def begins(self, planned: _Planned) -> None:
        """A match is about to begin."""
        self._begun_to = max(self._begun_to, planned.group.number + 1)

    # What a phase asks and tells

    def new_match(self, planned: _Planned, attempt: int) -> Table:
        """The table of a planned match."""
        definition = self._definition
        match_format = MatchFormat.parse(definition.match_format)
        seed = attempt_seed(planned.group.seed, attempt)
        match = Match(self._variant, seed, match_format, draws=definition.draws)
        return Table(match, definition.time)

    def is_remote(self, planned: _Planned) -> bool:
        """Whether an entrant of the match cannot be made to forget it."""
        return any(self._definition.entrants[entrant].remote for entrant in planned.group.table)

    async def attempts(self, matches: Sequence[_Planned]) -> list[int]:
        """Note durably that these matches begin; which attempt each one is, from 0."""
        keys = [(planned.group.number, planned.seating) for planned in matches]
        return await asyncio.to_thread(self._store.begin_matches, self._row.id, keys)

    def seats_of(self, planned: _Planned) -> Sequence[tuple[int, int]]:
        """By seat: the entrant, and which of its own seats it is."""
        return planned.group.parts_by_seat(planned.seating, self._variant.sides)

    def spec_of(self, entrant: int) -> InstanceSpec:
        """How to start an entrant."""
        return self._specs[entrant]

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

    def withdraw(self, entrant: int, reason: str) -> None:
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
            self._background(self._store_withdrawal(entrant, reason))

    async def _store_withdrawal(self, entrant: int, reason: str) -> None:
        await asyncio.to_thread(self._store.add_withdrawal, self._row.id, entrant, reason=reason)
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

    def spoilt(self, planned: _Planned, reason: str) -> bool:
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
                f"paused: group {key[0]}, seating {key[1]} met {_PLATFORM_FAULTS} faults of the "
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


@dataclass(frozen=True, slots=True)
class _Planned:
    """One match of the schedule: one seating of one group."""

    group: Group
    seating: int


class _Phase:
    """Matches that are played at the same time, by instances that live for no longer."""

    def __init__(
        self, director: Director, matches: Sequence[_Planned], monitor: LoopMonitor
    ) -> None:
        self.again: list[_Planned] = []
        self._director = director
        self._monitor = monitor
        self._pending = deque(matches)
        self._beginning: list[_Planned] = []  # as soon as it is noted that they do
        self._noting: asyncio.Task[None] | None = None
        self._live: dict[tuple[int, int], tuple[LiveMatch, _Planned, int]] = {}
        self._players: dict[tuple[int, int], Player] = {}
        self._entrants: dict[Player, int] = {}
        self._withdrawn: set[int] = set()
        self._done = asyncio.Event()

    async def run(self) -> None:
        """Play until nothing is pending or in flight."""
        self.fill()
        await self._done.wait()

    @property
    def in_flight(self) -> list[LiveMatch]:
        """The matches that have begun and are not over."""
        return [live for live, _, _ in self._live.values()]

    async def close(self) -> None:
        """End every instance."""
        self._pending.clear()
        self._beginning.clear()
        if self._noting is not None:
            await asyncio.wait((self._noting,))
        await asyncio.gather(*(player.close() for player in self._players.values()))

    def stop(self) -> None:
        """Begin no new match."""
        self._pending.clear()
        self._beginning.clear()
        self.fill()

    def cut_off(self, end: int) -> None:
        """Begin no match of the groups from that number on."""
        self._pending = deque(match for match in self._pending if match.group.number < end)
        self.fill()

    def cut(self) -> None:
        """Give up the matches in flight."""
        self.stop()
        for live, _, _ in list(self._live.values()):
            self._abandon(live)
        self._done.set()

    def _abandon(self, live: LiveMatch) -> None:
        del self._live[live.key]
        live.abandon()
        self._director.metrics.match_abandoned()

    @property
    def desks(self) -> list[Desk]:
        """What the players owe."""
        return [player.desk for player in self._players.values()]

    def fill(self) -> None:
        """Begin matches, as many as may be in flight."""
        concurrency = self._director.concurrency
        while (
            self._pending
            and len(self._live) + len(self._beginning) < concurrency
            and self._director.unstored < _MOST_UNSTORED
        ):
            planned = self._pending.popleft()
            if self._withdrawn & set(planned.group.table):
                continue
            self._director.begins(planned)
            if self._director.is_remote(planned):
                self._beginning.append(planned)
            else:
                self._begin(planned, 0)
        if self._beginning and self._noting is None:
            self._noting = asyncio.create_task(self._note(), name="attempts")
        if not self._live and not self._pending and not self._beginning:
            self._done.set()

    async def _note(self) -> None:
        """Begin matches of remote bots, all that have come together at a time."""
        try:
            while batch := tuple(self._beginning):
                attempts = await self._director.attempts(batch)
                for planned, attempt in zip(batch, attempts, strict=True):
                    if planned not in self._beginning:  # stopped meanwhile
                        continue
                    self._beginning.remove(planned)
                    if not self._withdrawn & set(planned.group.table):
                        self._begin(planned, attempt)
        except Exception as error:
            self._director.fail(error)
        finally:
            self._noting = None
        self.fill()

    def _begin(self, planned: _Planned, attempt: int) -> None:
        key = (planned.group.number, planned.seating)
        players = [self._player(*seat) for seat in self._director.seats_of(planned)]
        live = LiveMatch(
            self._director.new_match(planned, attempt), key=key, holders=players, on_end=self._ended
        )
        self._live[key] = (live, planned, attempt)
        self._director.metrics.match_started()
        self._director.on_begin(live)
        live.start()

    def _player(self, entrant: int, part: int) -> Player:
        player = self._players.get((entrant, part))
        if player is None:
            spec = self._director.spec_of(entrant)
            player = self._players[entrant, part] = Player(
                spec, monitor=self._monitor, owner=self, metrics=self._director.metrics
            )
            self._entrants[player] = entrant
            player.begin()
        return player

    def _ended(self, live: LiveMatch) -> None:
        _, planned, attempt = self._live.pop(live.key)
        entrants = tuple(entrant for entrant, _ in self._director.seats_of(planned))
        outcome = live.table.outcome(group=live.key[0], seating=live.key[1], entrants=entrants)
        self._director.store(replace(outcome, attempt=attempt))
        self.fill()

    # What a player tells

    def failed(self, player: Player, reason: str) -> None:
        """A bot does not start: its entrant is withdrawn."""
        entrant = self._entrants[player]
        self._withdrawn.add(entrant)
        self._director.withdraw(entrant, reason)
        for live, planned, _ in list(self._live.values()):
            if entrant in planned.group.table:
                self._abandon(live)
        self.fill()

    def spoilt(self, matches: Sequence[LiveMatch], reason: str) -> None:
        """Matches that are to be played again, by new instances in all seats."""
        for live in matches:
            entry = self._live.get(live.key)
            if entry is not None:
                self._abandon(live)
                if self._director.spoilt(entry[1], reason):
                    self.again.append(entry[1])
        self.fill()

    def broke(self, error: Exception) -> None:
        """A player cannot go on: nobody can."""
        self._director.fail(error)
