"""Stores that earlier versions of Mazzo wrote."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import cast

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

from mazzo_server.storage import MemoryStore, Store, TournamentRow, open_store
from mazzo_server.storage.schema import REVISIONS, metadata
from storage import released
from storage.released import fill, reads
from support.postgres import Databases
from support.stored_rows import outcome

FOLDER = Path(released.__file__).parent
FIRST_WITH_REVISIONS = "0004"  # of tournaments; and the first that could be kept in PostgreSQL


def test_there_is_a_store_of_every_revision() -> None:
    """Or whoever adds a revision would not know whether the last one's stores survive it."""
    expected = {f"{revision}.sqlite.sql" for revision in REVISIONS}
    expected |= {
        f"{revision}.postgresql.sql" for revision in REVISIONS if revision >= FIRST_WITH_REVISIONS
    }
    found = {path.name for path in FOLDER.glob("*.sql")}
    assert found == expected, (
        "with the code of that revision: PYTHONPATH=tests python -m storage.released"
    )


@pytest.mark.parametrize("revision", REVISIONS)
def test_sqlite(tmp_path: Path, revision: str) -> None:
    """It is brought up to date with all that is in it, and goes on."""
    path = tmp_path / "mazzo.db"
    with closing(sqlite3.connect(path)) as file:
        file.executescript((FOLDER / f"{revision}.sqlite.sql").read_text())
        assert file.execute("SELECT version_num FROM alembic_version").fetchall() == [(revision,)]
    check(path, f"sqlite:///{path}", revision)


@pytest.mark.parametrize("revision", [one for one in REVISIONS if one >= FIRST_WITH_REVISIONS])
def test_postgresql(databases: Databases, revision: str) -> None:
    """The same of those that were kept in PostgreSQL."""
    with databases.database() as url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute((FOLDER / f"{revision}.postgresql.sql").read_bytes())
        check(url, url.replace("postgresql:", "postgresql+psycopg:"), revision)


def check(place: str | Path, address: str, revision: str) -> None:
    """Every read gives what was stored, and the tables are those of a new store."""
    expected = MemoryStore()
    fill(expected, revision)
    with closing(open_store(place)) as store:
        assert _as_then(reads(store), revision) == _as_then(reads(expected), revision)
        store.add_outcomes(1, [outcome(9)])
        assert store.tournament(1).matches_played == 7
        assert _add_tournament(store) == 4
    engine = create_engine(address)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()


def _add_tournament(store: Store) -> int:
    definition = store.tournament(1).definition
    return store.add_tournament(definition, concurrency=1, create_time=1.0).id


def _as_then(found: dict[str, object], revision: str) -> dict[str, object]:
    """Without the revisions of tournaments, which were not counted at first."""
    if revision >= FIRST_WITH_REVISIONS:
        return found
    rows = [replace(row, revision=0) for row in cast("list[TournamentRow]", found["tournaments"])]
    return found | {"tournaments": rows} | {str(row.id): row for row in rows}
