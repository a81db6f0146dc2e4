"""A bare gRPC echo over Unix sockets: what hosting is measured against.

One process serves as many others as a tournament has instances, all at once, each behind a
socket of its own: a single pair would leave the processors idle between two messages, and
measure how fast they wake up.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
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


def measure(*, clients: int, question: int, answer: int, exchanges: int) -> Echo:
    """Messages of `question` bytes out and `answer` bytes back, one after the other.

    Each of the clients has its share of the exchanges.
    """
    return asyncio.run(_measure(clients, question, answer, exchanges // clients))


async def _measure(clients: int, question: int, answer: int, exchanges: int) -> Echo:
    joined = asyncio.Barrier(clients + 1)
    done = asyncio.Barrier(clients + 1)

    async def play(
        requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]
    ) -> None:
        message = b"q" * question
        await context.read()
        await joined.wait()
        for _ in range(exchanges):
            await context.write(message)
            await context.read()
        await done.wait()

    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mazzo-"))
        processes = []
        for number in range(clients):
            address = f"unix:{Path(folder) / str(number)}"
            server = grpc.aio.server()
            handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(
                play
            )
            server.add_generic_rpc_handlers(
                (grpc.method_handlers_generic_handler("bench.Echo", {"Play": handler}),)
            )
            server.add_insecure_port(address)
            await server.start()
            stack.push_async_callback(server.stop, grace=1)
            processes.append(
                await asyncio.create_subprocess_exec(
                    sys.executable, "-c", _CLIENT, address, str(answer)
                )
            )
        await joined.wait()
        cpu, start = machine_seconds(), time.perf_counter()
        await done.wait()
        seconds, cpu = time.perf_counter() - start, machine_seconds() - cpu
    for process in processes:
        await process.wait()
    total = clients * exchanges
    return Echo(total / seconds, cpu / total)
