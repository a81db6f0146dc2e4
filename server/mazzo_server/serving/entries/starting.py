"""Starts open tournaments when they are due, each of their rounds once.

All that must outlive a restart stands in the store. A round ends and its tournament is created in
one transaction, so a kill before it changes nothing. After it the tournament is among those that
are not finished, and whichever server looks next plays it. The same goes for one that a kill, or a
stop of the server, interrupted: nobody is awake to resume what started by itself.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Final

from mazzo.errors import MazzoError
from mazzo.games import parse_variant
from mazzo_server.bots import Launcher
from mazzo_server.clock import monotonic, wall_clock
from mazzo_server.errors import ConflictError, IsolationError, StoreError
from mazzo_server.logs import LogAction
from mazzo_server.model import Definition, TournamentRequest
from mazzo_server.serving.entries.readiness import Readiness, ShownEntry, list_ready
from mazzo_server.serving.entries.steps import RoundStep, choose_step, name_round
from mazzo_server.storage import OpenTournamentRow, RoundEnd, Store
from mazzo_server.tournaments import Tournaments

__all__ = ["Starter", "start_on_time"]

_LOG = logging.getLogger(__name__)

_INTERVAL: Final = 1.0  # seconds between two looks at the clock
_PATIENCE: Final = 5.0  # seconds until who can play is found out again, though nobody entered
_RETRY: Final = 60.0  # seconds after a tournament could not be started


@dataclass(frozen=True, slots=True, kw_only=True)
class _Looked:
    """When it was found out last who can play in a round."""

    revision: int
    was_due: bool
    time: float  # on the monotonic clock

    def is_like(self, last: _Looked, patience: float) -> bool:
        """Tell whether so little has changed since the last time that it need not be done again."""
        is_same = (self.revision, self.was_due) == (last.revision, last.was_due)
        return is_same and self.time < last.time + patience


class Starter:
    """Starts the open tournaments of a store on the event loop of a server."""

    def __init__(
        self,
        store: Store,
        launcher: Launcher,
        tournaments: Tournaments,
        readiness: Readiness,
        *,
        clock: Callable[[], float] = wall_clock,
        interval: float = _INTERVAL,
        patience: float = _PATIENCE,
    ) -> None:
        self._store = store
        self._launcher = launcher
        self._tournaments = tournaments
        self._readiness = readiness
        self._clock = clock
        self._interval = interval
        self._patience = patience
        self._looked: dict[int, _Looked] = {}  # by open tournament
        # Tournaments by the time, on the monotonic clock, from which they may be started here.
        self._due: dict[int, float] = {}
        self._told: dict[int, str] = {}  # what could not be done, by open tournament

    async def run(self, stop: asyncio.Event) -> None:
        """Look at the clock again and again; return soon after `stop` is set."""
        while not stop.is_set():
            try:
                await self.look()
            except Exception as error:
                self._tell(0, error)
            else:
                self._told.pop(0, None)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._interval):
                    await stop.wait()

    async def look(self) -> None:
        """Do once whatever is due."""
        for row in await asyncio.to_thread(self._store.open_tournaments):
            try:
                await self._look_at(row)
            except ConflictError:
                continue  # it changed meanwhile: the next look sees how
            except Exception as error:  # of its own, so it must not hold up the others
                self._tell(row.id, error)
        for number in await asyncio.to_thread(self._store.unfinished_rounds):
            await self._play(number)

    async def _look_at(self, row: OpenTournamentRow) -> None:
        now = self._clock()
        timetable = row.timetable.correct(now, last_start=row.last_start)
        if timetable != row.timetable:
            await self._change(row, replace(row, timetable=timetable))
            return
        least = len(parse_variant(row.request.variant).sides)
        choose = partial(choose_step, timetable, now=now, least=least)
        is_due = timetable.is_due(now)
        if not is_due and choose(ready=row.entries) is RoundStep.WAIT:
            await self._change(row, replace(row, problem=""))
            return
        last = self._looked.get(row.id)
        looked = _Looked(revision=row.revision, was_due=is_due, time=monotonic())
        if last is not None and looked.is_like(last, self._patience):
            return
        self._looked[row.id] = looked
        entries = await asyncio.to_thread(self._readiness.examine, row)
        ready = list_ready(entries)
        problem = ""
        if choose(ready=len(ready)) is RoundStep.START:
            problem = await self._start(row, entries, now)
            if not problem:
                return
        elif is_due:
            bots = f"bot{'' if len(ready) == 1 else 's'}"
            problem = f"{len(ready)} {bots} can play, and {least} are needed"
        if choose(ready=0) is RoundStep.SKIP:
            await self._skip(row, problem, now)
        else:
            await self._change(row, replace(row, problem=problem))

    async def _change(self, row: OpenTournamentRow, changed: OpenTournamentRow) -> None:
        if row == changed:
            return
        await asyncio.to_thread(
            self._store.change_open_tournament,
            row.id,
            revision=row.revision,
            timetable=changed.timetable,
            problem=changed.problem,
        )
        if changed.problem:
            _log(LogAction.ENTRIES_WAITING, row, f"is due and waits: {changed.problem}")

    async def _start(self, row: OpenTournamentRow, entries: list[ShownEntry], now: float) -> str:
        """Make the tournament of a round; return why that cannot be, or ""."""
        request = replace(row.request, bots=tuple(list_ready(entries)), name=_choose_name(row))
        left_out = tuple(shown.entry.bot for shown in entries if shown.lacks)
        try:
            definition = await self._define(request)
        except (IsolationError, StoreError) as error:  # the log alone may name the server's parts
            self._tell(row.id, error)
            return "the server cannot start it now, and its log says why"
        except MazzoError as error:
            return str(error)
        end = RoundEnd(
            time=now,
            definition=definition,
            concurrency=request.choose_concurrency(parse_variant(definition.variant)),
            left_out=left_out,
        )
        number = await asyncio.to_thread(
            self._store.end_round,
            row.id,
            end,
            row.timetable.find_next(now),
            revision=row.revision,
        )
        self._told.pop(row.id, None)
        without = f", without {', '.join(left_out)}" if left_out else ""
        _log(LogAction.ENTRIES_STARTED, row, f"becomes tournament {number}{without}", number)
        return ""

    async def _define(self, request: TournamentRequest) -> Definition:
        sandbox = await self._launcher.find_sandbox(request.isolation)

        def define() -> Definition:
            planner = self._tournaments.planner
            definition, _ = planner.define(request, bounds_cores=sandbox.bounds_cores)
            self._launcher.check_cpu(definition, sandbox)
            return definition

        return await asyncio.to_thread(define)

    async def _skip(self, row: OpenTournamentRow, reason: str, now: float) -> None:
        following = row.timetable.find_next(now)
        assert following is not None  # what is played once is never skipped
        end = RoundEnd(time=now, reason=reason)
        await asyncio.to_thread(
            self._store.end_round, row.id, end, following, revision=row.revision
        )
        _log(LogAction.ENTRIES_SKIPPED, row, f"is not played this time: {reason}")

    async def _play(self, number: int) -> None:
        """Play the tournament of a round, unless somebody does, or it ended here before."""
        if monotonic() < self._due.get(number, 0.0):
            return
        try:
            if await asyncio.to_thread(self._store.is_claimed, number):
                return
            await self._tournaments.start(number)
            self._due[number] = inf
        except ConflictError:  # another server was faster
            self._due[number] = monotonic() + _RETRY
        except MazzoError as error:
            self._due[number] = monotonic() + _RETRY
            _LOG.warning(
                "tournament %d cannot be started, and is tried again: %s",
                *(number, error),
                extra={"action": LogAction.ENTRIES_STUCK, "tournament": number},
            )

    def _tell(self, open_id: int, error: Exception) -> None:
        """Log an error once, and not every second."""
        said = str(error) if isinstance(error, MazzoError) else repr(error)
        if self._told.get(open_id) != said:
            _LOG.warning(
                "what is due cannot be started, and is tried again: %s",
                said,
                extra={"action": LogAction.ENTRIES_STUCK, "open_tournament": open_id},
            )
        self._told[open_id] = said


def _choose_name(row: OpenTournamentRow) -> str:
    """Return the name of the tournament; "": its usual one."""
    if not row.request.name or row.timetable.every is None:
        return row.request.name
    return name_round(row.request.name, row.round)


def _log(
    action: LogAction, row: OpenTournamentRow, what: str, tournament: int | None = None
) -> None:
    facts = {} if tournament is None else {"tournament": tournament}
    _LOG.log(
        logging.INFO if action is LogAction.ENTRIES_STARTED else logging.WARNING,
        "open tournament %d %s",
        *(row.id, what),
        extra={"action": action, "open_tournament": row.id, "round": row.round, **facts},
    )


@asynccontextmanager
async def start_on_time(starter: Starter, stop: asyncio.Event) -> AsyncIterator[None]:
    """Start what is due while the context lasts, until `stop` is set."""
    running = asyncio.create_task(starter.run(stop), name="entries")
    try:
        yield
    finally:
        if not stop.is_set():
            running.cancel()
        with suppress(asyncio.CancelledError):
            await running
