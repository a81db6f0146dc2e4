"""Matches, their deals, and the attempts at them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    delete,
    false,
    func,
    insert,
    select,
    text,
    update,
)

from mazzo_server.model import MatchOutcome, NodeResult, compute_node_results
from mazzo_server.storage.encoding import (
    PlayColumns,
    decode_outcome,
    encode_deals,
    encode_fault_logs,
    encode_match,
    report_damage,
)
from mazzo_server.storage.refusals import check_new, make_not_over_error
from mazzo_server.storage.sql.database import (
    INTEGER_MAX,
    Database,
    add_rows,
    clip_to_column,
)
from mazzo_server.storage.sql.match_results import add_group_results
from mazzo_server.storage.sql.schema import (
    attempts,
    deals,
    fault_logs,
    matches,
    node_results,
    spoilt_matches,
    tournaments,
    withdrawals,
)
from mazzo_server.storage.sql.tournaments import check_tournament, read_tournament_row

__all__ = ["MatchTables"]

_SUMMED: Final = ("seats", "late_seats", "forfeits", "decisions", "late_decisions")
_ADD_NODE_RESULTS: Final = text(  # SQLAlchemy has this statement for each database apart
    "INSERT INTO node_results "  # noqa: S608 (names of ours alone)
    f"(tournament, node, entrant, {', '.join(_SUMMED)}) "
    f"VALUES (:tournament, :node, :entrant, {', '.join(f':{name}' for name in _SUMMED)}) "
    "ON CONFLICT (tournament, node, entrant) DO UPDATE SET "
    + ", ".join(f"{name} = node_results.{name} + excluded.{name}" for name in _SUMMED)
)


class MatchTables(Database):
    """The part of a `Store` that keeps the matches."""

    def add_outcomes(self, tournament_id: int, outcomes: Sequence[MatchOutcome]) -> None:
        new_matches = [encode_match(tournament_id, outcome) for outcome in outcomes]
        new_deals = [row for outcome in outcomes for row in encode_deals(tournament_id, outcome)]
        new_logs = [
            row for outcome in outcomes for row in encode_fault_logs(tournament_id, outcome)
        ]
        new_sums = [
            asdict(row) | {"tournament": tournament_id} for row in compute_node_results(outcomes)
        ]
        with self._writing() as connection:
            row = read_tournament_row(connection, tournament_id)
            if not new_matches:
                return
            connection.execute(
                update(tournaments)
                .where(tournaments.c.id == tournament_id)
                .values(matches_played=tournaments.c.matches_played + len(new_matches))
            )
            # By number: many workers play groups that are far apart, and all between may be stored.
            groups = sorted({outcome.group for outcome in outcomes})
            stored = _read_match_keys(
                connection,
                matches.c.tournament == tournament_id,
                matches.c.mirror_group.in_(groups),
            )
            check_new(tournament_id, outcomes, stored)
            add_group_results(connection, row, outcomes, stored)
            add_rows(connection, matches, new_matches)
            add_rows(connection, deals, new_deals)
            add_rows(connection, fault_logs, new_logs)
            if new_sums:
                connection.execute(_ADD_NODE_RESULTS, new_sums)

    def outcomes(
        self,
        tournament_id: int,
        *,
        with_deals: bool,
        group: int | None = None,
        first_group: int = 0,
        end_group: int | None = None,
    ) -> list[MatchOutcome]:
        if group is not None:
            first_group = max(first_group, group)
            end_group = group + 1 if end_group is None else min(end_group, group + 1)
        wanted_matches, wanted_deals, wanted_logs = (
            _select_groups(table, tournament_id, first_group, end_group)
            for table in (matches, deals, fault_logs)
        )
        with self._reading() as connection, report_damage(f"the matches of {tournament_id}"):
            row = read_tournament_row(connection, tournament_id)
            rows = connection.execute(
                select(*matches.c[1:])
                .where(*wanted_matches)
                .order_by(matches.c.mirror_group, matches.c.seating)
            )
            if not with_deals or row.pruned:
                return [decode_outcome(row, None, {}) for row in rows]
            found = rows.all()
            plays: dict[tuple[int, int], list[PlayColumns]] = defaultdict(list)
            for mirror_group, seating, *columns in connection.execute(
                select(
                    deals.c.mirror_group,
                    deals.c.seating,
                    deals.c.actions,
                    deals.c.micros,
                    deals.c.substituted,
                    deals.c.notes,
                )
                .where(*wanted_deals)
                .order_by(deals.c.mirror_group, deals.c.seating, deals.c.number)
            ):
                actions, micros, substituted, notes = columns
                plays[mirror_group, seating].append((actions, micros, substituted, notes))
            logs: dict[tuple[int, int], dict[int, str]] = defaultdict(dict)
            for mirror_group, seating, number, log in connection.execute(
                select(*fault_logs.c[1:]).where(*wanted_logs)
            ):
                logs[mirror_group, seating][number] = log
            keyed = ((row, (row[0], row[1])) for row in found)
            return [decode_outcome(row, plays[key], logs[key]) for row, key in keyed]

    def node_results(self, tournament_id: int) -> list[NodeResult]:
        with self._reading() as connection:
            check_tournament(connection, tournament_id)
            rows = connection.execute(
                select(*node_results.c[1:])
                .where(node_results.c.tournament == tournament_id)
                .order_by(node_results.c.node, node_results.c.entrant)
            )
            return [NodeResult(**row._mapping) for row in rows]

    def finished_matches(
        self, tournament_id: int, *, first_group: int = 0, end_group: int | None = None
    ) -> set[tuple[int, int]]:
        with self._reading() as connection:
            check_tournament(connection, tournament_id)
            return _read_match_keys(
                connection, *_select_groups(matches, tournament_id, first_group, end_group)
            )

    def record_bytes(self, tournament_id: int) -> int:
        sizes = [
            select(func.sum(func.length(column)))
            .where(column.table.c.tournament == clip_to_column(tournament_id))
            .scalar_subquery()
            for column in (
                *deals.c["actions", "micros", "substituted", "notes"],
                fault_logs.c.log,
                withdrawals.c.log,
            )
        ]
        with self._reading() as connection:
            check_tournament(connection, tournament_id)
            return sum(size or 0 for size in connection.execute(select(*sizes)).one())

    def prune(self, tournament_id: int) -> None:
        with self._writing() as connection:
            if not read_tournament_row(connection, tournament_id).status.is_over:
                raise make_not_over_error(tournament_id)
            for table in (deals, fault_logs):
                connection.execute(delete(table).where(table.c.tournament == tournament_id))
            connection.execute(
                update(withdrawals)
                .where(withdrawals.c.tournament == tournament_id)
                .values(log=None)
            )
            connection.execute(
                update(tournaments).where(tournaments.c.id == tournament_id).values(pruned=True)
            )

    def begin_matches(self, tournament_id: int, keys: Sequence[tuple[int, int]]) -> list[int]:
        with self._writing() as connection:
            check_tournament(connection, tournament_id)
            if not keys:
                return []
            groups = [group for group, _ in keys]
            rows = connection.execute(
                select(attempts.c.mirror_group, attempts.c.seating, attempts.c.begun).where(
                    attempts.c.tournament == tournament_id,
                    attempts.c.mirror_group.between(min(groups), max(groups)),
                )
            )
            begun = {(group, seating): times for group, seating, times in rows}
            new = [
                {"tournament": tournament_id, "mirror_group": group, "seating": seating, "begun": 1}
                for group, seating in keys
                if (group, seating) not in begun
            ]
            if new:
                connection.execute(insert(attempts), new)
            for group, seating in begun.keys() & set(keys):
                connection.execute(
                    update(attempts)
                    .where(
                        attempts.c.tournament == tournament_id,
                        attempts.c.mirror_group == group,
                        attempts.c.seating == seating,
                    )
                    .values(begun=attempts.c.begun + 1)
                )
        return [begun.get(key, 0) for key in keys]

    def attempts(self, tournament_id: int, *, group: int) -> dict[int, int]:
        with self._reading() as connection:
            check_tournament(connection, tournament_id)
            rows = connection.execute(
                select(attempts.c.seating, attempts.c.begun).where(
                    attempts.c.tournament == tournament_id,
                    attempts.c.mirror_group == clip_to_column(group),
                )
            )
            return {seating: times - 1 for seating, times in rows}

    def add_spoilt(self, tournament_id: int, group: int, seating: int) -> None:
        key = {"tournament": tournament_id, "mirror_group": group, "seating": seating}
        is_it = [spoilt_matches.c[name] == value for name, value in key.items()]
        with self._writing() as connection:
            check_tournament(connection, tournament_id)
            times = connection.scalar(select(spoilt_matches.c.times).where(*is_it))
            if times is None:
                connection.execute(insert(spoilt_matches).values(**key, times=1))
            else:
                connection.execute(update(spoilt_matches).where(*is_it).values(times=times + 1))

    def spoilt_matches(self, tournament_id: int) -> dict[tuple[int, int], int]:
        with self._reading() as connection:
            check_tournament(connection, tournament_id)
            rows = connection.execute(
                select(*spoilt_matches.c[1:]).where(spoilt_matches.c.tournament == tournament_id)
            )
            return {(group, seating): times for group, seating, times in rows}

    def next_group(self, tournament_id: int) -> int:
        with self._reading() as connection:
            check_tournament(connection, tournament_id)
            last = [
                connection.scalar(
                    select(func.max(table.c.mirror_group)).where(
                        table.c.tournament == tournament_id
                    )
                )
                for table in (matches, attempts)
            ]
            return max(-1 if group is None else group for group in last) + 1


def _select_groups(
    table: Table, tournament_id: int, first_group: int, end_group: int | None
) -> list[ColumnElement[bool]]:
    """Return what selects the rows of a range of groups, without its end, of a tournament."""
    group = table.c.mirror_group
    wanted = [table.c.tournament == tournament_id, group >= max(first_group, 0)]
    if end_group is not None and end_group <= INTEGER_MAX:
        wanted.append(group < max(end_group, 0))
    return wanted if first_group <= INTEGER_MAX else [false()]


def _read_match_keys(connection: Connection, *wanted: ColumnElement[bool]) -> set[tuple[int, int]]:
    query = select(matches.c.mirror_group, matches.c.seating).where(*wanted)
    return {(group, seating) for group, seating in connection.execute(query)}
