"""What each machine of a cluster played, and whether bots are late on one by more than luck.

Some bots are late everywhere, so an entrant is compared with itself: if the machine changes
nothing, of the K seats in which an entrant was late among N that it took, a machine where it took n
is expected to have nK/N. Over all entrants these expectations are added up, and the seats that were
late there are compared with their sum by the upper tail of Poisson's distribution, which is wider
than the true one. The seatings of a mirror group are played on one machine, from the same cards, so
they may be late together: the groups are counted, as if all seatings of each had been. Over all
machines alarms are raised by Holm's procedure (1979) at 1 %: where all are alike, and groups are
late independently of each other, the probability of any alarm is at most that. A machine that stood
still once, and made all its matches late together, is named with a greater one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mazzo_server.model import Definition, NodeResult
from mazzo_server.stats import reject_by_holm

__all__ = ["NodeShare", "compute_node_shares"]

_LEVEL: Final = 0.01  # probability of any false alarm in a tournament


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeShare:
    """What one machine played of a tournament."""

    node: str  # "": the platform's machine
    matches: int
    decisions: int
    late_decisions: int
    forfeits: int
    is_late: bool  # bots are late there more often than elsewhere, by more than luck


def compute_node_shares(
    definition: Definition, rows: Sequence[NodeResult]
) -> tuple[NodeShare, ...]:
    """Return what each machine played, by its name; nothing if it was the platform's alone."""
    if not any(row.node for row in rows):
        return ()
    players = sum(map(len, definition.sides))
    by_node: dict[str, list[NodeResult]] = defaultdict(list)
    for row in rows:
        by_node[row.node].append(row)
    alarms = _find_late(rows, definition.seatings)
    return tuple(
        NodeShare(
            node=node,
            matches=sum(row.seats for row in mine) // players,
            decisions=sum(row.decisions for row in mine),
            late_decisions=sum(row.late_decisions for row in mine),
            forfeits=sum(row.forfeits for row in mine),
            is_late=node in alarms,
        )
        for node, mine in sorted(by_node.items())
    )


def _find_late(rows: Sequence[NodeResult], seatings: int) -> set[str]:
    """Return the machines where bots are late by more than luck."""
    seats, late_seats = Counter[int](), Counter[int]()
    for row in rows:
        seats[row.entrant] += row.seats
        late_seats[row.entrant] += row.late_seats
    found = Counter[str]()
    expected: dict[str, float] = defaultdict(float)
    for row in rows:
        found[row.node] += row.late_seats
        expected[row.node] += row.seats * late_seats[row.entrant] / seats[row.entrant]
    # SciPy takes a third of a second to import, and mostly no bot is late.
    if not any(found.values()):
        return set()
    from scipy.special import pdtrc

    nodes = sorted(found)
    chances = [
        float(pdtrc(found[node] // seatings - 1, expected[node] / seatings))
        if found[node] >= seatings
        else 1.0
        for node in nodes
    ]
    alarms = reject_by_holm(chances, level=_LEVEL)
    return {node for node, alarm in zip(nodes, alarms, strict=True) if alarm}
