"""Open tournaments, the bots that have entered them, and their rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from mazzo_server.model import TournamentRequest
from mazzo_server.storage.base import TournamentStatus
from mazzo_server.storage.encoding import (
    decode_json,
    decode_request,
    encode_json,
    encode_request,
    report_damage,
)
from mazzo_server.storage.entries.rows import (
    EntryRow,
    OpenTournamentRow,
    PlayedRound,
    RoundEnd,
    check_entering,
    check_few_open,
    check_room,
    check_unchanged,
    make_entered_error,
    make_no_entry_row_error,
    make_no_open_tournament_error,
)
from mazzo_server.storage.entries.timetable import Every, Timetable
from mazzo_server.storage.sql.database import Database, clip_to_column, is_storable
from mazzo_server.storage.sql.schema import entries, open_rounds, open_tournaments, tournaments
from mazzo_server.storage.sql.tournaments import add_tournament_row

__all__ = ["EntryTables", "remove_entries"]

_GOING_ON = (TournamentStatus.CREATED.value, TournamentStatus.RUNNING.value)
_TIMETABLE = ("entries_from", "entries_until", "start_at", "start_with")  # and `every`


class EntryTables(Database):
    """The part of a `Store` that keeps open tournaments."""

    def add_open_tournament(
        self,
        request: TournamentRequest,
        timetable: Timetable,
        *,
        create_time: float,
        entries: Sequence[EntryRow] = (),
    ) -> OpenTournamentRow:
        with self._writing() as connection:
            check_few_open(len(_read_open(connection)))
            open_id = (connection.scalar(select(func.max(open_tournaments.c.id))) or 0) + 1
            connection.execute(
                insert(open_tournaments).values(
                    id=open_id,
                    request=encode_request(request),
                    create_time=create_time,
                    **_encode_timetable(timetable),
                )
            )
            for entry in entries:
                _add_entry(connection, open_id, entry)
            return _find_open(connection, open_id)

    def open_tournament(self, open_id: int) -> OpenTournamentRow:
        with self._reading() as connection:
            return _find_open(connection, open_id)

    def open_tournaments(self, *, with_over: bool = False) -> list[OpenTournamentRow]:
        with self._reading() as connection:
            return _read_open(connection, with_over=with_over)

    def entries(self, open_id: int) -> list[EntryRow]:
        with self._reading() as connection:
            _find_open(connection, open_id)
            query = (
                select(entries.c.bot, entries.c.author, entries.c.time)
                .where(entries.c.open_tournament == open_id)
                .order_by(entries.c.time, entries.c.bot)
            )
            return [EntryRow(**row) for row in map(dict, connection.execute(query).mappings())]

    def enter_bot(self, open_id: int, entry: EntryRow) -> None:
        with self._writing() as connection:
            row = _find_open(connection, open_id)
            check_entering(row, author=entry.author, time=entry.time)
            if _has_entry(connection, open_id, entry.bot):
                raise make_entered_error(open_id, entry.bot)
            check_room(row)
            _add_entry(connection, open_id, entry)
            _change(connection, open_id)

    def remove_entry(self, open_id: int, bot: str, *, author: str, time: float) -> None:
        with self._writing() as connection:
            check_entering(_find_open(connection, open_id), author=author, time=time)
            if not _has_entry(connection, open_id, bot):
                raise make_no_entry_row_error(open_id, bot)
            connection.execute(
                delete(entries).where(entries.c.open_tournament == open_id, entries.c.bot == bot)
            )
            _change(connection, open_id)

    def change_open_tournament(
        self, open_id: int, *, revision: int, timetable: Timetable, problem: str
    ) -> None:
        with self._writing() as connection:
            row = _find_open(connection, open_id)
            check_unchanged(row, revision)
            if row.timetable != timetable:
                _change(connection, open_id, **_encode_timetable(timetable))
            connection.execute(
                update(open_tournaments)
                .where(open_tournaments.c.id == open_id)
                .values(problem=encode_json(problem))
            )

    def end_round(
        self, open_id: int, end: RoundEnd, following: Timetable | None, *, revision: int
    ) -> int | None:
        with self._writing() as connection:
            row = _find_open(connection, open_id)
            check_unchanged(row, revision)
            tournament = None
            if end.definition is not None:
                tournament = add_tournament_row(
                    connection, end.definition, concurrency=end.concurrency, create_time=end.time
                ).id
            connection.execute(
                insert(open_rounds).values(
                    open_tournament=open_id,
                    number=row.round,
                    time=end.time,
                    tournament=tournament,
                    reason=encode_json(end.reason),
                    left_out=encode_json(end.left_out),
                )
            )
            if following is None:
                _end(connection, open_id)
                return tournament
            connection.execute(delete(entries).where(entries.c.open_tournament == open_id))
            _change(
                connection,
                open_id,
                round=row.round + 1,
                last_start=row.timetable.start_time,
                problem=encode_json(""),
                **_encode_timetable(following),
            )
            return tournament

    def call_off(self, open_id: int, *, time: float) -> None:
        with self._writing() as connection:
            check_entering(_find_open(connection, open_id), author="", time=time)
            _end(connection, open_id)

    def rounds(self, open_id: int, *, limit: int) -> list[PlayedRound]:
        with self._reading() as connection:
            _find_open(connection, open_id)
            query = (
                select(*(column for column in open_rounds.c if column.name != "open_tournament"))
                .where(open_rounds.c.open_tournament == open_id)
                .order_by(open_rounds.c.number.desc())
                .limit(limit)
            )
            with report_damage("the rounds of an open tournament"):
                return [
                    PlayedRound(
                        **row
                        | {
                            "reason": decode_json(row["reason"]),
                            "left_out": tuple(decode_json(row["left_out"])),
                        }
                    )
                    for row in map(dict, connection.execute(query).mappings())
                ]

    def unfinished_rounds(self) -> list[int]:
        with self._reading() as connection:
            query = (
                select(tournaments.c.id)
                .join(open_rounds, open_rounds.c.tournament == tournaments.c.id)
                .where(tournaments.c.status.in_(_GOING_ON))
                .order_by(tournaments.c.id)
            )
            return list(connection.scalars(query))


def remove_entries(connection: Connection, bot: str) -> None:
    """Take a bot that is deleted out of every open tournament, in the caller's transaction."""
    found = connection.scalars(select(entries.c.open_tournament).where(entries.c.bot == bot))
    for open_id in list(found):
        _change(connection, open_id)
    connection.execute(delete(entries).where(entries.c.bot == bot))


