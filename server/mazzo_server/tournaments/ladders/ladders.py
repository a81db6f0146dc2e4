"""The ladders of a platform: one of each variant, season after season."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from mazzo.games import parse_variant
from mazzo_server.bots import Launcher, find_own_bot
from mazzo_server.errors import ConflictError, InvalidInputError, NotFoundError
from mazzo_server.model import Definition, Entrant, TournamentKind
from mazzo_server.pairing import Outlook
from mazzo_server.results import (
    explain_rounds,
    read_standings_with_course,
)
from mazzo_server.results.standings import Course, Standings
from mazzo_server.results.watching import SharedAnswers
from mazzo_server.storage import Store, TournamentRow, TournamentStatus, read_withdrawn
from mazzo_server.tournaments.define import find_entrant
from mazzo_server.tournaments.ladders.ending import EndedSeason, SeasonEnds, find_final
from mazzo_server.tournaments.ladders.members import (
    drop_member,
    enter_version,
    list_members,
    make_versions,
)
from mazzo_server.tournaments.ladders.seasons import (
    LadderRequest,
    define_season,
    find_inherited,
)
from mazzo_server.tournaments.reading import Reader, is_played
from mazzo_server.tournaments.service import Tournaments

__all__ = ["LadderStanding", "Ladders"]

_LOG = logging.getLogger(__name__)

_LOOK_SECONDS: Final = 1.0  # between two looks at the bots
_FINAL_DEALS: Final = 5000  # of each table of a final, at most: equal bots are never told apart
_RETRY_SECONDS: Final = 60.0  # after a run that failed


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderStanding:
    """A season of a ladder, with its standings and who plays next."""

    row: TournamentRow
    running: bool  # some process plays it, or lets it rest
    standings: Standings
    course: Course
    outlook: Outlook | None  # None: nobody can go on with the season
    withdrawn: Mapping[int, str]  # why versions are not played any more, by index
    final: int | None  # the tournament that is the final of a season that is over


class Ladders:
    """The ladders of a store. The season of a ladder is a tournament of a kind of its own."""

    def __init__(
        self,
        store: Store,
        launcher: Launcher,
        tournaments: Tournaments,
        *,
        read: Reader,
        check_open: Callable[[], None],
    ) -> None:
        """Call `check_open` before a change: it raises when nothing new may begin any more."""
        self._store = store
        self._launcher = launcher
        self._tournaments = tournaments
        self._read = read
        self._check_open = check_open
        self.changing = asyncio.Lock()  # held while who is there, or the status, changes
        self.ends = SeasonEnds(store, tournaments, read=read)
        self._answers = SharedAnswers[LadderStanding]()  # by the state of its season

    async def create(self, request: LadderRequest) -> TournamentRow:
        """Begin the first season of the ladder of a variant, for the bots that it names.

        Raises `ConflictError` while there is one of the variant.
        """
        self._check_open()
        request.check()
        asked = request.tournament
        bounds_cores = await self._launcher.has_fair_cpu(asked.isolation)
        variant = parse_variant(asked.variant)
        async with self.changing:

            def define() -> Definition:
                last = self._find_last(variant.text)
                if last is not None and not last.status.is_over:
                    raise ConflictError(
                        f"there is a ladder of {variant} already: join it with `mazzo ladder join "
                        f"{variant} BOT`, or end its season"
                    )
                base, _ = self._tournaments.planner.define(asked, bounds_cores=bounds_cores)
                return define_season(
                    base,
                    confidence=request.confidence,
                    share=request.share,
                    number=1 if last is None else (last.definition.season or 0) + 1,
                )

            definition = await asyncio.to_thread(define)
            concurrency = asked.choose_concurrency(variant)
            return await self._tournaments.add(definition, concurrency=concurrency)

    async def list_seasons(self, variant: str = "") -> list[TournamentRow]:
        """Return the seasons of the ladder of a variant, or of all, the newest first."""
        text = parse_variant(variant).text if variant else ""
        rows = await asyncio.to_thread(self._store.tournaments_of_kind, TournamentKind.LADDER)
        return [row for row in reversed(rows) if text in ("", row.definition.variant)]

    async def list_with_states(self) -> list[tuple[TournamentRow, bool]]:
        """Return all seasons, the newest first, each with whether some process plays it."""

        def read() -> list[tuple[TournamentRow, bool]]:
            rows = self._store.tournaments_of_kind(TournamentKind.LADDER)
            return [(row, is_played(self._store, row)) for row in reversed(rows)]

        return await self._read(read)

    async def show(self, variant: str, season: int = 0, *, max_age: float = 0.0) -> LadderStanding:
        """Return a season of the ladder of a variant; 0: the newest.

        Its table may be as old as `SharedAnswers` allow.
        """
        found = [
            row for row in await self.list_seasons(variant) if season in (0, row.definition.season)
        ]
        if not found:
            raise NotFoundError(
                f"expected a season of the ladder of {parse_variant(variant)}, got "
                f"{season or 'a variant that has none'}: see `mazzo ladder list`"
            )
        row = found[0]
        return await self._answers.find(
            (row.id, row.status, row.revision),
            partial(self._read, self._read_standing, row.id),
            max_age=max_age,
        )

    def _read_standing(self, season: int) -> LadderStanding:
        row = self._store.tournament(season)
        final = find_final(self._store, row) if row.status.is_over else None
        running = is_played(self._store, row)  # now, and not after the standings are computed
        standings, course = read_standings_with_course(self._store, row, with_pairs=False)
        return LadderStanding(
            row=row,
            running=running,
            standings=standings,
            course=course,
            outlook=explain_rounds(self._store, row),
            withdrawn=read_withdrawn(self._store, season),
            final=None if final is None else final.id,
        )

    async def join(self, variant: str, bot: str, *, author: str = "") -> tuple[Entrant, int]:
        """Let a bot join with the version that enters tournaments; return it, and its first group.

        Its later versions follow by themselves. Raises `ConflictError` for a version that is there
        already, or did not start before.
        """
        self._check_open()
        async with self.changing:
            await asyncio.to_thread(find_own_bot, self._store, bot, author)
            row = await self._get_open(variant)
            entrant = await asyncio.to_thread(
                find_entrant, bot, parse_variant(row.definition.variant), self._store
            )
            (version,) = make_versions([entrant])
            members = list_members(row.definition).get(bot, ())
            if any(row.definition.entrants[index].name == version.name for index in members):
                raise ConflictError(f"version {version.version} of {bot} is on the ladder already")
            withdrawn = await asyncio.to_thread(read_withdrawn, self._store, row.id)
            if any(row.definition.entrants[index].name == version.name for index in withdrawn):
                raise ConflictError(
                    f"version {version.version} of {bot} was withdrawn from the ladder since it "
                    "did not start: submit a new version"
                )
            return version, await self.enter(row, version)

    async def leave(self, variant: str, bot: str, *, author: str = "") -> int:
        """Let all versions of a bot leave; return the first mirror group without it."""
        async with self.changing:
            await asyncio.to_thread(find_own_bot, self._store, bot, author)
            row = await self._get_open(variant)
            if bot not in list_members(row.definition):
                there = ", ".join(sorted(list_members(row.definition)))
                raise NotFoundError(f"expected a bot on the ladder ({there}), got {bot!r}")
            return await self._tournaments.change(
                row.id, partial(drop_member, bot=bot), f"{bot} leaves"
            )

    async def pause(self, variant: str) -> TournamentRow:
        """Play no more, until it is resumed."""
        async with self.changing:
            row = await self._get_open(variant)
            await self.ends.halt(row)
            with self._tournaments.hold(row.id):
                await asyncio.to_thread(self._store.set_status, row.id, TournamentStatus.PAUSED)
            return await asyncio.to_thread(self._store.tournament, row.id)

    async def resume(self, variant: str) -> TournamentRow:
        """Let it be played again by the server."""
        self._check_open()
        async with self.changing:
            row = await self._get_open(variant)
            if row.status is not TournamentStatus.PAUSED:
                raise ConflictError(f"the ladder of {row.definition.variant} is not paused")
            await asyncio.to_thread(self._store.set_status, row.id, TournamentStatus.RUNNING)
            return await asyncio.to_thread(self._store.tournament, row.id)

    async def end_season(
        self, variant: str, *, finalists: int = 4, is_last: bool = False
    ) -> EndedSeason:
        """End a season, with a final between so many of its first; begin the next one.

        See `SeasonEnds.end`. Raises `InvalidInputError` for too few of them for a table.
        """
        self._check_open()
        async with self.changing:
            row = await self._get_open(variant)
            if 0 < finalists < len(row.definition.sides):
                raise InvalidInputError(
                    f"finalists: expected 0, for no final, or {len(row.definition.sides)} or more "
                    f"for {row.definition.variant}, got {finalists}"
                )
            return await self.ends.end(row, finalists=finalists, is_last=is_last)

    async def enter(self, row: TournamentRow, version: Entrant) -> int:
        """Let a version join; return its first mirror group."""
        inherited = await self._read(find_inherited, self._store, row, version)
        is_new = all(one.name != version.name for one in row.definition.entrants)
        return await self._tournaments.change(
            row.id,
            partial(enter_version, entrant=version, inherited=inherited),
            f"version {version.version} of {version.bot} joins",
            *([version] if is_new else []),
        )

    def _find_last(self, variant: str) -> TournamentRow | None:
        rows = self._store.tournaments_of_kind(TournamentKind.LADDER)
        found = [row for row in rows if row.definition.variant == variant]
        return found[-1] if found else None

    async def _get_open(self, variant: str) -> TournamentRow:
        text = parse_variant(variant).text
        row = await asyncio.to_thread(self._find_last, text)
        if row is None or row.status.is_over:
            raise NotFoundError(
                f"expected a variant with a ladder, got {text}: see `mazzo ladder list`, or begin "
                f"one with `mazzo ladder create {text}`"
            )
        return row
