"""What is to be done with an open tournament at a moment. Nothing here looks at a clock."""

from __future__ import annotations

from enum import StrEnum

from mazzo_server.storage import OpenTournamentRow, Timetable

__all__ = ["EntriesState", "RoundStep", "choose_step", "find_state", "name_round"]


class RoundStep(StrEnum):
    """What a server does with a round."""

    WAIT = "wait"
    START = "start"
    SKIP = "skip"  # it could not start for so long that the next one comes instead


class EntriesState(StrEnum):
    """How far an open tournament has come."""

    ANNOUNCED = "announced"  # it takes no entries yet
    OPEN = "open"  # authors enter and leave
    CLOSED = "closed"  # it takes no entries any more, and starts later
    WAITING = "waiting"  # it is due, and cannot start
    OVER = "over"


def choose_step(timetable: Timetable, *, now: float, ready: int, least: int) -> RoundStep:
    """Return what to do with a round of which so many bots can play.

    It starts with `least` bots at least. A round that is due and has fewer waits until it has
    enough; where it is played again, not for longer than `Every.patience`.
    """
    enough = timetable.start_with
    if ready >= least and (timetable.is_due(now) or (enough is not None and ready >= enough)):
        return RoundStep.START
    start, every = timetable.start_time, timetable.every
    if start is not None and every is not None and now >= start + every.patience:
        return RoundStep.SKIP
    return RoundStep.WAIT


def find_state(row: OpenTournamentRow, *, now: float) -> EntriesState:
    """Return how far an open tournament has come at that time."""
    if row.is_over:
        return EntriesState.OVER
    if row.timetable.is_due(now):
        return EntriesState.WAITING
    if row.timetable.has_closed(now):
        return EntriesState.CLOSED
    return EntriesState.OPEN if row.timetable.has_opened(now) else EntriesState.ANNOUNCED


def name_round(name: str, number: int) -> str:
    """Return the name of the tournament that a round of a repeated one becomes."""
    return f"{name} {number}"
