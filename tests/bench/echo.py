"""A bare gRPC echo between two processes over a Unix socket: what hosting is measured against."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import grpc

from bench.cpu import machine_seconds

__all__ = ["Echo", "measure"]

_CLIENT = """
import asyncio, sys, grpc

async def main(address, reply):
    async with grpc.aio.insecure_channel(address) as channel:
        stream = channel.stream_stream("/bench.Echo/Play")()
        await stream.write(b"join")
        while (message := await stream.read()) is not grpc.aio.EOF:
            await stream.write(b"x" * reply)

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""


@dataclass(frozen=True, slots=True)
class Echo:
    """Exchanges a second, and the machine's CPU seconds for each."""

    exchanges_per_second: float
    cpu_seconds: float


def measure(*, question: int, answer: int, exchanges: int) -> Echo:
    """Messages of `question` bytes out and `answer` bytes back, one after the other."""
    return asyncio.run(_measure(question, answer, exchanges))


async def _measure(question: int, answer: int, exchanges: int) -> Echo:
    took: asyncio.Future[tuple[float, float]] = asyncio.get_running_loop().create_future()

    async def play(
        requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]
    ) -> None:
        message = b"q" * question
        await context.read()
        cpu, start = machine_seconds(), time.perf_counter()
        for _ in range(exchanges):
            await context.write(message)
            await context.read()
        took.set_result((time.perf_counter() - start, machine_seconds() - cpu))

    server = grpc.aio.server()
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(play)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("bench.Echo", {"Play": handler}),)
    )
    with tempfile.TemporaryDirectory(prefix="mazzo-") as folder:
        address = f"unix:{Path(folder) / 's'}"
        server.add_insecure_port(address)
        await server.start()
        client = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _CLIENT, address, str(answer)
        )
        seconds, cpu = await took
        await server.stop(grace=1)
        await client.wait()
    return Echo(exchanges / seconds, cpu / exchanges)
