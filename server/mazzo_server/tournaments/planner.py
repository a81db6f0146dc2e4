"""Makes definitions of tournaments from what is asked for, and plans them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from mazzo.games import parse_variant
from mazzo_server.bots import Launcher
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Definition
from mazzo_server.pairing import make_pairing
from mazzo_server.storage import Store
from mazzo_server.tournaments.define import TournamentWish, define, unqualified
from mazzo_server.tournaments.plan import Estimate, Plan, estimate, make_plan
from mazzo_server.tournaments.reading import Reader
from mazzo_server.tournaments.speed import measure_speed

__all__ = ["PlannedTournament", "Planner", "check_concurrency"]

_MOST_CONCURRENCY = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTournament:
    """A tournament that is not stored."""

    definition: Definition
    plan: Plan
    estimate: Estimate | None  # None where nothing was measured yet
    unqualified: Sequence[str]  # the bots that are left out


class Planner:
    """Says what tournaments would play."""

    def __init__(self, store: Store, launcher: Launcher, *, read: Reader) -> None:
        self._store = store
        self._launcher = launcher
        self._read = read
        self._planning = asyncio.Lock()

    async def plan(
        self, wish: TournamentWish, *, isolation: str, concurrency: int = 0
    ) -> PlannedTournament:
        """Return what a tournament would play, and how long it would take; nothing is stored."""
        check_concurrency(concurrency)
        bounds_cores = await self._launcher.has_fair_cpu(isolation)

        def read() -> PlannedTournament:
            definition, left_out = self.define(wish, isolation=isolation, bounds_cores=bounds_cores)
            self._launcher.check_reachable(definition)
            plan = make_plan(definition, make_pairing(definition))
            speed = measure_speed(self._store, definition)
            return PlannedTournament(
                definition=definition,
                plan=plan,
                estimate=estimate(definition, plan, speed),
                unqualified=left_out,
            )

        async with self._planning:  # one at a time: others want to read, too
            return await self._read(read)

    async def find_unqualified(self, wish: TournamentWish) -> list[str]:
        """Return the bots that a tournament leaves out, see `define.unqualified`.

        Also those whose stored files fit no longer.
        """

        def read() -> list[str]:
            return [] if wish.bots else self.define(wish, isolation="", bounds_cores=False)[1]

        return await self._read(read)

    def define(
        self, wish: TournamentWish, *, isolation: str, bounds_cores: bool
    ) -> tuple[Definition, list[str]]:
        """Return a definition, and the bots that are left out of it. Blocks.

        Where nobody could play without a bot whose files fit no longer, it stays in.
        """
        made = partial(define, store=self._store, isolation=isolation, bounds_cores=bounds_cores)
        definition = made(wish)
        if wish.bots:
            return definition, []
        left_out = unqualified(wish, self._store)
        names = {entrant.name for entrant in definition.entrants}
        fitting = {
            entrant.name
            for entrant in definition.entrants
            if self._launcher.has_fitting_files(self._store.version(entrant.name, entrant.version))
        }
        enough = len(fitting) >= len(parse_variant(definition.variant).sides)
        if fitting == names or not enough or (wish.hero and wish.hero not in fitting):
            return definition, left_out
        definition = made(replace(wish, bots=tuple(fitting)))
        return definition, sorted([*left_out, *(names - fitting)])


def check_concurrency(concurrency: int) -> None:
    """Raise `InvalidInputError` for what is no number of matches at once; 0: the default."""
    if not 0 <= concurrency <= _MOST_CONCURRENCY:
        raise InvalidInputError(
            f"concurrency: expected 1 to {_MOST_CONCURRENCY} matches at once, got {concurrency}"
        )
