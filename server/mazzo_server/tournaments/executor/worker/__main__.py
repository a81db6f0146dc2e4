"""The worker's program: `python -m mazzo_server.tournaments.executor.worker FD LEVEL`."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys

from mazzo_server.tournaments.executor.worker.program import Worker


def run_worker() -> None:
    """Run until the platform ends. Signals that all processes get are for the platform to obey."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)  # bots would inherit that they are ignored
    descriptor, level = map(int, sys.argv[1:])
    os.set_inheritable(descriptor, False)
    asyncio.run(_run(descriptor, level))


async def _run(descriptor: int, level: int) -> None:
    reader, writer = await asyncio.open_connection(sock=socket.socket(fileno=descriptor))
    await Worker(reader, writer).run(level)


if __name__ == "__main__":
    run_worker()
