"""Whose a bot is, and who may add to it. Everything here blocks."""

from __future__ import annotations

from mazzo_server.errors import PermissionDeniedError
from mazzo_server.storage import BotRow, Store, check_bot, find_bot

__all__ = ["check_may_add", "find_own_bot"]


def find_own_bot(store: Store, name: str, author: str) -> BotRow:
    """Return a bot of that author; "" is the organiser, who may act on every bot.

    Raises what `find_bot` raises, and `PermissionDeniedError` for another author's bot.
    """
    row = find_bot(store, name)
    _check_owner(row, author)
    return row


def check_may_add(store: Store, name: str, author: str, *, remote: bool) -> None:
    """Check, before anything of it is kept, that the author may add a version to a bot.

    A new name is free for everybody. Raises `PermissionDeniedError` for another author's bot,
    and what `check_bot` raises.
    """
    row = store.bot(name)
    if row is not None:
        _check_owner(row, author, advice=": submit yours under another name")
        check_bot(row, owner=author, remote=remote)


def _check_owner(row: BotRow, author: str, *, advice: str = "") -> None:
    if author and row.owner != author:
        raise PermissionDeniedError(
            f"bot {row.name} belongs to {row.owner or 'the organiser'}, not to {author}{advice}"
        )
