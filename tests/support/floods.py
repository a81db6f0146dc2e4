"""Floods of a server, and what they cost it and others."""

from __future__ import annotations

import asyncio
import re
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from mazzo.channel import open_channel
from mazzo.v1 import auth_pb2, auth_pb2_grpc, bot_pb2, bot_pb2_grpc
from support.callers import PATIENCE

__all__ = ["MOST_KEPT", "MOST_MORE", "Cost", "make_tokens", "measure_flood", "show"]

MOST_MORE = 64 * 2**20  # bytes that a flood may cost
MOST_KEPT = 16 * 2**20  # bytes of it ten seconds later
MOST_WAIT = 1.0  # seconds, the median of another client's calls
_SETTLING = 10.0  # seconds


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
    rest = _read_memory(process)
    waits, most = await _watch(process, port, token, asyncio.ensure_future(flood()))
    end = time.monotonic() + _SETTLING
    while (kept := _read_memory(process) - rest) > MOST_KEPT and time.monotonic() < end:  # noqa: ASYNC110
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
            most = max(most, _read_memory(process))
            await asyncio.sleep(0.05)
    await task
    return waits, most


def _read_memory(process: int) -> int:
    """The bytes that are the process's own."""
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"^RssAnon:\s+(\d+) kB", status, re.MULTILINE)
    assert found
    return int(found[1]) * 1024
