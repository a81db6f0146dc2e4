"""How many challenges an author may ask for on a day."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mazzo_server.errors import LimitReachedError
from mazzo_server.storage import TournamentRow
from mazzo_server.tournaments.challenges.queue import read_terms

__all__ = ["check_quota", "count_of_day", "find_day"]

_DAY: Final = 86_400.0  # seconds


def find_day(time: float) -> float:
    """Return when the UTC day of a time began; both in Unix seconds."""
    return time - time % _DAY


def count_of_day(rows: Iterable[TournamentRow], author: str, *, now: float) -> int:
    """Return how many challenges of an author were created on the UTC day of `now`.

    Whatever came of them they count, so that nobody has a free one for a cancelled one. If the
    clock jumps, each day by the clock still has its number and no more.
    """
    day = find_day(now)
    return sum(
        read_terms(row).author == author and find_day(row.create_time) == day for row in rows
    )


def check_quota(rows: Iterable[TournamentRow], author: str, *, per_day: int, now: float) -> None:
    """Raise `LimitReachedError` if an author has had all of the day; an organiser, "", has more."""
    if not author or count_of_day(rows, author, now=now) < per_day:
        return
    raise LimitReachedError(
        f"expected at most {per_day} challenges of an author on a day (UTC), got one more: wait "
        "until tomorrow, or ask the organiser of this server"
        if per_day
        else "expected no challenge, got one: the organiser of this server allows none to authors",
        retry_seconds=find_day(now) + _DAY - now,
    )
