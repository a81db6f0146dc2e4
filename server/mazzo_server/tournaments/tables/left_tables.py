"""Tidies up after tables: matches whose process ended, and matches that were over long ago."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Final

from mazzo_server.clock import tell_end_time, wall_clock
from mazzo_server.errors import ConflictError, NotFoundError, StoreError
from mazzo_server.logs import LogAction
from mazzo_server.model import TournamentKind
from mazzo_server.storage import Store, TournamentRow, TournamentStatus
from mazzo_server.tournaments.stored import delete_tournament

__all__ = ["cancel_left_tables", "delete_old_tables", "keep_deleting_old_tables"]

_LOG = logging.getLogger(__name__)

_KEPT_SECONDS: Final = 7 * 86_400.0  # for which a match that is over can be watched again


def cancel_left_tables(store: Store) -> None:
    """Cancel the matches of tables whose process ended: nobody can come back to them. Blocks."""
    for row in _list_tables(store):
        if row.status.is_over:
            continue
        claim = store.claim(row.id)
        if claim is None:
            continue  # another process plays it
        try:
            # Read only now: the last holder of the claim may just have finished it.
            if not store.tournament(row.id).status.is_over:
                end_time = tell_end_time(row.create_time)
                store.set_status(row.id, TournamentStatus.CANCELLED, end_time=end_time)
        finally:
            claim.release()


def delete_old_tables(store: Store, *, now: float, kept_seconds: float = _KEPT_SECONDS) -> None:
    """Delete the matches of tables that have been over for long; `now` is in Unix seconds.

    Blocks, with a transaction for each. One that another process deletes meanwhile is left to it.
    """
    for row in _list_tables(store):
        ended = row.create_time if row.end_time is None else row.end_time
        if row.status.is_over and now - ended >= kept_seconds:
            with suppress(ConflictError, NotFoundError):
                delete_tournament(store, row.id)


async def keep_deleting_old_tables(store: Store, *, pause: float) -> None:
    """Delete old tables again and again, after a pause in seconds each time, until cancelled."""
    while True:
        await asyncio.sleep(pause)
        try:
            await asyncio.to_thread(delete_old_tables, store, now=wall_clock())
        except StoreError as error:
            _LOG.warning(
                "old tables are not deleted: %s",
                error,
                extra={"action": LogAction.TABLES_KEPT, "error": str(error)},
            )


def _list_tables(store: Store) -> list[TournamentRow]:
    rows = store.tournaments(every_kind=True)
    return [row for row in rows if row.definition.kind is TournamentKind.TABLE]
