"""What a platform does now: what runs and waits, what went wrong, and how much room there is."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from prometheus_client import CollectorRegistry

from mazzo_server.settings import Settings

__all__ = ["ForfeitTally", "NodeTally", "Room", "Samples", "measure_room"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """The disk of a platform, in bytes."""

    total: int
    free: int
    store: int  # of its file; 0: it has none here


@dataclass(frozen=True, slots=True, kw_only=True)
class ForfeitTally:
    """How often something went wrong in one way."""

    owner: str
    termination: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTally:
    """What a machine of a cluster has played."""

    name: str
    matches: int
    decisions: int
    decisions_late: int
    forfeits: int
    matches_lost: int


def measure_room(settings: Settings) -> Room:
    """Measure the disk of a home folder, which may not be there yet. Blocks."""
    home = settings.home.absolute()
    usage = shutil.disk_usage(next(path for path in (home, *home.parents) if path.exists()))
    store = settings.store
    size = 0
    if isinstance(store, Path):
        for path in (store, store.with_name(f"{store.name}-wal")):
            size += path.stat().st_size if path.exists() else 0
    return Room(total=usage.total, free=usage.free, store=size)


class Samples:
    """The values of all metrics at one moment."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Read them; call this on the event loop, to which some belong."""
        self._values: defaultdict[str, list[tuple[Mapping[str, str], float]]] = defaultdict(list)
        for family in registry.collect():
            for sample in family.samples:
                self._values[sample.name].append((sample.labels, sample.value))

    def count(self, name: str, **labels: str) -> int:
        """Return the sum of the samples of that name with these labels; 0 without any."""
        return int(
            sum(value for own, value in self._values.get(name, ()) if labels.items() <= own.items())
        )

    def list_forfeits(self, name: str) -> Sequence[ForfeitTally]:
        """Return what there was, by owner and termination."""
        return [
            ForfeitTally(owner=labels["owner"], termination=labels["termination"], count=int(value))
            for labels, value in self._values.get(name, ())
            if value
        ]

    def list_nodes(self) -> Sequence[NodeTally]:
        """Return the machines that have played, by name."""
        names = {
            labels["node"]
            for name in ("mazzo_node_matches_total", "mazzo_node_matches_lost_total")
            for labels, _ in self._values.get(name, ())
        }
        return [
            NodeTally(
                name=name,
                matches=self.count("mazzo_node_matches_total", node=name),
                decisions=self.count("mazzo_node_decisions_total", node=name),
                decisions_late=self.count("mazzo_node_decisions_late_total", node=name),
                forfeits=self.count("mazzo_node_faults_total", node=name),
                matches_lost=self.count("mazzo_node_matches_lost_total", node=name),
            )
            for name in sorted(names)
        ]
