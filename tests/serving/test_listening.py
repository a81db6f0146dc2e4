"""Ports: how many connections are taken."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path

from mazzo_server.serving.grpc.server import serve_platform
from mazzo_server.serving.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore

PATIENCE = 60.0  # seconds, the longest wait for anything
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"  # and settings, all as usual


async def connect(address: str) -> asyncio.StreamWriter | None:
    """A connection; None when the server hangs up at once."""
    reader, writer = await asyncio.open_connection(*address.rsplit(":", 1))
    writer.write(PREFACE)
    try:
        if await reader.read(1):
            return writer
    except ConnectionError:
        pass
    writer.close()
    return None


def test_so_many_connections_at_a_port_and_no_more() -> None:
    """So that strangers cannot use up the files of the process; whoever goes makes room."""
    assert inspect.signature(serve_platform).parameters["most_connections"].default == 1_000
    most = 3

    async def main() -> None:
        platform = Platform(Settings(home=Path("/nowhere")), MemoryStore())
        serving = serve_platform(platform, ["127.0.0.1:0"], isolation="none", most_connections=most)
        async with serving as (address,):
            held = [await connect(address) for _ in range(most)]
            assert None not in held
            assert await connect(address) is None
            for writer in filter(None, held):
                writer.close()
                await writer.wait_closed()
            while (late := await connect(address)) is None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            late.close()

    asyncio.run(asyncio.wait_for(main(), PATIENCE))
