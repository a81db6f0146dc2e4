"""The gateway's program: `python -m mazzo_server.serving.gateway CONFIG`; the server starts it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio import sslproto

from mazzo_server.serving.descriptors import raise_descriptor_limit
from mazzo_server.serving.gateway.listener import Gateway
from mazzo_server.serving.gateway.messages import GatewayConfig
from mazzo_server.serving.memory import keep_memory_small

_TLS_BUFFER = 16 * 1024  # bytes, one record; asyncio's own of 256 KiB are a fourth of a gigabyte

_MEMORY_INTERVAL = 1.0  # seconds: a TLS connection that ends leaves 200 KiB for the collector
_MEMORY_PATIENCE = 120  # looks: what a flood takes is not to be the usual size after it


def run_gateway() -> None:
    """Run until the server ends. Signals that all processes get are for the server to obey."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    raise_descriptor_limit()
    sslproto.SSLProtocol.max_size = _TLS_BUFFER
    config = GatewayConfig.parse(sys.argv[1])
    os.chdir(config.folder)
    asyncio.run(_run(Gateway(config)))


async def _run(gateway: Gateway) -> None:
    async with keep_memory_small(interval=_MEMORY_INTERVAL, patience=_MEMORY_PATIENCE):
        await gateway.run()


if __name__ == "__main__":
    run_gateway()
