"""The programs beside a platform: the driver of its cluster, and a look at a cluster."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import socket
import sys

from mazzo_server.errors import PlatformError
from mazzo_server.tournaments.executor.cluster.installed import prepare_ray
from mazzo_server.tournaments.executor.cluster.status import ClusterStatus, examine_cluster


def run_driver(descriptor: str, address: str, required: str, level: str) -> None:
    """Run until the platform ends. Signals that all processes get are for the platform to obey."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    prepare_ray()
    os.set_inheritable(int(descriptor), False)
    asyncio.run(_run(int(descriptor), address, _read_names(required), int(level)))


async def _run(descriptor: int, address: str, required: frozenset[str], level: int) -> None:
    from mazzo_server.tournaments.executor.cluster.driver import Driver

    reader, writer = await asyncio.open_connection(sock=socket.socket(fileno=descriptor))
    await Driver(reader, writer, required=required, level=level).run(address)


def run_look(address: str, required: str, node: str, fastest: str) -> None:
    """Write what `examine_cluster` finds, or why it fails, to standard output, pickled."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # for whatever Ray says
    found: ClusterStatus | PlatformError
    try:
        found = examine_cluster(address, _read_names(required), node=node, fastest=float(fastest))
    except PlatformError as error:
        found = error
    with output:
        pickle.dump(found, output)


def _read_names(text: str) -> frozenset[str]:
    return frozenset(filter(None, text.split(",")))


if __name__ == "__main__":
    {"drive": run_driver, "look": run_look}[sys.argv[1]](*sys.argv[2:])
