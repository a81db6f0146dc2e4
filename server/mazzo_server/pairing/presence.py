"""Who takes part at which point of the schedule, by the changes of a tournament's entrants."""

from __future__ import annotations

from collections.abc import Sequence

from mazzo_server.model import Change

__all__ = ["list_founders", "list_present"]


def list_founders(entrants: int, changes: Sequence[Change]) -> list[int]:
    """Return which of so many entrants were there at the beginning, and did not join later."""
    begins_as: dict[int, bool] = {}
    for change in sorted(changes, key=lambda change: change.first_group):
        begins_as.setdefault(change.entrant, change.joins)
    return [entrant for entrant in range(entrants) if not begins_as.get(entrant)]


def list_present(group: int, *, entrants: int, changes: Sequence[Change]) -> list[int]:
    """Return which of so many entrants can be paired in a round that begins with that group."""
    present = set(list_founders(entrants, changes))
    for change in sorted(changes, key=lambda change: change.first_group):
        if change.first_group <= group:
            (present.add if change.joins else present.discard)(change.entrant)
    return sorted(present)
