"""From where a store is, to the store."""

from __future__ import annotations

from pathlib import Path

from mazzo_server.storage.base import Store

__all__ = ["open_store"]


def open_store(path: Path) -> Store:
    """Open the SQLite store at `path`, and first create it or bring its schema up to date.

    Its folder and file are made for their owner alone. Several processes may do this at
    once. Raises `StoreError` for a store that a newer Mazzo wrote, for a file that is no
    store, and for whatever the file system refuses.
    """
    # SQLAlchemy takes a quarter of a second to import: whoever needs only rows, or the help
    # of the command line, does not pay for it.
    from mazzo_server.storage.sqlite import open_sqlite

    return open_sqlite(path)
