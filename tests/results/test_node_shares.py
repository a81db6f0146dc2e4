"""What each machine played: sums, and the machines on which bots are late by more than luck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from mazzo_server.model import Definition, Entrant
from mazzo_server.model.node_result import NodeResult
from mazzo_server.results import NodeShare, compute_node_shares
from support.stored_rows import DEFINITION

NODES = [f"node{number}" for number in range(8)]


def definition_of(entrants: int) -> Definition:
    one = Entrant(name="a", version=1, content_hash="a" * 64)
    names = [f"bot{number}" for number in range(entrants)]
    return replace(DEFINITION, entrants=tuple(replace(one, name=name) for name in names))


def draw_rows(
    chances: Sequence[float], groups: int, seed: int, *, worse: float = 1.0
) -> list[NodeResult]:
    """Groups of two seatings, late together, on random machines; the first is worse."""
    random = Random(seed)
    rows = {
        (node, entrant): [0, 0] for node in NODES for entrant in range(len(chances))
    }  # seats and late seats
    for _ in range(groups):
        node = random.choice(NODES)
        for entrant in random.sample(range(len(chances)), 2):
            chance = chances[entrant] * (worse if node == NODES[0] else 1.0)
            counts = rows[node, entrant]
            counts[0] += 2
            counts[1] += 2 * (random.random() < chance)
    return [
        NodeResult(
            node=node,
            entrant=entrant,
            seats=seats,
            late_seats=late,
            forfeits=0,
            decisions=20 * seats,
            late_decisions=late,
        )
        for (node, entrant), (seats, late) in rows.items()
        if seats
    ]


def late_nodes(rows: Sequence[NodeResult], entrants: int) -> list[str]:
    shares = compute_node_shares(definition_of(entrants), rows)
    return [share.node for share in shares if share.is_late]


def test_a_machine_has_the_sums_of_its_entrants() -> None:
    row = NodeResult(
        node="b", entrant=0, seats=6, late_seats=1, forfeits=1, decisions=120, late_decisions=2
    )
    rows = [row, replace(row, entrant=1, forfeits=0), replace(row, node="")]
    share = NodeShare(
        node="", matches=3, decisions=120, late_decisions=2, forfeits=1, is_late=False
    )
    assert compute_node_shares(definition_of(2), rows) == (
        share,
        replace(share, node="b", matches=6, decisions=240, late_decisions=4),
    )
    assert compute_node_shares(definition_of(2), []) == ()


def test_luck_names_no_machine() -> None:
    """In a hundred tournaments one alarm is allowed; here bots differ a hundred times over."""
    chances = [0.3, 0.1, 0.01, 0.003]
    named = [late_nodes(draw_rows(chances, 400, seed), len(chances)) for seed in range(200)]
    assert sum(map(bool, named)) <= 2


def test_a_machine_that_slows_bots_down_is_named() -> None:
    """Twice as often late, in 2,000 groups over eight machines."""
    chances = [0.3, 0.1, 0.01, 0.003]
    for seed in range(20):
        rows = draw_rows(chances, 2000, seed, worse=2.0)
        assert late_nodes(rows, len(chances)) == [NODES[0]]


def test_a_late_bot_is_no_fault_of_the_machine_that_played_it() -> None:
    """Another machine did not play it, so nothing is known of how late it is there."""
    row = NodeResult(
        node="a", entrant=0, seats=100, late_seats=90, forfeits=0, decisions=1, late_decisions=90
    )
    rows = [row, replace(row, node="b", entrant=1, late_seats=0, late_decisions=0)]
    assert late_nodes(rows, 2) == []


def test_one_late_match_among_many_machines_is_luck() -> None:
    """It is on some machine: that machine had hardly any chance of it."""
    row = NodeResult(
        node="", entrant=0, seats=2, late_seats=0, forfeits=0, decisions=40, late_decisions=0
    )
    rows = [replace(row, node=f"n{number}") for number in range(1000)]
    rows[7] = replace(rows[7], late_seats=2, late_decisions=4)
    assert late_nodes(rows, 1) == []
