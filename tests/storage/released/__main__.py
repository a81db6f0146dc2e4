"""Write the stores of the newest revision, for whoever adds one: `python -m server.released`.

With the name of an older revision it writes the SQLite store of that one, and is to be run with
the code of then on the path.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from mazzo_server.storage import open_store
from storage.released import fill

_FOLDER = Path(__file__).parent


def main() -> None:
    """Fill the stores and dump them as SQL."""
    if len(sys.argv) > 1:
        _write_sqlite(sys.argv[1])
        return
    from mazzo_server.storage.schema import REVISIONS

    _write_sqlite(REVISIONS[-1])
    _write_postgres(REVISIONS[-1])


def _write_sqlite(revision: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mazzo.db"
        with closing(open_store(path)) as store:
            fill(store, revision)
        with closing(sqlite3.connect(path)) as connection:
            lines = [*connection.iterdump()]
    (_FOLDER / f"{revision}.sqlite.sql").write_text("\n".join(lines) + "\n")


def _write_postgres(revision: str) -> None:
    from support.postgres import started

    with started() as databases, databases.store() as url:
        with closing(open_store(url)) as store:
            fill(store, revision)
        dump = databases.call("pg_dump", "--inserts", "--no-owner", "--no-acl", url).decode()
    # psql alone understands lines with a backslash; the others are statements.
    lines = [line for line in dump.splitlines() if line and not line.startswith(("--", "\\"))]
    (_FOLDER / f"{revision}.postgresql.sql").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
