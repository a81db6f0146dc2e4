"""The tables of a store: one migration makes them, and a store with others is refused."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, make_url
from sqlalchemy.schema import CreateIndex, CreateTable

from mazzo_server import storage
from mazzo_server.errors import StoreError
from mazzo_server.storage import open_store, postgres
from mazzo_server.storage.sql.schema import SCHEMA, metadata
from support.postgres import Databases
from support.stored_rows import add_tournament, add_version, outcome

assert postgres  # which completes the tables of `schema`

MIGRATIONS = Path(storage.__file__).parent / "migrations"
# Statements that give a store another number, or none; and what is then said of it.
OTHERS = {
    "older": ("UPDATE alembic_version SET version_num = '0006'", "of schema 0006"),
    "newer": ("UPDATE alembic_version SET version_num = '9999'", "of schema 9999"),
    "no number": ("DELETE FROM alembic_version", "without a number"),
    "no table of numbers": ("DROP TABLE alembic_version", "without a number"),
}


def test_the_number_is_that_of_the_one_migration() -> None:
    """A store carries the migration's number, and the code expects that of its tables."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    migrations = ScriptDirectory.from_config(config).walk_revisions()
    assert [migration.revision for migration in migrations] == [SCHEMA]


def test_other_tables_have_another_number() -> None:
    """A store of before a change must not be taken for one of after it."""
    statements: list[str] = []
    for url in ("sqlite://", "postgresql+psycopg://"):
        dialect = make_url(url).get_dialect()()
        for table in metadata.sorted_tables:
            statements.append(str(CreateTable(table).compile(dialect=dialect)))
            indexes = sorted(table.indexes, key=lambda index: str(index.name))
            statements += [str(CreateIndex(index).compile(dialect=dialect)) for index in indexes]
    digest = hashlib.sha256(" ".join(" ".join(statements).split()).encode()).hexdigest()[:16]
    advice = "the tables changed: give SCHEMA the next number, then this test the new digest"
    assert (SCHEMA, digest) == ("20", "74a91aa1b5c52010"), advice


def test_sqlite_has_exactly_the_tables_of_the_code(tmp_path: Path) -> None:
    """Every word of every statement that made them is that of `schema.py`."""
    open_store(tmp_path / "mazzo.db").close()
    engine = create_engine(f"sqlite:///{tmp_path / 'plain.db'}")
    metadata.create_all(engine)
    engine.dispose()
    made, expected = (_statements(tmp_path / name) for name in ("mazzo.db", "plain.db"))
    assert made == expected
    assert made.keys() >= metadata.tables.keys()


def test_postgresql_has_exactly_the_tables_of_the_code(databases: Databases) -> None:
    """What a dump says of them, columns in their order and keys, is what `schema.py` says."""
    with databases.database() as made, databases.database() as expected:
        open_store(made).close()
        engine = create_engine(expected.replace("postgresql:", "postgresql+psycopg:"))
        metadata.create_all(engine)
        engine.dispose()
        found = _dump(databases, made, "--schema-only", "--exclude-table=alembic_version")
        assert found == _dump(databases, expected, "--schema-only")
        assert sum(line.startswith("CREATE TABLE") for line in found) == len(metadata.tables)


@pytest.mark.parametrize("other", OTHERS)
def test_sqlite_of_another_schema_is_refused(tmp_path: Path, other: str) -> None:
    """It says what was expected, what came and what to do; not a byte of the store changes."""
    path = tmp_path / "mazzo.db"
    _fill(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(OTHERS[other][0])
    before = path.read_bytes()
    _check_refused(path, str(path), other)
    assert path.read_bytes() == before


@pytest.mark.parametrize("other", OTHERS)
def test_postgresql_of_another_schema_is_refused(databases: Databases, other: str) -> None:
    """In the same words; what a dump shows of the store stays the same."""
    with databases.store() as url:
        _fill(url)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(OTHERS[other][0].encode())
        before = _dump(databases, url)
        _check_refused(url, url.partition("?")[0], other)
        assert _dump(databases, url) == before


def _fill(place: Path | str) -> None:
    with closing(open_store(place)) as store:
        add_version(store, "ann")
        store.add_outcomes(add_tournament(store), [outcome(0)])


def _check_refused(place: Path | str, name: str, other: str) -> None:
    for _ in range(2):
        with pytest.raises(StoreError) as caught:
            open_store(place)
        assert str(caught.value) == (
            f"expected a store of schema {SCHEMA} in {name}, got one {OTHERS[other][1]}: use the "
            "version of mazzo that wrote it, or choose another MAZZO_HOME or MAZZO_DATABASE_URL"
        )


def _statements(path: Path) -> dict[str, str]:
    """What made each table and index of the code, by its name."""
    with closing(sqlite3.connect(path)) as connection:
        return dict(
            connection.execute(
                "SELECT name, sql FROM sqlite_master WHERE tbl_name != 'alembic_version'"
            )
        )


def _dump(databases: Databases, url: str, *options: str) -> list[str]:
    dump = databases.call("pg_dump", "--inserts", "--no-owner", *options, url).decode()
    # A line with a backslash is for psql; newer programs write a random word there.
    return [line for line in dump.splitlines() if line and not line.startswith(("--", "\\"))]
