"""Floods of a server, and what they cost it and others."""

from __future__ import annotations

import asyncio
import socket
import statistics
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from mazzo.channel import open_channel
from mazzo.v1 import auth_pb2, auth_pb2_grpc, bot_pb2, bot_pb2_grpc
from support.callers import PATIENCE
from support.malformed_messages import PREFACE, frame, header
from support.served import measure_memory

__all__ = ["MOST_KEPT", "MOST_MORE", "Cost", "HalfSent", "make_tokens", "measure_flood", "show"]

MOST_MORE = 64 * 2**20  # bytes that a flood may cost
MOST_KEPT = 16 * 2**20  # bytes of it ten seconds later
MOST_WAIT = 1.0  # seconds, the median of another client's calls
_SETTLING = 10.0  # seconds
_FIRST_WINDOW = 65_535  # bytes, before the server says otherwise
_LARGE = 2**20  # bytes of a message


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a flood cost."""

    more: int  # bytes at most while it lasted
    kept: int  # bytes at most ten seconds later
    wait: float  # seconds that another client waited at the median

    def check(self) -> None:
        """Hold it against the bars."""
        assert self.more <= MOST_MORE, self
        assert self.kept <= MOST_KEPT, self
        assert self.wait <= MOST_WAIT, self


def show(token: str) -> tuple[tuple[str, str], ...]:
    """The metadata with a token."""
    return (("authorization", f"Bearer {token}"),)


async def make_tokens(socket: str, number: int) -> list[str]:
    """Tokens of so many authors."""
    async with open_channel(socket) as channel:
        stub = auth_pb2_grpc.AuthServiceStub(channel)
        request = auth_pb2.CreateTokenRequest(role=auth_pb2.TOKEN_ROLE_AUTHOR)
        made = []
        for each in range(number):
            request.subject = f"author-{each}"
            made.append((await stub.CreateToken(request)).text)
    return made


async def measure_flood(
    process: int, port: str, token: str, flood: Callable[[], Awaitable[None]]
) -> Cost:
    """Run a flood, while another client with its token makes calls and looks at the memory."""
    await _watch(process, port, token, asyncio.create_task(asyncio.sleep(0.5)))
    rest = measure_memory(process)
    waits, most = await _watch(process, port, token, asyncio.ensure_future(flood()))
    end = time.monotonic() + _SETTLING
    while (kept := measure_memory(process) - rest) > MOST_KEPT and time.monotonic() < end:  # noqa: ASYNC110
        await asyncio.sleep(0.1)
    return Cost(more=most - rest, kept=kept, wait=statistics.median(waits))


async def _watch(
    process: int, port: str, token: str, task: asyncio.Future[None]
) -> tuple[list[float], int]:
    waits, most = list[float](), 0
    async with open_channel(port) as channel:
        stub = bot_pb2_grpc.BotServiceStub(channel)
        while not task.done() or not waits:
            begin = time.monotonic()
            await stub.ListBots(bot_pb2.ListBotsRequest(), metadata=show(token), timeout=PATIENCE)
            waits.append(time.monotonic() - begin)
            most = max(most, measure_memory(process))
            await asyncio.sleep(0.05)
    await task
    return waits, most


class HalfSent:
    """A connection with calls of 1 MiB each, which send all that they may but the last byte."""

    def __init__(self, port: str, source: str, method: str, *, streams: int = 100) -> None:
        host, _, number = port.rpartition(":")
        self._socket = socket.create_connection((host, int(number)), source_address=(source, 0))
        self._windows = dict.fromkeys(range(1, 2 * streams, 2), _FIRST_WINDOW)
        self._left = dict.fromkeys(self._windows, _LARGE - 1)
        self._window = self._first = _FIRST_WINDOW
        self._pending = b""
        fields = [(b":method", b"POST"), (b":path", method.encode()), (b":scheme", b"http")]
        fields += [(b":authority", b"x"), (b"te", b"trailers")]
        fields += [(b"content-type", b"application/grpc")]
        block = b"".join(header(name, value) for name, value in fields)
        begin = b"\0" + _LARGE.to_bytes(4, "big")
        self._socket.sendall(PREFACE)
        for stream in self._windows:
            self._socket.sendall(frame(1, 4, stream, block) + frame(0, 0, stream, begin))
            self._windows[stream] -= len(begin)
            self._window -= len(begin)

    def send(self, seconds: float) -> None:
        """Send what the server lets it send, for so long."""
        end = time.monotonic() + seconds
        self._socket.settimeout(0.05)
        while time.monotonic() < end:
            for stream, left in self._left.items():
                size = min(left, self._windows[stream], self._window, 16_384)
                if size > 0:
                    self._socket.settimeout(_SETTLING)
                    self._socket.sendall(frame(0, 0, stream, bytes(size)))
                    self._left[stream] -= size
                    self._windows[stream] -= size
                    self._window -= size
            self._socket.settimeout(0.05)
            with suppress(TimeoutError):
                self._read(self._socket.recv(65_536))

    def _read(self, data: bytes) -> None:
        assert data, "the server has closed the connection"
        self._pending += data
        while len(self._pending) >= 9:
            size = int.from_bytes(self._pending[:3], "big")
            if len(self._pending) < 9 + size:
                return
            kind, flags = self._pending[3], self._pending[4]
            stream = int.from_bytes(self._pending[5:9], "big")
            payload = self._pending[9 : 9 + size]
            self._pending = self._pending[9 + size :]
            self._handle(kind, flags, stream, payload)

    def _handle(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        if kind == 8 and not stream:
            self._window += int.from_bytes(payload, "big")
        elif kind == 8 and stream in self._windows:
            self._windows[stream] += int.from_bytes(payload, "big")
        elif kind == 4 and not flags:
            for place in range(0, len(payload), 6):
                if payload[place : place + 2] == b"\0\4":
                    first = int.from_bytes(payload[place + 2 : place + 6], "big")
                    for each in self._windows:
                        self._windows[each] += first - self._first
                    self._first = first
            self._socket.sendall(frame(4, 1, 0, b""))
        elif kind == 6 and not flags:
            self._socket.sendall(frame(6, 1, 0, payload))
        elif kind == 3 or (kind == 1 and flags & 1):  # it is refused
            self._left[stream] = 0

    def close(self) -> None:
        """Break it off."""
        self._socket.close()
