"""What a platform and its worker tell each other, and how that is written to their socket.

Both are the same program of the same version, and nobody else can open the socket; so messages are
pickled. What bots sent is in them as plain data only.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import struct
from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from mazzo_server.model import DealPlay, MatchOutcome
from mazzo_server.play import Began, Finished, PlayEvent
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

_BEGAN_FIELDS: Final = tuple(field.name for field in fields(Began))
_OUTCOME_FIELDS: Final = tuple(field.name for field in fields(MatchOutcome))
_read_began = attrgetter(*_BEGAN_FIELDS)
_read_outcome = attrgetter(*_OUTCOME_FIELDS)

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
    """Events of a job, in order.

    Beginnings and ends of matches are in it as plain values: that is read in 8 µs a match, and in
    12 where the events are pickled as they are.
    """

    job: int
    packed: tuple[Any, ...]

    @classmethod
    def of(cls, job: int, events: Iterable[PlayEvent]) -> Happened:
        """Return the message that tells of these events."""
        return cls(job=job, packed=tuple([_pack_event(event) for event in events]))

    def unpack(self, node: str) -> list[PlayEvent]:
        """Return the events, which happened on that node; "": on the platform's machine."""
        return [_unpack_event(packed, node) for packed in self.packed]


@dataclass(frozen=True, slots=True, kw_only=True)
class Over:
    """A job is over, since all was played, it was stopped, or an error stopped it."""

    job: int
    error: str = ""
    is_isolation: bool = False  # the error is an `IsolationError`
    is_bug: bool = False  # it is none that this program knows, and may come from what was played


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


def _pack_event(event: PlayEvent) -> Any:
    """Return what `_unpack_event` makes the event of."""
    if isinstance(event, Began):
        return _read_began(event)
    if isinstance(event, Finished):
        values = dict(zip(_OUTCOME_FIELDS, _read_outcome(event.outcome), strict=True))
        values["deals"] = [tuple(deal) for deal in event.outcome.deals]
        values["match_scores"] = [score.as_integer_ratio() for score in event.outcome.match_scores]
        return values
    return event


def _unpack_event(packed: Any, node: str) -> PlayEvent:
    if isinstance(packed, tuple):
        return Began(**dict(zip(_BEGAN_FIELDS, packed, strict=True)))
    if isinstance(packed, dict):
        scores = [_make_fraction(*ratio) for ratio in packed["match_scores"]]
        read = {
            "deals": tuple(map(DealPlay._make, packed["deals"])),
            "match_scores": tuple(scores),
            "node": node,
        }
        return Finished(outcome=MatchOutcome(**packed | read))
    event: PlayEvent = packed
    return event


@lru_cache(maxsize=1024)
def _make_fraction(numerator: int, denominator: int) -> Fraction:
    return Fraction(numerator, denominator)