def _add_entry(connection: Connection, open_id: int, entry: EntryRow) -> None:
    connection.execute(insert(entries).values(open_tournament=open_id, **asdict(entry)))


def _has_entry(connection: Connection, open_id: int, bot: str) -> bool:
    if not is_storable(bot):
        return False
    query = select(entries.c.bot).where(entries.c.open_tournament == open_id, entries.c.bot == bot)
    return connection.scalar(query) is not None


def _change(connection: Connection, open_id: int, **values: Any) -> None:
    connection.execute(
        update(open_tournaments)
        .where(open_tournaments.c.id == open_id)
        .values(revision=open_tournaments.c.revision + 1, **values)
    )


def _end(connection: Connection, open_id: int) -> None:
    _change(connection, open_id, is_over=True, problem=encode_json(""))


def _find_open(connection: Connection, open_id: int) -> OpenTournamentRow:
    found = _read_open(connection, clip_to_column(open_id), with_over=True)
    if not found:
        raise make_no_open_tournament_error(open_id)
    return found[0]


def _read_open(
    connection: Connection, open_id: int | None = None, *, with_over: bool = False
) -> list[OpenTournamentRow]:
    """Return the open tournament of that number, if there is one, or all, by number."""
    entered = (
        select(func.count())
        .where(entries.c.open_tournament == open_tournaments.c.id)
        .scalar_subquery()
        .label("entries")
    )
    query = select(open_tournaments, entered).order_by(open_tournaments.c.id)
    if open_id is not None:
        query = query.where(open_tournaments.c.id == open_id)
    if not with_over:
        query = query.where(open_tournaments.c.is_over.is_(False))
    with report_damage("an open tournament"):
        return [_decode_open(dict(row)) for row in connection.execute(query).mappings()]


def _encode_timetable(timetable: Timetable) -> dict[str, float | str | None]:
    every = timetable.every
    return asdict(timetable) | {"every": None if every is None else every.value}


def _decode_open(row: dict[Any, Any]) -> OpenTournamentRow:
    every = row.pop("every")
    timetable = Timetable(
        every=None if every is None else Every(every),
        **{name: row.pop(name) for name in _TIMETABLE},
    )
    request, problem = decode_request(row.pop("request")), decode_json(row.pop("problem"))
    return OpenTournamentRow(**row, request=request, problem=problem, timetable=timetable)
