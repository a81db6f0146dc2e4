"""The order in which challenges are played: the authors take turns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mazzo_server.model import ChallengeTerms
from mazzo_server.storage import TournamentRow, TournamentStatus

__all__ = ["choose_turn", "read_terms", "sort_queue"]

_IN_QUEUE: Final = (TournamentStatus.CREATED, TournamentStatus.RUNNING)


def read_terms(row: TournamentRow) -> ChallengeTerms:
    """Return the terms of a challenge."""
    terms = row.definition.challenge
    assert terms is not None
    return terms


def sort_queue(rows: Iterable[TournamentRow]) -> list[TournamentRow]:
    """Return the challenges that are played or wait, the next first.

    One that has begun comes first: it is played, or was when its server ended. A paused one is not
    in the queue.
    """
    return sorted(
        (row for row in rows if row.status in _IN_QUEUE),
        key=lambda row: (
            row.status is not TournamentStatus.RUNNING,
            read_terms(row).turn,
            row.id,
        ),
    )


def choose_turn(rows: Iterable[TournamentRow], author: str) -> int:
    """Return the turn of a new challenge of that author.

    It is the turn that the queue has come to, or the next one if the author had that already, or
    the one after the author's last in the queue. So at most one challenge of each other author
    goes before the first one of an author, or two if the author has had the turn that they wait
    for. Those who come later overtake nobody more than once in each turn.

    `rows` has the queue and the challenges of today that are finished.
    """
    rows = list(rows)
    waiting = [read_terms(row) for row in sort_queue(rows)]
    had = [read_terms(row) for row in rows if row.status is TournamentStatus.FINISHED]
    come_to = max((terms.turn for terms in had), default=0)
    now = min((terms.turn for terms in waiting), default=come_to)
    if any(terms.author == author and terms.turn >= now for terms in had):
        now += 1
    return max((terms.turn + 1 for terms in waiting if terms.author == author), default=now)
