"""Adds up the forfeits of a tournament."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from mazzo_server.model import Definition, Fault, MatchOutcome, Owner, Termination
from mazzo_server.results.standings.values import FaultEntry, FaultKind

__all__ = ["MOST_FAULTS", "FaultPlace", "FaultSums"]

MOST_FAULTS = 1000
"""Forfeits that standings list; the others they count."""


class FaultPlace:
    """A forfeit and its place in the schedule."""

    __slots__ = ("entrant", "fault", "group", "seating")

    def __init__(self, entrant: int, group: int, seating: int, fault: Fault) -> None:
        self.entrant = entrant
        self.group = group
        self.seating = seating
        self.fault = fault

    def to_json(self) -> list[Any]:
        fault = self.fault
        return [
            self.entrant,
            self.group,
            self.seating,
            fault.seat,
            fault.termination,
            fault.owner,
            fault.reason,
            fault.deal,
            fault.decision,
        ]

    @classmethod
    def from_json(cls, state: Sequence[Any]) -> FaultPlace:
        entrant, group, seating, seat, termination, owner, reason, deal, decision = state
        fault = Fault(
            seat=seat,
            termination=Termination(termination),
            owner=Owner(owner),
            reason=reason,
            deal=deal,
            decision=decision,
        )
        return cls(entrant, group, seating, fault)


class FaultSums:
    """The first forfeits in schedule order, and the number of each kind."""

    def __init__(self) -> None:
        """Begin without forfeits."""
        self.total = 0
        self._first: list[FaultPlace] = []
        self._kinds: dict[tuple[int, Termination, Owner], tuple[int, FaultPlace]] = {}

    def add(self, match: MatchOutcome) -> None:
        """Add the forfeits of a match."""
        for fault in sorted(match.faults, key=lambda fault: fault.seat):
            entrant = match.entrants[fault.seat]
            place = FaultPlace(entrant, match.group, match.seating, fault)
            if len(self._first) < MOST_FAULTS:
                self._first.append(place)
            self.total += 1
            kind = (entrant, fault.termination, fault.owner)
            matches, first = self._kinds.get(kind, (0, place))
            self._kinds[kind] = (matches + 1, first)

    def to_json(self) -> dict[str, Any]:
        """Return the whole state as JSON values, for `from_json`."""
        return {
            "faults_total": self.total,
            "faults": [place.to_json() for place in self._first],
            "kinds": [[count, first.to_json()] for count, first in self._kinds.values()],
        }

    @classmethod
    def from_json(cls, state: dict[str, Any]) -> Self:
        """Return the sums of which `to_json` returned the state."""
        sums = cls()
        sums.total = state["faults_total"]
        sums._first = [FaultPlace.from_json(place) for place in state["faults"]]
        for count, first in state["kinds"]:
            place = FaultPlace.from_json(first)
            kind = (place.entrant, place.fault.termination, place.fault.owner)
            sums._kinds[kind] = (count, place)
        return sums

    def list_entries(self, definition: Definition) -> tuple[FaultEntry, ...]:
        """Return the first forfeits."""
        return tuple([_make_entry(definition, place) for place in self._first])

    def count_kinds(self, definition: Definition) -> tuple[FaultKind, ...]:
        """Return the number of matches with each kind of forfeit of each entrant."""
        found = [
            FaultKind(matches=matches, first=_make_entry(definition, first))
            for matches, first in self._kinds.values()
        ]
        return tuple(
            sorted(
                found, key=lambda kind: (kind.first.name, kind.first.termination, kind.first.owner)
            )
        )


def _make_entry(definition: Definition, place: FaultPlace) -> FaultEntry:
    name = definition.entrants[place.entrant].name
    return FaultEntry.of(name, place.group, place.seating, place.fault)
