"""Looks at a cluster: its nodes, what they bring, and which may play."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from mazzo_server.tournaments.executor.cluster.installed import check_installed, prepare_ray
from mazzo_server.tournaments.executor.cluster.messages import NodeFacts
from mazzo_server.tournaments.executor.cluster.node import examine_node, find_unfitness

__all__ = ["ClusterStatus", "NodeStatus", "examine_cluster"]

_PATIENCE = 60.0  # seconds, for the answers of all nodes


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStatus:
    """A node with slots for workers."""

    node: str  # its id
    slots: int
    facts: NodeFacts | None  # None: it did not answer
    unfit: str  # why it may not play; empty: it may


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterStatus:
    """The nodes with slots, and how many of all slots have a worker now."""

    nodes: tuple[NodeStatus, ...]
    taken: int


def examine_cluster(address: str, required: frozenset[str]) -> ClusterStatus:
    """Look at every node of the cluster at `HOST:PORT` that has slots.

    Raises `PlatformError` where Ray is not installed, and as `connect_ray` does.
    """
    check_installed()
    prepare_ray()
    import ray

    from mazzo_server.tournaments.executor.cluster.access import (
        connect_ray,
        count_free_slots,
        list_nodes,
    )

    connect_ray(address)
    try:
        nodes = [node for node in list_nodes() if node.slots]
        examine = ray.remote(num_cpus=0, max_retries=0)(_examine_here)
        looks = [
            examine.options(scheduling_strategy=node.strategy).remote(node.id[:8]) for node in nodes
        ]
        if looks:
            ray.wait(looks, num_returns=len(looks), timeout=_PATIENCE)
        statuses = [
            _read_status(node.id, node.slots, partial(ray.get, look, timeout=0.1), required)
            for node, look in zip(nodes, looks, strict=True)
        ]
        return ClusterStatus(
            nodes=tuple(sorted(statuses, key=lambda status: status.node)),
            taken=max(sum(node.slots for node in nodes) - count_free_slots(), 0),
        )
    finally:
        ray.shutdown()  # or it prints what becomes of the cluster later


def _examine_here(node: str) -> NodeFacts:
    return asyncio.run(examine_node(node))


def _read_status(
    node: str, slots: int, get: Callable[[], Any], required: frozenset[str]
) -> NodeStatus:
    try:
        facts: NodeFacts = get()
    except Exception as error:  # whatever hinders that machine
        reason = f"it cannot run this Mazzo: {str(error).strip().splitlines()[-1:]}"
        return NodeStatus(node=node, slots=slots, facts=None, unfit=reason)
    unfit = find_unfitness(facts, required)
    return NodeStatus(node=node, slots=slots, facts=facts, unfit=unfit)
