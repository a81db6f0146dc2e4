"""Finds out what a machine brings to a cluster: its Mazzo, its protections, its speed."""

from __future__ import annotations

import hashlib
import platform
import random
import socket
from functools import cache
from math import inf
from pathlib import Path
from typing import Final

import mazzo
import mazzo_server
from mazzo.cards import nth_bit
from mazzo.games import parse_variant
from mazzo.shuffle import SeededShuffles
from mazzo.version import VERSION
from mazzo_server.clock import monotonic
from mazzo_server.sandbox import examine
from mazzo_server.settings import list_usable_processors
from mazzo_server.tournaments.executor.cluster.messages import NodeFacts

__all__ = ["compute_source_hash", "examine_node", "find_unfitness", "measure_node_speed"]

_SPEED_DEALS: Final = 20  # of some 50 µs each
_SPEED_SECONDS: Final = 0.5


async def examine_node(node: str) -> NodeFacts:
    """Look at this machine, which is the node of that name. Takes about two seconds."""
    return NodeFacts(
        name=f"{socket.gethostname()}/{node}",
        version=VERSION,
        source_hash=compute_source_hash(),
        python=platform.python_version(),
        cores=len(list_usable_processors()),
        decisions_per_second=measure_node_speed(),
        lacking=tuple((await examine()).items()),
    )


@cache
def compute_source_hash() -> str:
    """Return a hash of the files of Mazzo: with others a node might play otherwise."""
    digest = hashlib.sha256()
    for package in (mazzo, mazzo_server):
        root = Path(package.__path__[0])
        for path in sorted(root.rglob("*.py")):
            digest.update(f"{path.relative_to(root)}\n".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def find_unfitness(facts: NodeFacts, required: frozenset[str]) -> str:
    """Return why a node may not play, with what to do; empty if it may."""
    if (facts.version, facts.source_hash) != (VERSION, compute_source_hash()):
        return (
            f"expected Mazzo {VERSION} with the same files as here, got Mazzo {facts.version}"
            f"{' with other files' if facts.version == VERSION else ''}: install the same there"
        )
    if facts.python != (python := platform.python_version()):
        return (
            f"expected Python {python} as here, since bots bring packages for one version, got "
            f"{facts.python}: run Mazzo there with that Python"
        )
    missing = [f"{name} ({what})" for name, what in facts.lacking if name in required]
    if missing:
        return (
            f"MAZZO_REQUIRE asks for what that machine does not give: {'; '.join(missing)}. "
            "`mazzo doctor` there says what to do"
        )
    return ""


def measure_node_speed(seconds: float = _SPEED_SECONDS) -> float:
    """Return how many decisions of random play the rules take in a second on one core here.

    It plays the same short deals again and again, and of each the fastest time counts, in which
    nothing else had the core. So a busy machine seems hardly slower than an idle one: with three
    processes for two cores by 1 %, where the best of five longer trials lost half and more.
    """
    variant = parse_variant("briscola/2")
    best = [inf] * _SPEED_DEALS  # seconds
    end = monotonic() + seconds
    decisions = 0
    while not decisions or monotonic() < end:
        decisions = 0
        for number in range(_SPEED_DEALS):
            draw = random.Random(number).random  # noqa: S311 (no secret)
            begin = monotonic()
            deal = variant.game.deal(variant, SeededShuffles(bytes(32), number), dealer=number % 2)
            while legal := deal.legal:
                deal.apply(nth_bit(legal, int(draw() * legal.bit_count())))
            best[number] = min(best[number], monotonic() - begin)
            decisions += len(deal.actions)
    return decisions / sum(best)
