"""Who starts the bots of a battle: each executor can."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from attacks.noting import note_processes
from support.executors import EXECUTORS, OpenExecutor, open_cluster
from support.ray_cluster import RayCluster, run_cluster

__all__ = ["GROUNDS", "Ground", "open_ground"]

GROUNDS = ("local", "processes", "ray")
"""One worker each, so that a battle has the same instances everywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """An executor, and the folder with notes of the instances that it starts."""

    open: OpenExecutor
    notes: Path
    is_here: bool = False  # bots are started by this process itself
    cluster: RayCluster | None = None


@contextmanager
def open_ground(name: str) -> Iterator[Ground]:
    """Hold what the executor of that name needs; starting a cluster takes some seconds."""
    if name == "local":
        with TemporaryDirectory(prefix="n-") as folder:
            yield Ground(open=EXECUTORS["local"], notes=Path(folder), is_here=True)
    elif name == "processes":
        with note_processes() as notes:
            yield Ground(open=EXECUTORS["processes-1"], notes=notes)
    else:
        with note_processes() as notes, run_cluster(1) as cluster:
            yield Ground(open=partial(open_cluster, cluster), notes=notes, cluster=cluster)
