"""A worker that is a process on this machine."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress

from mazzo_server.metrics import Metrics
from mazzo_server.tournaments.executor.worker.connection import WorkerConnection
from mazzo_server.tournaments.executor.worker.messages import PackedBot, pack_message

__all__ = ["WorkerProcess", "make_command"]

_PROGRAM = "mazzo_server.tournaments.executor.worker"
_END_SECONDS = 20.0  # that it may take to end its instances


def make_command(descriptor: int, *, level: int, program: str = _PROGRAM) -> list[str]:
    """Return the command of a worker that has the socket with its platform at a descriptor.

    It logs from that level on.
    """
    return [sys.executable, "-P", "-m", program, str(descriptor), str(level)]


class WorkerProcess(WorkerConnection):
    """A process with a socket to its platform, which ends when that is closed."""

    def __init__(self, name: str, metrics: Metrics) -> None:
        super().__init__(name, metrics)
        self._writer: asyncio.StreamWriter | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None

    async def start(self, program: str = _PROGRAM) -> None:
        """Start the process with that module as its program; raise OSError."""
        ours, theirs = socket.socketpair()
        level = logging.getLogger("mazzo_server").getEffectiveLevel()
        with theirs:
            try:
                self._process = await asyncio.create_subprocess_exec(
                    *make_command(theirs.fileno(), level=level, program=program),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.DEVNULL,
                    start_new_session=True,  # Ctrl-C at the terminal is for the platform
                    pass_fds=(theirs.fileno(),),
                )
            except BaseException:
                ours.close()
                raise
        reader, self._writer = await asyncio.open_connection(sock=ours)
        self._reading = asyncio.create_task(self._read(reader), name=f"read {self.name}")

    async def prepare(self, bots: Sequence[PackedBot | None]) -> None:
        """Do nothing: their folders are on this machine."""

    def tell(self, message: object) -> None:
        """Send it a message, unless it is gone."""
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(pack_message(message))

    async def close(self) -> None:
        """Let it end its instances and itself, or kill it."""
        self._is_closing = True
        if self._writer is not None:
            self._writer.close()
        process = self._process
        if process is None:
            return
        try:
            async with asyncio.timeout(_END_SECONDS):
                await process.wait()
        except TimeoutError:
            self._kill()
            await process.wait()
        if self._reading is not None:
            await self._reading

    async def _read(self, reader: asyncio.StreamReader) -> None:
        await super()._read(reader)
        self._kill()

    def _kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                # Not by its own method, which may reap a child for which asyncio waits.
                os.kill(self._process.pid, signal.SIGKILL)
