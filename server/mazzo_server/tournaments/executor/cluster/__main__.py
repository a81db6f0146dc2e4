"""The driver's program, with a descriptor, an address, protections and a level of logs."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys

from mazzo_server.tournaments.executor.cluster.installed import prepare_ray


def run_driver() -> None:
    """Run until the platform ends. Signals that all processes get are for the platform to obey."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    prepare_ray()
    _, descriptor, address, required, level = sys.argv
    os.set_inheritable(int(descriptor), False)
    asyncio.run(
        _run(int(descriptor), address, frozenset(filter(None, required.split(","))), int(level))
    )


async def _run(descriptor: int, address: str, required: frozenset[str], level: int) -> None:
    from mazzo_server.tournaments.executor.cluster.driver import Driver

    reader, writer = await asyncio.open_connection(sock=socket.socket(fileno=descriptor))
    await Driver(reader, writer, required=required, level=level).run(address)


if __name__ == "__main__":
    run_driver()
