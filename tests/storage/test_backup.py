"""Backups of a store that is being written, as the pages say to take them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from mazzo_server.storage import open_store
from support.other_processes import other_process, receive, write_until_killed
from support.postgres import Databases
from support.stored_rows import add_tournament, outcome

_BEFORE = 300  # matches that are confirmed before the backup begins


def check(backup: Path | str, tournament: int, confirmed: set[tuple[int, int]]) -> None:
    """It is the store at one moment, with all that was confirmed before it, and goes on."""
    with closing(open_store(backup)) as store:
        stored = store.outcomes(tournament, with_deals=True)
        assert stored == [outcome(one.group, one.seating, deals=3) for one in stored]
        assert confirmed <= store.finished_matches(tournament)
        assert store.tournament(tournament).matches_played == len(stored)
        claim = store.claim(tournament)
        assert claim is not None
        claim.release()
        store.add_outcomes(tournament, [outcome(10**6)])
        assert add_tournament(store) == tournament + 1


def test_sqlite(path: Path, tmp_path: Path) -> None:
    """`VACUUM INTO` neither waits for the writer nor holds it up."""
    backup = tmp_path / "backup.db"
    with closing(open_store(path)) as store:
        tournament = add_tournament(store)
    with other_process(write_until_killed, path, tournament) as wire:
        confirmed = {receive(wire) for _ in range(_BEFORE)}
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("VACUUM INTO ?", (str(backup),))
        receive(wire)
    with closing(sqlite3.connect(backup)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    check(backup, tournament, confirmed)


def test_postgresql(databases: Databases) -> None:
    """`pg_dump` and `pg_restore` with the options that the page names."""
    with databases.store() as url, databases.database() as restored:
        with closing(open_store(url)) as store:
            tournament = add_tournament(store)
        with other_process(write_until_killed, url, tournament) as wire:
            confirmed = {receive(wire) for _ in range(_BEFORE)}
            dump = databases.call("pg_dump", "--format=custom", "--no-owner", url)
            receive(wire)
        databases.call("pg_restore", "--no-owner", f"--dbname={restored}", input=dump)
        check(restored, tournament, confirmed)
