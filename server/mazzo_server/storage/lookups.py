"""Looks up in a store what several rooms ask for. Everything here blocks."""

from __future__ import annotations

from mazzo_server.storage.base import BotRow, Store
from mazzo_server.storage.refusals import make_no_bot_error

__all__ = ["find_bot", "read_withdrawn"]


def find_bot(store: Store, name: str) -> BotRow:
    """Return the bot of that name; raise `NotFoundError` if there is none."""
    row = store.bot(name)
    if row is None:
        raise make_no_bot_error(name)
    return row


def read_withdrawn(store: Store, tournament: int) -> dict[int, str]:
    """Return why each withdrawn entrant of a tournament was withdrawn, by its index."""
    return {row.entrant: row.reason for row in store.withdrawals(tournament)}
