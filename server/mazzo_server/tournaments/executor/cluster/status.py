"""Looks at a cluster: its nodes, what they bring, and which may play."""

from __future__ import annotations

import asyncio
import pickle
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import Any, Final

from mazzo_server.errors import PlatformError
from mazzo_server.tournaments.executor.cluster.alike import find_slow
from mazzo_server.tournaments.executor.cluster.installed import check_installed, prepare_ray
from mazzo_server.tournaments.executor.cluster.messages import NodeFacts
from mazzo_server.tournaments.executor.cluster.node import (
    examine_node,
    find_unfitness,
    measure_node_speed,
)

__all__ = ["ClusterStatus", "NodeStatus", "examine_apart", "examine_cluster"]

_PROGRAM: Final = "mazzo_server.tournaments.executor.cluster"
_PATIENCE: Final = 60.0  # seconds, for the answers of all nodes
_MORE_MEASUREMENTS: Final = 3  # of a node that seems slow: other work makes it seem so


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStatus:
    """A node with slots for workers."""

    node: str  # its id
    slots: int
    facts: NodeFacts | None  # None: it did not answer
    unfit: str  # why it may not play; empty: it may

    @property
    def name(self) -> str:
        """What people call it."""
        return self.facts.name if self.facts else self.node[:8]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterStatus:
    """The nodes with slots, and how many of all slots have a worker now."""

    nodes: tuple[NodeStatus, ...]
    taken: int

    @property
    def playing_slots(self) -> int:
        """The slots of the nodes that may play."""
        return sum(node.slots for node in self.nodes if not node.unfit)

    @property
    def speeds(self) -> dict[str, float]:
        """The decisions a second of the nodes that may play, by name."""
        return {
            node.name: node.facts.decisions_per_second
            for node in self.nodes
            if node.facts and not node.unfit
        }

    @property
    def speed_difference(self) -> float | None:
        """The part of the fastest playing node's speed that the slowest lacks; None: none plays."""
        speeds = self.speeds.values()
        return 1 - min(speeds) / max(speeds) if speeds else None


async def examine_apart(
    address: str, required: frozenset[str], *, node: str = "", fastest: float = 0.0
) -> ClusterStatus:
    """Do as `examine_cluster`, in a process of its own, which ends then."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", _PROGRAM, "look"),
        *(address, ",".join(required), node, f"{fastest!r}"),
        cwd="/",  # as of the driver
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        told, complaint = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if not told:
        lines = complaint.decode(errors="replace").strip().splitlines()
        raise PlatformError(
            f"cannot look at the Ray cluster at {address}: {lines[-1] if lines else 'no word'}"
        )
    found: ClusterStatus | PlatformError = pickle.loads(told)  # noqa: S301 (our own process)
    if isinstance(found, PlatformError):
        raise found
    return found


def examine_cluster(
    address: str, required: frozenset[str], *, node: str = "", fastest: float = 0.0
) -> ClusterStatus:
    """Look at every node of the cluster at `HOST:PORT` that has slots, or at the one of that name.

    Nodes that seem too slow to be alike, beside the fastest or beside that speed, are measured
    again, and their best speed counts. Those of one host take turns then.

    Connects this process to the cluster for good. Raises `PlatformError` where Ray is not
    installed, and as `connect_ray` does.
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
    only = node.rpartition("/")[2]
    nodes = [one for one in list_nodes() if one.slots and one.id.startswith(only)]
    examine = ray.remote(num_cpus=0, max_retries=0)(_examine_here)
    looks = [examine.options(scheduling_strategy=one.strategy).remote(one.id[:8]) for one in nodes]
    if looks:
        ray.wait(looks, num_returns=len(looks), timeout=_PATIENCE)
    statuses = [
        _read_status(one.id, one.slots, partial(ray.get, look, timeout=0.1), required)
        for one, look in zip(nodes, looks, strict=True)
    ]
    status = ClusterStatus(
        nodes=tuple(sorted(statuses, key=lambda status: status.node)),
        taken=max(sum(one.slots for one in nodes) - count_free_slots(), 0),
    )
    measure = ray.remote(num_cpus=0, max_retries=0)(measure_node_speed)
    strategies = {one.id: one.strategy for one in nodes}

    def measure_some(ids: Sequence[str]) -> dict[str, float]:
        begun = {id: measure.options(scheduling_strategy=strategies[id]).remote() for id in ids}
        done, _ = ray.wait([*begun.values()], num_returns=len(begun), timeout=_PATIENCE)
        return {
            id: _get_speed(partial(ray.get, look)) for id, look in begun.items() if look in done
        }

    return _measure_slow(status, fastest, measure_some)


def _measure_slow(
    status: ClusterStatus,
    fastest: float,
    measure: Callable[[Sequence[str]], dict[str, float]],
) -> ClusterStatus:
    """Measure the nodes that seem too slow again, some times; nodes of one host one by one."""
    for _ in range(_MORE_MEASUREMENTS):
        slow = find_slow(status.speeds, fastest=fastest)
        hosts = defaultdict[str, list[str]](list)
        for node in status.nodes:
            if node.name in slow:
                hosts[node.name.rpartition("/")[0]].append(node.node)
        for turn in zip_longest(*hosts.values()):
            speeds = measure([id for id in turn if id])
            status = replace(
                status, nodes=tuple(_update_speed(node, speeds) for node in status.nodes)
            )
    return status


def _update_speed(node: NodeStatus, speeds: dict[str, float]) -> NodeStatus:
    if node.facts is None:
        return node
    best = max(node.facts.decisions_per_second, speeds.get(node.node, 0.0))
    return replace(node, facts=replace(node.facts, decisions_per_second=best))


def _get_speed(get: Callable[[], Any]) -> float:
    try:
        speed: float = get()
    except Exception:  # whatever hinders that machine now: it was measured before
        return 0.0
    return speed


def _examine_here(node: str) -> NodeFacts:
    return asyncio.run(examine_node(node))


def _read_status(
    node: str, slots: int, get: Callable[[], Any], required: frozenset[str]
) -> NodeStatus:
    try:
        facts: NodeFacts = get()
    except Exception as error:  # whatever hinders that machine
        reason = f"it cannot run this Mazzo: {[repr(error), *str(error).strip().splitlines()][-1]}"
        return NodeStatus(node=node, slots=slots, facts=None, unfit=reason)
    unfit = find_unfitness(facts, required)
    return NodeStatus(node=node, slots=slots, facts=facts, unfit=unfit)
