"""How entrants fared in the matches that one machine played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from mazzo_server.model.outcome import MatchOutcome

__all__ = ["NodeResult", "compute_node_results"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeResult:
    """How an entrant fared in the matches of a tournament that one machine played."""

    node: str  # name of a machine of a cluster; "": that of the platform
    entrant: int  # index in the definition's entrants
    seats: int  # that it took in matches there
    late_seats: int  # of those, the ones in which a decision of it was late
    forfeits: int  # of those, the ones that forfeited
    decisions: int  # that it was asked there
    late_decisions: int  # of those, the ones that it did not take in time


def compute_node_results(outcomes: Iterable[MatchOutcome]) -> list[NodeResult]:
    """Return the results of these matches, by node and entrant."""
    seats, late_seats, forfeits, decisions, late_decisions = (
        Counter[tuple[str, int]]() for _ in range(5)
    )
    for outcome in outcomes:
        for seat, entrant in enumerate(outcome.entrants):
            key, late = (outcome.node, entrant), outcome.late[seat]
            seats[key] += 1
            decisions[key] += outcome.decisions[seat]
            if late:
                late_seats[key] += 1
                late_decisions[key] += late
        for fault in outcome.faults:
            forfeits[outcome.node, outcome.entrants[fault.seat]] += 1
    return [
        NodeResult(
            node=key[0],
            entrant=key[1],
            seats=seats[key],
            late_seats=late_seats[key],
            forfeits=forfeits[key],
            decisions=decisions[key],
            late_decisions=late_decisions[key],
        )
        for key in sorted(seats)
    ]
