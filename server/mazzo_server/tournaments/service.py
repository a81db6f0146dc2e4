"""Creates, plays and changes the tournaments of a store."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from mazzo.games import parse_variant
from mazzo_server.bots import Launcher
from mazzo_server.clock import tell_end_time, wall_clock
from mazzo_server.errors import ConflictError
from mazzo_server.logs import LogAction
from mazzo_server.metrics import Metrics
from mazzo_server.model import (
    WORKERS,
    Definition,
    Entrant,
    TournamentRequest,
)
from mazzo_server.play.instances import InstanceSpec
from mazzo_server.settings import ExecutorKind, Settings
from mazzo_server.storage import Store, TournamentRow, TournamentStatus, read_withdrawn
from mazzo_server.tournaments.changes import add_entrant, find_free_group, retire_entrant
from mazzo_server.tournaments.define import find_entrant
from mazzo_server.tournaments.executor import AlikePool, Executors, count_attempts_in
from mazzo_server.tournaments.overview import Overview
from mazzo_server.tournaments.planning import Planner
from mazzo_server.tournaments.reading import Reader
from mazzo_server.tournaments.rerun import Reruns
from mazzo_server.tournaments.running import Amend, Report, Run, end_tournament, log_tournament
from mazzo_server.tournaments.stored import StoredTournaments

__all__ = ["Tournaments"]

_LOG = logging.getLogger(__name__)

_PLAYED_ELSEWHERE = (
    "is being played by another process: if that is a server, name it (--server or MAZZO_SERVER); "
    "else press Ctrl-C there"
)
_MOST_OVER = 16  # ended runs that still tell their watchers how they ended


@dataclass(frozen=True, slots=True, kw_only=True)
class _Power:
    """With what a tournament is played."""

    executor: ExecutorKind
    workers: int  # processes, at most
    concurrency: int  # matches in flight, if no other tournament shared the machine
    alike: AlikePool | None  # those workers of a cluster alone


class Tournaments:
    """The tournaments of a store, and those that this process plays."""

    def __init__(
        self,
        store: Store,
        launcher: Launcher,
        *,
        read: Reader,
        check_open: Callable[[], None],
        metrics: Metrics,
        settings: Settings,
    ) -> None:
        """Call `check_open` before a start: it raises when nothing new may begin any more.

        The `settings` say what plays a tournament whose start does not: so many workers, or with 0
        as many as `choose_workers` says. One is this process.
        """
        self._store = store
        self._launcher = launcher
        self._check_open = check_open
        self._metrics = metrics
        self.overview = Overview(store, read=read)
        self._executors = Executors(settings, metrics)
        self.planner = Planner(
            store, launcher, self._executors, read=read, workers=settings.workers
        )
        self.reruns = Reruns(store, launcher, read=read, check_open=check_open, metrics=metrics)
        self.stored = StoredTournaments(store, read=read, check_open=check_open)
        self._runs: dict[int, Run] = {}
        self._power: dict[int, _Power] = {}  # by tournament, of its latest run here

    def stop(self, tournament: int | None = None) -> set[asyncio.Task[None]]:
        """Stop every run here, or that of one, after its current matches; return their tasks."""
        runs = [run for number, run in self._runs.items() if tournament in (None, number)]
        for run in runs:
            run.stop()
        return {run.task for run in runs if run.task}

    async def close(self) -> None:
        """End the workers and an import; nothing is played or stored any more."""
        await self._executors.close()
        await self.stored.close()

    async def create(self, request: TournamentRequest) -> TournamentRow:
        """Check and store a tournament, without playing it."""
        self._check_open()
        sandbox = await self._launcher.find_sandbox(request.isolation)
        define = partial(self.planner.define, request, bounds_cores=sandbox.bounds_cores)
        definition, _ = await asyncio.to_thread(define)
        concurrency = request.choose_concurrency(parse_variant(definition.variant))
        return await self.add(definition, concurrency=concurrency)

    async def add(
        self, definition: Definition, *, concurrency: int, create_time: float | None = None
    ) -> TournamentRow:
        """Store a complete definition whose bots can play here, without playing it.

        It is created now, if no other time is given, in Unix seconds.
        """
        self._check_open()
        sandbox = await self._launcher.find_sandbox(definition.isolation)

        def write() -> TournamentRow:
            self._launcher.check_cpu(definition, sandbox)
            self._launcher.check_reachable(definition)
            for entrant in definition.entrants:
                if not entrant.remote:
                    version = self._store.version(entrant.bot, entrant.version)
                    self._launcher.find_bundle(version, definition.limits)
            return self._store.add_tournament(
                definition,
                concurrency=concurrency,
                create_time=wall_clock() if create_time is None else create_time,
            )

        row = await asyncio.to_thread(write)
        log_tournament(row, LogAction.TOURNAMENT_CREATED, "is created")
        return row

    async def start(
        self,
        tournament: int,
        *,
        concurrency: int = 0,
        workers: int = 0,
        executor: str = "",
        nodes_alike: bool = False,
    ) -> None:
        """Play a tournament in the background, from where it stands; a finished one stays so.

        With `nodes_alike` it raises `ConflictError` for a cluster whose nodes differ in speed.
        """
        self._check_open()
        kind = self._executors.choose(executor, nodes_alike=nodes_alike)
        TournamentRequest.check_option("concurrency", concurrency)
        if workers:
            WORKERS.check(workers)
        claim = await asyncio.to_thread(self._store.claim, tournament)
        if claim is None:
            raise ConflictError(f"tournament {tournament} is being played already")
        try:
            # Read only now: the last holder of the claim may just have finished it.
            row = await asyncio.to_thread(self._store.tournament, tournament)
            if row.status is TournamentStatus.FINISHED:
                await asyncio.to_thread(claim.release)
                return
            if row.status is TournamentStatus.CANCELLED:
                raise ConflictError(f"tournament {tournament} was cancelled: create another one")
            self._launcher.check_reachable(row.definition)
            sandbox = await self._launcher.find_sandbox(row.definition.isolation)
            specs = await asyncio.to_thread(
                self._launcher.make_entrant_specs, row.definition, sandbox
            )
            concurrency = concurrency or row.concurrency
            if not workers and kind is ExecutorKind.RAY:
                workers = WORKERS.most
            elif not workers:
                choice = await self.planner.choose_workers(row, concurrency=concurrency)
                workers = choice.workers
            alike = await self._executors.find_alike(tournament) if nodes_alike else None
            self._check_open()  # the server may have begun to stop meanwhile
        except BaseException:
            await asyncio.to_thread(claim.release)
            raise
        over = [number for number, run in self._runs.items() if run.is_over]
        for number in over[:-_MOST_OVER]:
            del self._runs[number], self._power[number]
        run = self._runs[tournament] = Run(
            row,
            self._store,
            self._executors.make(
                kind,
                specs,
                workers=workers,
                concurrency=concurrency,
                count_attempts=count_attempts_in(self._store, tournament),
                list_concurrencies=lambda: [  # of each that is played here, alone
                    self._power[number].concurrency
                    for number in self.list_running(with_resting=False)
                ],
                alike=alike,
            ),
            claim=claim,
            metrics=self._metrics,
        )
        self._power[tournament] = _Power(
            executor=kind, workers=workers, concurrency=concurrency, alike=alike
        )
        run.begin()

    def list_running(self, *, with_resting: bool = True) -> list[int]:
        """Return the numbers of the tournaments that this platform plays now; or lets rest, too."""
        return [
            number
            for number, run in self._runs.items()
            if not run.is_over and (with_resting or not run.is_resting)
        ]

    def count_workers(self, tournament: int) -> int:
        """Return how many processes play it now; 0: this platform does not play it."""
        if self._find_running(tournament) is None:
            return 0
        power = self._power[tournament]
        return self._executors.count_workers(power.executor, power.workers, power.alike)

    async def pause(self, tournament: int) -> None:
        """Stop after the current matches; raise `ConflictError` when it is not running here."""
        run = self._find_running(tournament)
        if run is None:
            await asyncio.to_thread(self._store.tournament, tournament)
            playing = await asyncio.to_thread(self._store.is_claimed, tournament)
            raise ConflictError(
                f"tournament {tournament} {_PLAYED_ELSEWHERE}"
                if playing
                else f"tournament {tournament} is not being played: there is nothing to pause"
            )
        run.pause()

    async def cancel(self, tournament: int) -> None:
        """Stop for good, and give up the current matches.

        Raises `ConflictError` for a tournament that is over, or that another process plays.
        """
        run = self._find_running(tournament)
        if run is not None:
            run.cancel()
            return

        def write() -> TournamentRow:
            with self.hold(tournament) as row:
                end_time = tell_end_time(row.create_time, seconds=row.run_seconds)
                end_tournament(self._store, tournament, TournamentStatus.CANCELLED, end_time)
            return row

        row = await asyncio.to_thread(write)
        log_tournament(row, LogAction.TOURNAMENT_CANCELLED, "is cancelled")

    async def add_entrant(self, tournament: int, bot: str) -> tuple[Entrant, int]:
        """Add a bot with its active version; return the entrant and its first mirror group.

        Raises `ConflictError` for a tournament that is over or that another process plays, and what
        `changes.add_entrant` raises.
        """
        row = await asyncio.to_thread(self._store.tournament, tournament)
        variant = parse_variant(row.definition.variant)
        entrant = await asyncio.to_thread(find_entrant, bot, variant, self._store)
        amend = partial(add_entrant, entrant=entrant)
        return entrant, await self.change(tournament, amend, f"{bot} joins", entrant)

    async def change(self, tournament: int, amend: Amend, what: str, *new: Entrant) -> int:
        """Change the definition as `amend` does, which adds the `new` entrants in this order.

        Returns the first mirror group for which that holds. Raises what `add_entrant` does.
        """
        row = await asyncio.to_thread(self._store.tournament, tournament)
        definition = row.definition
        sandbox = await self._launcher.find_sandbox(definition.isolation)

        def read() -> list[InstanceSpec]:
            self._launcher.check_reachable(replace(definition, entrants=new))
            return [
                self._launcher.make_entrant_spec(entrant, definition, sandbox) for entrant in new
            ]

        specs = await asyncio.to_thread(read)
        run = self._find_running(tournament)
        if run is not None:
            first = await run.change(amend, *specs)
        else:

            def write() -> int:
                with self.hold(tournament) as row:
                    first = find_free_group(self._store, row)
                    self._store.amend(tournament, amend(row.definition, first))
                    return first

            first = await asyncio.to_thread(write)
        _LOG.info(
            "tournament %d: %s from group %d on",
            *(tournament, what, first),
            extra={
                "action": LogAction.TOURNAMENT_CHANGED,
                "tournament": tournament,
                "change": what,
                "group": first,
            },
        )
        return first

    async def retire_entrant(self, tournament: int, bot: str) -> int:
        """Retire a bot; return the first mirror group without it. Its results stay.

        Raises `ConflictError` as `add_entrant` does, and what `changes.retire_entrant` raises.
        """
        withdrawn = await asyncio.to_thread(read_withdrawn, self._store, tournament)
        amend = partial(retire_entrant, name=bot, withdrawn=withdrawn)
        return await self.change(tournament, amend, f"{bot} is retired")

    def _find_running(self, tournament: int) -> Run | None:
        run = self._runs.get(tournament)
        return None if run is None or run.is_over else run

    @contextmanager
    def hold(self, tournament: int) -> Iterator[TournamentRow]:
        """Return a tournament that is not over, while nobody else can play or change it. Blocks.

        Raises `ConflictError` for one that is over, or that another process plays.
        """
        claim = self._store.claim(tournament)
        if claim is None:
            raise ConflictError(f"tournament {tournament} {_PLAYED_ELSEWHERE}")
        try:
            row = self._store.tournament(tournament)
            if row.status.is_over:
                raise ConflictError(
                    f"tournament {tournament} is {row.status}: nothing of it can change any more"
                )
            yield row
        finally:
            claim.release()

    async def watch(
        self, tournament: int, *, sequence: int = 0, run: str = ""
    ) -> AsyncIterator[Report]:
        """Report the progress of a tournament that this process plays, until it ends.

        Each report has the matches that have begun since the last one. The first report has those
        in flight or, given the `sequence` of an earlier report of the same `run`, those begun after
        it. A tournament that is not played here gives no report.
        """
        row = await asyncio.to_thread(self._store.tournament, tournament)
        playing = self._runs.get(tournament)
        is_elsewhere = playing is None and row.status is TournamentStatus.RUNNING
        if is_elsewhere and await asyncio.to_thread(self._store.is_claimed, tournament):
            raise ConflictError(
                f"tournament {tournament} is being played by another process, which cannot be "
                f"watched from here: see `mazzo tournament show {tournament}`"
            )
        if playing is not None:
            async for report in playing.watch(sequence=sequence, run=run):
                yield report
