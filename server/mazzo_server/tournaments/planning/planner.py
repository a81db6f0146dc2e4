"""Makes definitions of tournaments from requests, and plans them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean
from typing import Final

from mazzo.games import parse_variant
from mazzo_server.bots import Launcher
from mazzo_server.model import WORKERS, Definition, TournamentRequest
from mazzo_server.pairing import make_pairing
from mazzo_server.settings import ExecutorKind, list_usable_processors
from mazzo_server.storage import Store, TournamentRow
from mazzo_server.tournaments.define import define, list_unqualified
from mazzo_server.tournaments.executor import ClusterStatus, Executors
from mazzo_server.tournaments.planning.plan import (
    Estimate,
    Plan,
    Speed,
    count_decisions_per_match,
    estimate,
    make_plan,
)
from mazzo_server.tournaments.planning.speed import measure_speed
from mazzo_server.tournaments.planning.worker_choice import (
    WorkerChoice,
    WorkerLoad,
    choose_workers,
    find_local_share,
)
from mazzo_server.tournaments.reading import Reader

__all__ = ["PlannedTournament", "Planner"]

_ENDLESS: Final = 1e15  # decisions, so many that their number limits nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTournament:
    """A tournament that is not stored."""

    definition: Definition
    plan: Plan
    estimate: Estimate | None  # None where nothing was measured yet
    unqualified: Sequence[str]  # the bots that are left out
    workers: WorkerChoice
    cluster: ClusterStatus | None  # on which it would be played; None: this machine plays it


class Planner:
    """Plans what tournaments would play."""

    def __init__(
        self,
        store: Store,
        launcher: Launcher,
        executors: Executors,
        *,
        read: Reader,
        workers: int = 0,
    ) -> None:
        """So many `workers` play where a start names no number; 0: as `choose_workers` says."""
        self._store = store
        self._workers = workers
        self._launcher = launcher
        self._executors = executors
        self._read = read
        self._planning = asyncio.Lock()

    async def plan(
        self, request: TournamentRequest, *, executor: str = "", nodes_alike: bool = False
    ) -> PlannedTournament:
        """Return what a tournament would play, and how long it would take; nothing is stored.

        Looks at the cluster where that would play; raises `ConflictError` where its nodes must be
        alike and are not.
        """
        kind = self._executors.choose(executor, nodes_alike=nodes_alike)
        bounds_cores = await self._launcher.has_fair_cpu(request.isolation)

        def read() -> PlannedTournament:
            definition, left_out = self.define(request, bounds_cores=bounds_cores)
            self._launcher.check_reachable(definition)
            plan = make_plan(definition, make_pairing(definition))
            speed = measure_speed(self._store, definition)
            return PlannedTournament(
                definition=definition,
                plan=plan,
                estimate=estimate(definition, plan, speed),
                unqualified=left_out,
                workers=self._choose(
                    definition,
                    speed,
                    matches=plan.matches,
                    concurrency=request.choose_concurrency(parse_variant(definition.variant)),
                ),
                cluster=None,
            )

        async with self._planning:  # one at a time: others want to read, too
            planned = await self._read(read)
        if kind is not ExecutorKind.RAY:
            return planned
        cluster = await self._executors.examine_nodes(nodes_alike=nodes_alike)
        slots = cluster.playing_slots
        choice = WorkerChoice(
            workers=min(slots, WORKERS.most),
            reason=f"the nodes that may play have {slots:,} slot{'' if slots == 1 else 's'}",
        )
        return replace(planned, cluster=cluster, workers=choice)

    async def choose_workers(self, row: TournamentRow, *, concurrency: int) -> WorkerChoice:
        """Choose how many processes play the rest of a stored tournament."""

        def read() -> WorkerChoice:
            definition = row.definition
            total = make_pairing(definition).total() * definition.seatings
            return self._choose(
                definition,
                measure_speed(self._store, definition),
                matches=total - row.matches_played,
                concurrency=concurrency,
            )

        return await self._read(read)

    def _choose(
        self, definition: Definition, speed: Speed, *, matches: int, concurrency: int
    ) -> WorkerChoice:
        """Choose how many processes play so many matches. Blocks."""
        if self._workers:
            return WorkerChoice(workers=self._workers, reason="the server was told so")
        timed = [
            speed.decision_seconds.get(index)
            for index, entrant in enumerate(definition.entrants)
            if not entrant.remote
        ]
        known = [seconds for seconds in timed if seconds is not None]
        endless = WorkerLoad(
            decisions=_ENDLESS,
            decision_seconds=fmean(known) if known and len(known) == len(timed) else None,
            local_share=find_local_share(definition),
            concurrency=concurrency,
        )
        cores = len(list_usable_processors())
        choice = choose_workers(endless, cores=cores)
        if choice.workers == 1:  # to count decisions takes long in some games
            return choice
        decisions = matches * count_decisions_per_match(definition)
        return choose_workers(replace(endless, decisions=decisions), cores=cores)

    async def find_unqualified(self, request: TournamentRequest) -> list[str]:
        """Return the bots that a tournament leaves out, see `define.list_unqualified`.

        They include bots that cannot play, see `Launcher.can_play`.
        """

        def read() -> list[str]:
            return [] if request.bots else self.define(request, bounds_cores=False)[1]

        return await self._read(read)

    def define(
        self, request: TournamentRequest, *, bounds_cores: bool
    ) -> tuple[Definition, list[str]]:
        """Return a definition, and the bots that are left out of it. Blocks.

        A bot that cannot play, see `Launcher.can_play`, stays in where nobody could play without
        it.
        """
        made = partial(
            define, store=self._store, bounds_cores=bounds_cores, limits=self._launcher.limits
        )
        definition = made(request)
        if request.bots:
            return definition, []
        left_out = list_unqualified(request, self._store)
        names = {entrant.name for entrant in definition.entrants}
        fitting = {
            entrant.name
            for entrant in definition.entrants
            if self._launcher.can_play(
                self._store.version(entrant.bot, entrant.version), definition.limits
            )
        }
        enough = len(fitting) >= len(definition.sides)
        if fitting == names or not enough or (request.hero and request.hero not in fitting):
            return definition, left_out
        definition = made(replace(request, bots=tuple(fitting)))
        return definition, sorted([*left_out, *(names - fitting)])
