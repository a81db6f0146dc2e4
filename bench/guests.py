"""Bots for `make soak`: a few processes play for all instances.

Every instance has a server object, a socket and a stream of its own, as a sandboxed bot has. But
at the other end of all streams are a few processes, with random legal actions: a hundred
interpreters would measure the machine. Each instance takes a twentieth of a second for a frame,
as bots that think do; bots that answered at once would only show how long a queue gets that is
always full.

`python -m bench.guests` is such a process. `python -m bench.guests FD LEVEL` is a worker whose
bots are played by a process of its own.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from itertools import cycle
from typing import Any, cast

from mazzo import Bot
from mazzo.channel import open_channel
from mazzo.client import StreamCall, dial, play_stream
from mazzo.errors import ConnectionLostError
from mazzo.game import Action, View
from mazzo.v1 import play_pb2
from mazzo_server.play.instances import InstanceSpec, SandboxedSpec
from mazzo_server.sandbox import Exit, Launch, Limits, Sandbox, SandboxedProcess
from mazzo_server.tournaments.executor.local import LocalExecutor
from mazzo_server.tournaments.executor.worker.program import Worker
from support.phantom_process import PhantomProcess

__all__ = ["CAPACITY", "Guests", "run_guests"]

CAPACITY = 64  # decisions in flight of an instance

_THINKING = 0.05  # seconds that an instance takes for a frame


class _Random(Bot):
    def act(self, view: View) -> Action:
        return view.random.choice(view.legal)


async def _play_for_all() -> None:
    """Play a stream for each line `address token capacity`; say the token when it has ended."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    tasks = set()

    async def one(address: str, token: str, capacity: int) -> None:
        try:
            with suppress(ConnectionLostError):  # the game master does not wait for pongs
                async with open_channel(address) as channel:
                    stream = _Thoughtful(dial(channel, token))
                    await play_stream(_Random(), cast(StreamCall, stream), capacity=capacity)
        finally:
            print(token, flush=True)

    while line := (await reader.readline()).decode().split():
        task = asyncio.create_task(one(line[0], line[1], int(line[2])))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


class _Thoughtful:
    """A stream whose frames are only seen after a while."""

    def __init__(self, stream: StreamCall) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def read(self) -> Any:
        response = await self._stream.read()
        if isinstance(response, play_pb2.PlayResponse) and response.HasField("frame"):
            await asyncio.sleep(_THINKING)
        return response


class _Guest(PhantomProcess):
    """One stream of a process that plays many."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()

    async def wait(self) -> Exit:
        await self.ended.wait()
        return Exit(code=0, signal=None)

    async def kill(self) -> None:
        await self.ended.wait()


class Guests(Sandbox):
    """Starts no bots: it tells processes to play for them."""

    name = "none"

    def __init__(self, clients: Sequence[Process]) -> None:
        self._clients = cycle(clients)
        self._guests: dict[str, _Guest] = {}

    async def forget(self) -> None:
        """Nothing."""

    async def start(self, launch: Launch, limits: Limits) -> SandboxedProcess:
        """Let one of the processes dial in as the bot."""
        pipe = next(self._clients).stdin
        assert pipe is not None
        pipe.write(f"unix:{launch.socket} {launch.token} {CAPACITY}\n".encode())
        guest = self._guests[launch.token] = _Guest()
        return guest

    async def listen(self, client: Process) -> None:
        """Note which instances have ended, until the process ends."""
        assert client.stdout is not None
        while line := await client.stdout.readline():
            self._guests.pop(line.decode().strip()).ended.set()


@asynccontextmanager
async def run_guests(processes: int) -> AsyncIterator[Guests]:
    """Yield a sandbox whose bots that many processes play."""
    command = (sys.executable, "-m", "bench.guests")
    clients = [
        await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
        for _ in range(processes)
    ]
    guests = Guests(clients)
    listening = [asyncio.create_task(guests.listen(client)) for client in clients]
    try:
        yield guests
    finally:
        for client in clients:
            assert client.stdin is not None
            client.stdin.close()
        await asyncio.gather(*(client.wait() for client in clients), *listening)


async def _work(descriptor: int, level: int) -> None:
    reader, writer = await asyncio.open_connection(sock=socket.socket(fileno=descriptor))
    async with run_guests(1) as sandbox:

        def make_executor(specs: Sequence[InstanceSpec], **named: Any) -> LocalExecutor:
            guests = [
                replace(spec, sandbox=sandbox) if isinstance(spec, SandboxedSpec) else spec
                for spec in specs
            ]
            return LocalExecutor(guests, **named)

        await Worker(reader, writer, make_executor=make_executor).run(level)


if __name__ == "__main__":
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
    if len(sys.argv) == 1:
        asyncio.run(_play_for_all())
    else:
        _descriptor, _level = map(int, sys.argv[1:])
        os.set_inheritable(_descriptor, False)
        asyncio.run(_work(_descriptor, _level))
