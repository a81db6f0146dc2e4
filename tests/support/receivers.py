"""Receivers of hooks: those that answer as they should, and those that do not."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, TypeAlias

__all__ = ["Answer", "Received", "Receiver", "answer_with", "receive", "swallow"]


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came."""

    line: str
    headers: dict[str, str]
    body: bytes

    @property
    def event_id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def facts(self) -> Any:
        """The message of a body in JSON."""
        return json.loads(self.body)

    def has_signature_of(self, secret: str) -> bool:
        """Whether it is signed with a secret, as the specification says it."""
        key = base64.b64decode(secret.split("_", 1)[1])
        signed = f"{self.event_id}.{self.headers['webhook-timestamp']}.".encode() + self.body
        expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        return self.headers["webhook-signature"] == f"v1,{expected}"


Answer: TypeAlias = Callable[[asyncio.StreamWriter], Awaitable[None]]


def answer_with(status: int, *, headers: str = "", body: bytes = b"") -> Answer:
    """Answer properly, with that status."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        head = f"HTTP/1.1 {status} X\r\ncontent-length: {len(body)}\r\n{headers}\r\n"
        writer.write(head.encode() + body)
        await writer.drain()

    return answer


@dataclass(slots=True)
class Receiver:
    """A receiver on this machine, and what it was sent."""

    port: int
    scheme: str = "http"
    requests: list[Received] = field(default_factory=list)
    connections: int = 0
    came: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        return f"{self.scheme}://localhost:{self.port}/in?key=its-secret"

    async def wait_for(self, requests: int) -> list[Received]:
        """Wait until there were so many, and return them."""
        while len(self.requests) < requests:
            self.came.clear()
            await self.came.wait()
        return self.requests


@asynccontextmanager
async def receive(
    answers: Iterator[Answer] | Answer | None = None, *, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Receiver]:
    """Receive at a free port while the context lasts, with the next of the answers each time."""
    todo = answers if isinstance(answers, Iterator) else repeat(answers or answer_with(204))
    tasks = set[asyncio.Task[None]]()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        receiver.connections += 1
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
                # Signatures are no lower-case text.
                exact = dict(line.split(": ", 1) for line in head[1:] if line)
                headers |= {name.lower(): value for name, value in exact.items()}
                body = await reader.readexactly(int(headers["content-length"]))
                receiver.requests.append(Received(head[0], headers, body))
                receiver.came.set()
                await next(todo)(writer)
        except asyncio.CancelledError:
            pass  # the test is over
        finally:
            writer.transport.abort()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    receiver = Receiver(port, "https" if tls else "http")
    try:
        yield receiver
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@contextmanager
def swallow(host: str = "127.0.0.1", port: int = 0) -> Iterator[int]:
    """Swallow what is sent to a port while the context lasts: no connection is ever made.

    Linux answers nobody whose connection finds no room in the queue of those to be accepted.
    """
    with ExitStack() as stack:
        listening = stack.enter_context(socket.socket())
        listening.bind((host, port))
        listening.listen(0)
        for _ in range(3):  # fill the queue
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            with suppress(BlockingIOError):
                waiting.connect(listening.getsockname())
        yield int(listening.getsockname()[1])
