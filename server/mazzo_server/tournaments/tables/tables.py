"""The tables of a platform."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from hmac import compare_digest
from typing import Final

from mazzo.errors import MazzoError
from mazzo.games import parse_variant
from mazzo.match import MatchFormat
from mazzo_server.bots import Launcher
from mazzo_server.clock import monotonic, wall_clock
from mazzo_server.errors import (
    ConflictError,
    InvalidInputError,
    LimitReachedError,
    NotFoundError,
    ServerUnavailableError,
    UnauthenticatedError,
)
from mazzo_server.model import Token, count_copies, make_usual_format
from mazzo_server.play.instances import Lobby
from mazzo_server.settings import ExecutorKind
from mazzo_server.storage import Store, TournamentStatus
from mazzo_server.tournaments.define import list_entrants
from mazzo_server.tournaments.service import Tournaments
from mazzo_server.tournaments.tables.definitions import define_match, list_players
from mazzo_server.tournaments.tables.left_tables import (
    cancel_left_tables,
    delete_old_tables,
    keep_deleting_old_tables,
)
from mazzo_server.tournaments.tables.table import (
    OpenTable,
    SeatedPerson,
    TableCreator,
    TablePlan,
    TableRequest,
    TableState,
)

__all__ = ["OpenTables"]

_JOIN_SECONDS: Final = 600.0  # for people to join
_SURE_SECONDS: Final = 120.0  # for people to join, whoever else wants a table
_MOST_OVER: Final = 100  # tables that are over and still tell how they ended
_ID_LENGTH: Final = 8
_ALPHABET: Final = "abcdefghijkmnpqrstuvwxyz23456789"  # none that looks like another
_RETRY_SECONDS: Final = 60.0
_DAY: Final = 86_400.0  # seconds
_STOPPED: Final = "the platform stopped the match"
_MOST_DEALS: Final = 24  # of a match: with ten minutes for each it takes hours
_GONE: Final = "expected a table that is open, got none: it may have ended with its server"


class OpenTables:
    """Tables at which people play, each for as long as this process lives.

    Their matches are stored as tournaments of a kind of their own.
    """

    def __init__(
        self,
        store: Store,
        launcher: Launcher,
        tournaments: Tournaments,
        lobby: Lobby,
        *,
        most: int,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """There are at most so many tables at a time that are not over.

        One of them is kept for those who show a token, unless it is the only one.
        """
        self._store = store
        self._launcher = launcher
        self._tournaments = tournaments
        self._lobby = lobby
        self._most = most
        self._clock = clock
        self._tables: dict[str, OpenTable] = {}  # by id, the oldest first
        self._following: set[asyncio.Task[None]] = set()

    async def tidy_up(self, *, pause: float = _DAY) -> None:
        """Cancel the matches of tables whose process ended; delete old ones.

        They are deleted once now, and again after every `pause` in seconds until this is closed.
        """
        await asyncio.to_thread(cancel_left_tables, self._store)
        await asyncio.to_thread(delete_old_tables, self._store, now=wall_clock())
        work = keep_deleting_old_tables(self._store, pause=pause)
        self._following.add(asyncio.create_task(work, name="old-tables"))

    async def create(
        self, request: TableRequest, *, creator: TableCreator
    ) -> tuple[OpenTable, Token]:
        """Open a table, and give who asks a seat; return it with the key of that seat.

        A token opens one table at a time. Raises `InvalidInputError`, `NotFoundError` for a bot,
        `LimitReachedError`, and the SDK's errors for variants and match formats.
        """
        self._check_room(creator)
        variant = parse_variant(request.variant)
        match_format = (
            MatchFormat.parse(request.match_format)
            if request.match_format
            else make_usual_format(len(variant.sides))
        )
        match_format.check(variant)
        if (match_format.planned_deals or 0) > _MOST_DEALS:
            raise InvalidInputError(
                f"match: expected at most {_MOST_DEALS} deals at a table, got {match_format}"
            )
        copies = count_copies(request.bots)
        bots = await asyncio.to_thread(list_entrants, copies, variant, self._store)
        if len(bots) >= variant.players:
            raise InvalidInputError(
                f"bots: expected at most {variant.players - 1} at a table of {variant}, so that a "
                f"seat is left, got {len(bots)}"
            )
        # Again: others may have opened one meanwhile.
        if (gives_way := self._check_room(creator)) is not None:
            gives_way.state = TableState.CANCELLED
            gives_way.reason = "somebody else wanted a table while it waited for people"
        table = OpenTable(
            id="".join(secrets.choice(_ALPHABET) for _ in range(_ID_LENGTH)),
            plan=TablePlan(
                variant=variant,
                match_format=match_format,
                bots=tuple(bots),
                isolation=request.isolation,
            ),
            creator=creator,
            invitation=secrets.token_urlsafe(16),
            create_time=wall_clock(),
            deadline=self._clock() + _JOIN_SECONDS,
        )
        key = table.seat(request.name)
        table.opener = key.id
        self._tables[table.id] = table
        await self._begin_if_full(table)
        return table, key

    async def join(self, table_id: str, invitation: str, name: str) -> tuple[OpenTable, Token]:
        """Take a seat; return the table with the key of that seat.

        Raises `NotFoundError` for another invitation, `ConflictError` where no seat is free, and
        `InvalidInputError` for a name.
        """
        table = self.find(table_id, invitation=invitation)
        if table.state is not TableState.WAITING:
            raise ConflictError(f"no seat is free at this table: it is {table.state}")
        key = table.seat(name)
        await self._begin_if_full(table)
        return table, key

    def leave(self, key: str) -> None:
        """Give a seat up before the match begins; with the last person the table goes.

        Raises `UnauthenticatedError`, and `ConflictError` later.
        """
        table, person = self._find_seat(key)
        if table.state is not TableState.WAITING:
            raise ConflictError(
                f"the table is {table.state}: who plays leaves by the stream of the match"
            )
        table.people.remove(person)
        if table.opener == person.key.id:
            table.creator = replace(table.creator, token=None)  # who may open another one
        if not table.people:
            table.state, table.reason = TableState.CANCELLED, "everybody left"

    def open_session(self, key: str, *, previous: str) -> str:
        """Return a session token for the person with that key, once the match has begun.

        `previous` is the token of a session that the person had and lost. Raises
        `UnauthenticatedError`, `ConflictError` before the match, and `NotFoundError` after it.
        """
        table, person = self._find_seat(key)
        if table.state is TableState.WAITING:
            raise ConflictError("the table is waiting for people: nothing is played at it yet")
        if table.state.is_over:
            raise NotFoundError(f"the table is {table.state}: nothing is played at it any more")
        name = self._launcher.name_seat(person.entrant)
        return self._lobby.mint(name, person.key.id, previous=previous)

    def has_key(self, key_id: str) -> bool:
        """Tell whether the key with that id opens a seat at a table that is not over."""
        return any(
            person.key.id == key_id
            for table in self._tables.values()
            if not table.state.is_over
            for person in table.people
        )

    def find(self, table_id: str, *, invitation: str = "", key: str = "") -> OpenTable:
        """Return a table for whoever is invited or has a seat; raise `NotFoundError` for others."""
        self._expire()
        table = self._tables.get(table_id)
        shown = table.invitation if table is not None else secrets.token_urlsafe(16)
        is_invited = compare_digest(invitation.encode(), shown.encode())
        if table is None or not (is_invited or table.find_person(Token.parse(key))):
            raise NotFoundError(_GONE)
        return table

    def list_open(self) -> list[OpenTable]:
        """Return the tables that wait or are played, the newest first."""
        self._expire()
        return [table for table in reversed(self._tables.values()) if not table.state.is_over]

    async def close(self) -> None:
        """End what this does by itself; matches that are not over are cut off."""
        for task in self._following:
            task.cancel()
        await asyncio.gather(*self._following, return_exceptions=True)

    def _check_room(self, creator: TableCreator) -> OpenTable | None:
        """Return the table that gives its place up for a new one, if one has to.

        Raises `LimitReachedError`.
        """
        found = self.list_open()
        if creator.token and any(table.creator.token == creator.token for table in found):
            raise LimitReachedError(
                "expected one table at a time, got a second one: play at the first, or leave it",
                retry_seconds=_RETRY_SECONDS,
            )
        public = [table for table in found if table.creator.is_public]
        share = max(self._most - 1, 1)
        has_share = creator.is_public and len(public) >= share
        if not has_share and len(found) < self._most:
            return None
        sure = self._clock() + _JOIN_SECONDS - _SURE_SECONDS
        for table in reversed(public):  # the oldest first
            if table.state is TableState.WAITING and table.deadline <= sure:
                return table
        told = f"{share} tables for those without a token" if has_share else f"{self._most} tables"
        raise LimitReachedError(
            f"expected at most {told} at a time, got one more: wait until a match is over",
            retry_seconds=_RETRY_SECONDS,
        )

    def _expire(self) -> None:
        """Cancel the tables at which people did not arrive, and forget the oldest that are over."""
        now = self._clock()
        for table in self._tables.values():
            if table.state is TableState.WAITING and table.deadline <= now:
                table.state = TableState.CANCELLED
                table.reason = f"not everybody joined within {_JOIN_SECONDS / 60:g} minutes"
        over = [table.id for table in self._tables.values() if table.state.is_over]
        for number in over[:-_MOST_OVER]:
            del self._tables[number]

    def _find_seat(self, key: str) -> tuple[OpenTable, SeatedPerson]:
        self._expire()
        token = Token.parse(key)
        for table in self._tables.values():
            if (person := table.find_person(token)) is not None:
                return table, person
        raise UnauthenticatedError(
            "expected the metadata 'authorization: Bearer KEY' with the key of a seat at a table "
            f"that is open, got {'another text' if key else 'none'}: it may have ended with its "
            "server"
        )

    async def _begin_if_full(self, table: OpenTable) -> None:
        """Play the match once every seat is taken; cancel the table where that cannot be."""
        if table.free_seats:
            return
        table.state = TableState.PLAYING  # nobody leaves or joins any more
        begun = asyncio.get_running_loop().create_future()
        # A task of the platform's own: whoever asked for it may be gone before it has begun.
        task = asyncio.create_task(self._play(table, begun), name=f"table-{table.id}")
        self._following.add(task)
        task.add_done_callback(self._following.discard)
        await asyncio.shield(begun)

    async def _play(self, table: OpenTable, begun: asyncio.Future[None]) -> None:
        """Begin the match, tell so, and note how it ends."""
        try:
            definition = define_match(table, self._launcher.limits)
            table.players = list_players(definition)
            row = await self._tournaments.add(definition, concurrency=1)
            table.tournament = row.id
            await self._tournaments.start(row.id, workers=1, executor=ExecutorKind.PROCESSES)
        except BaseException as error:
            begun.set_exception(
                error if isinstance(error, MazzoError) else ServerUnavailableError(_STOPPED)
            )
            begun.exception()  # whoever waits for it may be gone
            await self._cancel(table, str(error) or _STOPPED)
            raise
        begun.set_result(None)
        reason = _STOPPED
        try:
            async for report in self._tournaments.watch(table.tournament):
                reason = str(report.failure or reason)
            row = await asyncio.to_thread(self._store.tournament, table.tournament)
            if row.status is TournamentStatus.FINISHED and row.matches_played:
                table.state = TableState.FINISHED
        finally:
            if not table.state.is_over:
                await self._cancel(table, reason)

    async def _cancel(self, table: OpenTable, reason: str) -> None:
        table.state, table.reason = TableState.CANCELLED, reason
        if table.tournament:
            with suppress(MazzoError):  # it is over, or the store is gone
                await self._tournaments.cancel(table.tournament)
