"""What a platform and its worker tell each other, and how that is written to their socket.

Both are the same program of the same version, and nobody else can open the socket; so messages are
pickled. What bots sent is in them as plain data only.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mazzo_server.play import PlayEvent
from mazzo_server.play.instances import SandboxedSpec
from mazzo_server.sandbox import Limits
from mazzo_server.settings import Isolation
from mazzo_server.tournaments.executor.chunk import Chunk

__all__ = [
    "Counted",
    "Happened",
    "Logged",
    "MessageReader",
    "Over",
    "PackedBot",
    "Play",
    "Stop",
    "Withdraw",
    "pack_message",
]

_LENGTH: Final = struct.Struct("!I")
_MOST_READ: Final = 256 * 1024  # bytes at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedBot:
    """A `SandboxedSpec` without what belongs to a process: its sandbox and its cores."""

    name: str
    bundle: Path
    command: tuple[str, ...]
    runtime: str
    packages: Path | None
    capacity: int
    start_up: float
    isolation: Isolation
    limits: Limits
    is_fair: bool  # it thinks only while it has a core

    @classmethod
    def of(cls, spec: SandboxedSpec) -> PackedBot:
        """Return what a worker needs to start the same bot."""
        return cls(
            name=spec.name,
            bundle=spec.bundle,
            command=spec.command,
            runtime=spec.runtime,
            packages=spec.packages,
            capacity=spec.capacity,
            start_up=spec.start_up,
            isolation=Isolation(spec.sandbox.name),
            limits=spec.limits,
            is_fair=spec.cores is not None,
        )


# What a platform tells


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """Play a chunk, as the job of that number."""

    job: int
    chunk: Chunk
    bots: tuple[PackedBot | None, ...]  # by entrant; None: it plays in no match of the chunk
    concurrency: int  # matches in flight at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Begin no new match of a job; at once: give up those in flight."""

    job: int
    at_once: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdraw:
    """Play no more matches of an entrant in a job: its bot does not start elsewhere."""

    job: int
    entrant: int


# What a worker tells


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """An event of a job."""

    job: int
    event: PlayEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Over:
    """A job is over, since all was played, it was stopped, or an error stopped it."""

    job: int
    error: str = ""
    is_isolation: bool = False  # the error is an `IsolationError`


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What the metrics of the worker counted since its last message: calls with arguments.

    It comes every second or two, and so says that the worker lives.
    """

    calls: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    waiting: int = 0  # decisions that wait to be sent
    in_flight: int = 0  # decisions that bots have


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """A record of the worker's log, with its text made."""

    record: logging.LogRecord


def pack_message(message: object) -> bytes:
    """Return a message as it is written to the socket."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(data)) + data


class MessageReader:
    """Reads messages, as many at a time as have come."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self._buffer = bytearray()

    async def read(self) -> list[Any]:
        """Return the next messages; raise EOFError when the other end is gone.

        When it is cancelled nothing is lost.
        """
        while not (messages := self._take()):
            try:
                data = await self._reader.read(_MOST_READ)
            except ConnectionError as error:
                raise EOFError from error
            if not data:
                raise EOFError
            self._buffer += data
        return messages

    def _take(self) -> list[Any]:
        messages = []
        begin, end = 0, len(self._buffer)
        while end - begin >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._buffer, begin)
            following = begin + _LENGTH.size + length
            if following > end:
                break
            data = memoryview(self._buffer)[begin + _LENGTH.size : following]
            messages.append(pickle.loads(data))  # noqa: S301 (our own process)
            data.release()
            begin = following
        del self._buffer[:begin]
        return messages
