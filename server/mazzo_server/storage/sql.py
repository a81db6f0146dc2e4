"""The store in a database, by SQLAlchemy Core. What is special to SQLite is in `sqlite`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Engine, Select, func, insert, select, update
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from mazzo_server.access import Role
from mazzo_server.definition import Definition
from mazzo_server.errors import ConflictError, StoreError
from mazzo_server.outcome import MatchOutcome
from mazzo_server.storage.base import (
    BotRow,
    TokenRow,
    TournamentRow,
    TournamentStatus,
    VersionRow,
    WithdrawalRow,
)
from mazzo_server.storage.encoding import (
    decode_definition,
    decode_json,
    decode_outcome,
    decoding,
    encode_deals,
    encode_definition,
    encode_fault_logs,
    encode_json,
    encode_match,
)
from mazzo_server.storage.refusals import (
    check_bot,
    check_new,
    no_bot,
    no_token,
    no_tournament,
    no_version,
    token_exists,
    withdrawn,
)
from mazzo_server.storage.schema import (
    attempts,
    bots,
    deals,
    fault_logs,
    matches,
    tokens,
    tournaments,
    versions,
    withdrawals,
)

__all__ = ["WRITES", "SqlStore", "store_errors"]

# Execution option of the connections that write.
WRITES: Final = "mazzo_writes"

_INTEGER_MAX: Final = 2**31 - 1  # of an integer column in PostgreSQL

_ADVICE: Final = {
    "SQLITE_BUSY": "another process holds it; try again",
    "SQLITE_FULL": "make room on the disk; what was stored before is safe",
    "SQLITE_NOTADB": "move the file away, or choose another MAZZO_HOME",
    "SQLITE_CANTOPEN": "it must be a file that you may write, or choose another MAZZO_HOME",
    "SQLITE_READONLY": "it must be a file that you may write, or choose another MAZZO_HOME",
}


@contextmanager
def store_errors(name: str) -> Iterator[None]:
    """Turn what SQLAlchemy and the file system raise into a `StoreError` about that store."""
    try:
        yield
    except IntegrityError as error:
        raise ConflictError(f"another process changed the store {name} meanwhile") from error
    except OSError as error:
        raise StoreError(f"cannot use the store {name}: {error.strerror or error}") from error
    except SQLAlchemyError as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        found = getattr(cause, "sqlite_errorname", "")  # may be extended: SQLITE_BUSY_SNAPSHOT
        advice = [text for code, text in _ADVICE.items() if found.startswith(code)]
        raise StoreError(
            ": ".join([f"cannot use the store {name}", str(cause), *advice])
        ) from error


class SqlStore:
    """A `Store` in the database of an engine, which it owns, whose schema is up to date.

    `name` is what errors call it. Connections that write have the execution option `WRITES`.
    """

    def __init__(self, engine: Engine, *, name: str) -> None:
        self._engine = engine
        self._write_engine = engine.execution_options(**{WRITES: True})
        self._name = name

    def add_version(
        self,
        name: str,
        *,
        content_hash: str,
        manifest: dict[str, Any],
        create_time: float,
        owner: str = "",
        remote: bool = False,
    ) -> VersionRow:
        with self._writing() as connection:
            bot = _bot(connection, name)
            if bot is None:
                connection.execute(
                    insert(bots).values(
                        name=name,
                        retired=False,
                        create_time=create_time,
                        owner=owner,
                        remote=remote,
                    )
                )
            else:
                check_bot(bot, owner=owner, remote=remote)
                connection.execute(update(bots).where(bots.c.name == name).values(retired=False))
            newest = connection.scalar(
                select(func.max(versions.c.number)).where(versions.c.bot == name)
            )
            number = (newest or 0) + 1
            connection.execute(
                insert(versions).values(
                    bot=name,
                    number=number,
                    content_hash=content_hash,
                    manifest=encode_json(manifest),
                    create_time=create_time,
                )
            )
            return _version(connection, name, number)

    def set_trial(self, name: str, number: int, *, trial: dict[str, Any]) -> None:
        with self._writing() as connection:
            _version(connection, name, number)
            connection.execute(
                update(versions)
                .where(versions.c.bot == name, versions.c.number == number)
                .values(trial=encode_json(trial))
            )

    def bots(self) -> list[BotRow]:
        with self._reading() as connection:
            rows = [BotRow(**row) for row in connection.execute(select(bots)).mappings()]
        # Sorted here: the collation of a PostgreSQL database is not known.
        return sorted(rows, key=lambda row: row.name)

    def bot(self, name: str) -> BotRow | None:
        with self._reading() as connection:
            return _bot(connection, name)

    def versions(self, name: str) -> list[VersionRow]:
        with self._reading() as connection:
            if _bot(connection, name) is None:
                raise no_bot(name)
            return _versions(connection, select(versions).where(versions.c.bot == name))

    def version(self, name: str, number: int | None = None) -> VersionRow:
        with self._reading() as connection:
            return _version(connection, name, number)

    def retire(self, name: str) -> None:
        with self._writing() as connection:
            if _bot(connection, name) is None:
                raise no_bot(name)
            connection.execute(update(bots).where(bots.c.name == name).values(retired=True))

    def add_tournament(
        self, definition: Definition, *, concurrency: int, create_time: float
    ) -> TournamentRow:
        with self._writing() as connection:
            tournament_id = connection.execute(
                insert(tournaments)
                .values(
                    definition=encode_definition(definition),
                    concurrency=concurrency,
                    status=TournamentStatus.CREATED.value,
                    create_time=create_time,
                )
                .returning(tournaments.c.id)
            ).scalar_one()
            return _tournament(connection, tournament_id)

    def tournament(self, tournament_id: int) -> TournamentRow:
        with self._reading() as connection:
            return _tournament(connection, tournament_id)

    def tournaments(self) -> list[TournamentRow]:
        with self._reading() as connection:
            return _tournaments(connection, select(tournaments))

    def set_status(
        self, tournament_id: int, status: TournamentStatus, *, end_time: float | None = None
    ) -> None:
        with self._writing() as connection:
            _check_tournament(connection, tournament_id)
            connection.execute(
                update(tournaments)
                .where(tournaments.c.id == tournament_id)
                .values(status=status.value, end_time=end_time)
            )

    def add_outcomes(self, tournament_id: int, outcomes: Sequence[MatchOutcome]) -> None:
        new_matches = [encode_match(tournament_id, outcome) for outcome in outcomes]
        new_deals = [row for outcome in outcomes for row in encode_deals(tournament_id, outcome)]
        new_logs = [
            row for outcome in outcomes for row in encode_fault_logs(tournament_id, outcome)
        ]
        with self._writing() as connection:
            _check_tournament(connection, tournament_id)
            if not new_matches:
                return
            groups = [outcome.group for outcome in outcomes]
            stored = _match_keys(
                connection,
                matches.c.tournament == tournament_id,
                matches.c.mirror_group.between(min(groups), max(groups)),
            )
            check_new(tournament_id, outcomes, stored)
            connection.execute(insert(matches), new_matches)
            if new_deals:
                connection.execute(insert(deals), new_deals)
            if new_logs:
                connection.execute(insert(fault_logs), new_logs)

    def outcomes(
        self, tournament_id: int, *, with_deals: bool, group: int | None = None
    ) -> list[MatchOutcome]:
        wanted_matches = [matches.c.tournament == tournament_id]
        wanted_deals = [deals.c.tournament == tournament_id]
        wanted_logs = [fault_logs.c.tournament == tournament_id]
        if group is not None:
            wanted_matches.append(matches.c.mirror_group == _fitting(group))
            wanted_deals.append(deals.c.mirror_group == _fitting(group))
            wanted_logs.append(fault_logs.c.mirror_group == _fitting(group))
        with self._reading() as connection, decoding(f"the matches of {tournament_id}"):
            _check_tournament(connection, tournament_id)
            rows = connection.execute(
                select(*matches.c[1:])
                .where(*wanted_matches)
                .order_by(matches.c.mirror_group, matches.c.seating)
            )
            if not with_deals:
                return [decode_outcome(row, None, {}) for row in rows]
            found = rows.all()
            blobs: dict[tuple[int, int], list[tuple[bytes, bytes, bytes]]] = defaultdict(list)
            for mirror_group, seating, *columns in connection.execute(
                select(
                    deals.c.mirror_group,
                    deals.c.seating,
                    deals.c.actions,
                    deals.c.micros,
                    deals.c.substituted,
                )
                .where(*wanted_deals)
                .order_by(deals.c.mirror_group, deals.c.seating, deals.c.number)
            ):
                actions, micros, substituted = columns
                blobs[mirror_group, seating].append((actions, micros, substituted))
            logs: dict[tuple[int, int], dict[int, str]] = defaultdict(dict)
            for mirror_group, seating, number, log in connection.execute(
                select(*fault_logs.c[1:]).where(*wanted_logs)
            ):
                logs[mirror_group, seating][number] = log
            keyed = ((row, (row[0], row[1])) for row in found)
            return [decode_outcome(row, blobs[key], logs[key]) for row, key in keyed]

    def finished_matches(self, tournament_id: int) -> set[tuple[int, int]]:
        with self._reading() as connection:
            _check_tournament(connection, tournament_id)
            return _match_keys(connection, matches.c.tournament == tournament_id)

    def begin_matches(self, tournament_id: int, keys: Sequence[tuple[int, int]]) -> list[int]:
        with self._writing() as connection:
            _check_tournament(connection, tournament_id)
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
            _check_tournament(connection, tournament_id)
            rows = connection.execute(
                select(attempts.c.seating, attempts.c.begun).where(
                    attempts.c.tournament == tournament_id, attempts.c.mirror_group == group
                )
            )
            return {seating: times - 1 for seating, times in rows}

    def add_withdrawal(self, tournament_id: int, entrant: int, *, reason: str) -> None:
        with self._writing() as connection:
            _check_tournament(connection, tournament_id)
            if any(row.entrant == entrant for row in _withdrawals(connection, tournament_id)):
                raise withdrawn(tournament_id, entrant)
            connection.execute(
                insert(withdrawals).values(
                    tournament=tournament_id, entrant=entrant, reason=encode_json(reason)
                )
            )

    def withdrawals(self, tournament_id: int) -> list[WithdrawalRow]:
        with self._reading() as connection:
            _check_tournament(connection, tournament_id)
            return _withdrawals(connection, tournament_id)

    def add_token(self, token: TokenRow) -> None:
        with self._writing() as connection:
            if _tokens(connection, select(tokens).where(tokens.c.id == token.id)):
                raise token_exists(token.id)
            connection.execute(
                insert(tokens).values(
                    id=token.id,
                    role=token.role.value,
                    subject=token.subject,
                    label=encode_json(token.label),
                    hash=token.hash,
                    create_time=token.create_time,
                    revoked=token.revoked,
                )
            )

    def token(self, token_id: str) -> TokenRow | None:
        if not _is_storable(token_id):
            return None
        with self._reading() as connection:
            found = _tokens(connection, select(tokens).where(tokens.c.id == token_id))
        return found[0] if found else None

    def tokens(self) -> list[TokenRow]:
        with self._reading() as connection:
            rows = _tokens(connection, select(tokens))
        return sorted(rows, key=lambda row: (row.create_time, row.id))

    def revoke_token(self, token_id: str) -> None:
        if self.token(token_id) is None:  # none is ever deleted
            raise no_token(token_id)
        with self._writing() as connection:
            connection.execute(update(tokens).where(tokens.c.id == token_id).values(revoked=True))

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with store_errors(self._name), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with store_errors(self._name), self._write_engine.begin() as connection:
            yield connection


def _bot(connection: Connection, name: str) -> BotRow | None:
    if not _is_storable(name):
        return None
    row = connection.execute(select(bots).where(bots.c.name == name)).mappings().one_or_none()
    return None if row is None else BotRow(**row)


def _version(connection: Connection, name: str, number: int | None) -> VersionRow:
    if _bot(connection, name) is None:
        raise no_bot(name)
    query = select(versions).where(versions.c.bot == name)
    if number is None:
        return _versions(connection, query)[-1]
    found = _versions(connection, query.where(versions.c.number == _fitting(number)))
    if not found:
        raise no_version(name, number)
    return found[0]


def _versions(connection: Connection, query: Select[Any]) -> list[VersionRow]:
    rows = connection.execute(query.order_by(versions.c.number)).mappings()
    with decoding("the versions of a bot"):
        return [
            VersionRow(
                **row
                | {
                    "manifest": decode_json(row["manifest"]),
                    "trial": None if row["trial"] is None else decode_json(row["trial"]),
                }
            )
            for row in map(dict, rows)
        ]


def _check_tournament(connection: Connection, tournament_id: int) -> None:
    query = select(tournaments.c.id).where(tournaments.c.id == _fitting(tournament_id))
    if connection.scalar(query) is None:
        raise no_tournament(tournament_id)


def _tournament(connection: Connection, tournament_id: int) -> TournamentRow:
    query = select(tournaments).where(tournaments.c.id == _fitting(tournament_id))
    found = _tournaments(connection, query)
    if not found:
        raise no_tournament(tournament_id)
    return found[0]


def _tournaments(connection: Connection, query: Select[Any]) -> list[TournamentRow]:
    rows = connection.execute(query.order_by(tournaments.c.id)).mappings()
    with decoding("a tournament"):
        return [
            TournamentRow(
                **row
                | {
                    "definition": decode_definition(row["definition"]),
                    "status": TournamentStatus(row["status"]),
                }
            )
            for row in map(dict, rows)
        ]


def _match_keys(connection: Connection, *wanted: ColumnElement[bool]) -> set[tuple[int, int]]:
    query = select(matches.c.mirror_group, matches.c.seating).where(*wanted)
    return {(group, seating) for group, seating in connection.execute(query)}


def _withdrawals(connection: Connection, tournament_id: int) -> list[WithdrawalRow]:
    query = (
        select(withdrawals)
        .where(withdrawals.c.tournament == tournament_id)
        .order_by(withdrawals.c.entrant)
    )
    with decoding("a withdrawal"):
        return [
            WithdrawalRow(**row | {"reason": decode_json(row["reason"])})
            for row in map(dict, connection.execute(query).mappings())
        ]


def _tokens(connection: Connection, query: Select[Any]) -> list[TokenRow]:
    with decoding("an access token"):
        return [
            TokenRow(**row | {"role": Role(row["role"]), "label": decode_json(row["label"])})
            for row in map(dict, connection.execute(query).mappings())
        ]


def _is_storable(text: str) -> bool:
    """Whether a key may be that text: no driver can ask for a lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _fitting(number: int) -> int:
    """The number, or one that no row has when the column could not hold it."""
    return number if 0 <= number <= _INTEGER_MAX else -1
