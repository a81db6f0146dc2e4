"""Nodes of a cluster that is not there."""

from __future__ import annotations

from mazzo_server.tournaments.executor.cluster.messages import NodeFacts
from mazzo_server.tournaments.executor.cluster.status import ClusterStatus, NodeStatus

__all__ = ["make_node", "make_status"]


def make_node(
    name: str, speed: float | None, *, host: str = "h", slots: int = 1, unfit: str = ""
) -> NodeStatus:
    """A node of that name on a host; without a speed it did not answer."""
    facts = speed and NodeFacts(
        name=f"{host}/{name}",
        version="1",
        source_hash="",
        python="3",
        cores=2,
        decisions_per_second=speed,
        lacking=(),
    )
    return NodeStatus(node=name, slots=slots, facts=facts or None, unfit=unfit)


def make_status(*nodes: NodeStatus) -> ClusterStatus:
    """A cluster of these nodes, all idle."""
    return ClusterStatus(nodes=nodes, taken=0)
