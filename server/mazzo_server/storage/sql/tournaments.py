"""Tournaments and the withdrawals of their entrants."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, Select, delete, func, insert, not_, select, update

from mazzo_server.model import Definition, InstanceLog, TournamentKind
from mazzo_server.storage.base import Claim, TournamentRow, TournamentStatus, WithdrawalRow
from mazzo_server.storage.encoding import (
    decode_definition,
    decode_instance_log,
    decode_json,
    encode_definition,
    encode_instance_log,
    encode_json,
    report_damage,
)
from mazzo_server.storage.hooks.events import Announcement
from mazzo_server.storage.refusals import make_no_tournament_error, make_withdrawn_error
from mazzo_server.storage.sql.database import (
    INTEGER_MAX,
    Database,
    clip_to_column,
    translate_store_errors,
)
from mazzo_server.storage.sql.hooks import add_announcement
from mazzo_server.storage.sql.match_results import add_unfinished_results
from mazzo_server.storage.sql.schema import (
    attempts,
    checkpoints,
    deals,
    deleted_tournaments,
    fault_logs,
    match_results,
    matches,
    node_results,
    ranking_states,
    schedules,
    spoilt_matches,
    tournaments,
    withdrawals,
)

__all__ = [
    "IS_TOURNAMENT",
    "TournamentTables",
    "add_tournament_row",
    "check_tournament",
    "forget_states",
    "read_tournament_row",
    "read_tournament_rows",
]

IS_TOURNAMENT: Final = tournaments.c.kind == TournamentKind.TOURNAMENT.value

_COPIED: Final = ("variant", "kind")  # columns of what stands in the definition, too
_HOOKS: Final = INTEGER_MAX  # the claim on what waits for hooks: no tournament has this number
_OF_TOURNAMENT: Final = (  # tables, those that refer to another one of them first
    deals,
    fault_logs,
    match_results,
    matches,
    node_results,
    withdrawals,
    checkpoints,
    schedules,
    attempts,
    spoilt_matches,
)


class TournamentTables(Database):
    """The part of a `Store` that keeps the tournaments."""

    def add_tournament(
        self,
        definition: Definition,
        *,
        concurrency: int,
        create_time: float,
        status: TournamentStatus = TournamentStatus.CREATED,
    ) -> TournamentRow:
        with self._writing() as connection:
            return add_tournament_row(
                connection,
                definition,
                concurrency=concurrency,
                create_time=create_time,
                status=status,
            )

    def delete_tournament(self, tournament_id: int) -> None:
        with self._writing() as connection:
            row = read_tournament_row(connection, tournament_id)
            _forget_rankings(connection, row)
            for table in _OF_TOURNAMENT:
                connection.execute(delete(table).where(table.c.tournament == tournament_id))
            connection.execute(delete(tournaments).where(tournaments.c.id == tournament_id))
            connection.execute(insert(deleted_tournaments).values(id=tournament_id))

    def tournament(self, tournament_id: int) -> TournamentRow:
        with self._reading() as connection:
            return read_tournament_row(connection, tournament_id)

    def tournaments(self, *, every_kind: bool = False) -> list[TournamentRow]:
        with self._reading() as connection:
            return read_tournament_rows(connection, every_kind=every_kind)

    def challenges(self, *, since: float, most: int | None = None) -> list[TournamentRow]:
        is_over = tournaments.c.status.in_([one.value for one in TournamentStatus if one.is_over])
        is_challenge = tournaments.c.kind == TournamentKind.CHALLENGE.value
        newest = (
            select(tournaments.c.id)
            .where(is_challenge, is_over, tournaments.c.create_time >= since)
            .order_by(tournaments.c.id.desc())
            .limit(most)
        )
        query = select(tournaments).where(
            is_challenge, not_(is_over) | tournaments.c.id.in_(newest.scalar_subquery())
        )
        with self._reading() as connection:
            return _read_tournaments(connection, query)

    def tournaments_of_kind(self, kind: TournamentKind) -> list[TournamentRow]:
        with self._reading() as connection:
            return _read_tournaments(
                connection, select(tournaments).where(tournaments.c.kind == kind.value)
            )

    def set_status(
        self,
        tournament_id: int,
        status: TournamentStatus,
        *,
        end_time: float | None = None,
        announcement: Announcement | None = None,
    ) -> None:
        with self._writing() as connection:
            row = read_tournament_row(connection, tournament_id)
            end_time = None if end_time is None else max(end_time, row.create_time)
            _set(connection, tournament_id, status=status.value, end_time=end_time)
            if (row.status is TournamentStatus.FINISHED) != (status is TournamentStatus.FINISHED):
                _revise(connection, tournament_id)
                _forget_rankings(connection, row)
            if status.is_over:
                add_unfinished_results(connection, row)
            if announcement is not None:
                add_announcement(connection, announcement)

    def add_run_time(self, tournament_id: int, seconds: float) -> None:
        with self._writing() as connection:
            check_tournament(connection, tournament_id)
            _set(connection, tournament_id, run_seconds=tournaments.c.run_seconds + seconds)

    def amend(self, tournament_id: int, definition: Definition) -> None:
        with self._writing() as connection:
            _forget_derived(connection, read_tournament_row(connection, tournament_id))
            _set(connection, tournament_id, definition=encode_definition(definition))

    def claim(self, tournament_id: int) -> Claim | None:
        self.tournament(tournament_id)
        with translate_store_errors(self._name):
            return self._claims.claim(tournament_id)

    def is_claimed(self, tournament_id: int) -> bool:
        self.tournament(tournament_id)
        with translate_store_errors(self._name):
            return self._claims.is_claimed(tournament_id)

    def claim_hooks(self) -> Claim | None:
        with translate_store_errors(self._name):
            return self._claims.claim(_HOOKS)

    def add_withdrawal(
        self, tournament_id: int, entrant: int, *, reason: str, log: InstanceLog | None = None
    ) -> None:
        with self._writing() as connection:
            row = read_tournament_row(connection, tournament_id)
            if any(one.entrant == entrant for one in _read_withdrawals(connection, tournament_id)):
                raise make_withdrawn_error(tournament_id, entrant)
            _forget_derived(connection, row)
            connection.execute(
                insert(withdrawals).values(
                    tournament=tournament_id,
                    entrant=entrant,
                    reason=encode_json(reason),
                    log=None if log is None else encode_instance_log(log),
                )
            )

    def withdrawals(self, tournament_id: int) -> list[WithdrawalRow]:
        with self._reading() as connection:
            check_tournament(connection, tournament_id)
            return _read_withdrawals(connection, tournament_id)


def add_tournament_row(
    connection: Connection,
    definition: Definition,
    *,
    concurrency: int,
    create_time: float,
    status: TournamentStatus = TournamentStatus.CREATED,
) -> TournamentRow:
    """Add a tournament, as `Store.add_tournament` does, in the caller's transaction."""
    # A sequence of PostgreSQL leaves gaps.
    newest = [
        connection.scalar(select(func.max(table.c.id)))
        for table in (tournaments, deleted_tournaments)
    ]
    tournament_id = max(number or 0 for number in newest) + 1
    connection.execute(
        insert(tournaments).values(
            id=tournament_id,
            definition=encode_definition(definition),
            variant=definition.variant,
            kind=definition.kind.value,
            concurrency=concurrency,
            status=status.value,
            create_time=create_time,
        )
    )
    return read_tournament_row(connection, tournament_id)


def check_tournament(connection: Connection, tournament_id: int) -> None:
    """Raise `NotFoundError` unless the tournament is there."""
    query = select(tournaments.c.id).where(tournaments.c.id == clip_to_column(tournament_id))
    if connection.scalar(query) is None:
        raise make_no_tournament_error(tournament_id)


def read_tournament_row(connection: Connection, tournament_id: int) -> TournamentRow:
    """Return the tournament of that number, as `Store.tournament` does."""
    query = select(tournaments).where(tournaments.c.id == clip_to_column(tournament_id))
    found = _read_tournaments(connection, query)
    if not found:
        raise make_no_tournament_error(tournament_id)
    return found[0]


def read_tournament_rows(connection: Connection, *, every_kind: bool) -> list[TournamentRow]:
    """Return all tournaments by number, as `Store.tournaments` does."""
    query = select(tournaments)
    if not every_kind:
        query = query.where(IS_TOURNAMENT)
    return _read_tournaments(connection, query)


def _read_tournaments(connection: Connection, query: Select[Any]) -> list[TournamentRow]:
    rows = connection.execute(query.order_by(tournaments.c.id)).mappings()
    with report_damage("a tournament"):
        return [
            TournamentRow(
                **{name: value for name, value in row.items() if name not in _COPIED}
                | {
                    "definition": decode_definition(row["definition"]),
                    "status": TournamentStatus(row["status"]),
                }
            )
            for row in map(dict, rows)
        ]


def _read_withdrawals(connection: Connection, tournament_id: int) -> list[WithdrawalRow]:
    query = (
        select(withdrawals)
        .where(withdrawals.c.tournament == tournament_id)
        .order_by(withdrawals.c.entrant)
    )
    with report_damage("a withdrawal"):
        return [
            WithdrawalRow(
                **row
                | {
                    "reason": decode_json(row["reason"]),
                    "log": None if row["log"] is None else decode_instance_log(row["log"]),
                }
            )
            for row in map(dict, connection.execute(query).mappings())
        ]


def _set(connection: Connection, tournament_id: int, **values: Any) -> None:
    connection.execute(
        update(tournaments).where(tournaments.c.id == tournament_id).values(**values)
    )


def _revise(connection: Connection, tournament_id: int) -> None:
    _set(connection, tournament_id, revision=tournaments.c.revision + 1)


def _forget_derived(connection: Connection, row: TournamentRow) -> None:
    """Forget what was derived from a tournament that is about to change."""
    _revise(connection, row.id)
    if not row.definition.pairing.keeps_results:
        connection.execute(delete(checkpoints).where(checkpoints.c.tournament == row.id))
    if row.status is TournamentStatus.FINISHED:
        _forget_rankings(connection, row)


def _forget_rankings(connection: Connection, row: TournamentRow) -> None:
    if row.definition.kind is TournamentKind.TOURNAMENT:  # no other counts
        forget_states(connection, row.definition.variant, row.id)


def forget_states(connection: Connection, variant: str, from_tournament: int) -> None:
    """Forget the kept states of a variant, as `Store.forget_rankings` does."""
    connection.execute(
        delete(ranking_states).where(
            ranking_states.c.variant == variant,
            ranking_states.c.tournament >= clip_to_column(from_tournament),
        )
    )
