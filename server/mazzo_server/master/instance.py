"""One running instance of a bot: its process in a sandbox, its socket, its one stream.

The socket is bound into this sandbox alone, and behind it stands a server object of its
own that offers `PlayService.Play` and nothing else.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import logging
import secrets
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import grpc
from google.protobuf.message import DecodeError

from mazzo.v1 import play_pb2
from mazzo_server.clock import monotonic
from mazzo_server.outcome import Owner, Termination
from mazzo_server.sandbox import Exit, Launch, Limits, Sandbox, SandboxedProcess

__all__ = ["Instance", "InstanceSpec", "Listener", "Loss"]

_LOG = logging.getLogger(__name__)

_EXIT_GRACE = 5.0  # seconds that a process gets to exit by itself after its stream ended
_GOODBYE_GRACE = 0.2  # seconds that the last messages get to be sent
_MOST_MESSAGE = 1024 * 1024  # bytes of one message of a bot
_SERVER_OPTIONS = (
    ("grpc.max_receive_message_length", _MOST_MESSAGE),
    ("grpc.max_metadata_size", 8 * 1024),
    ("grpc.max_concurrent_streams", 1),
    ("grpc.max_allowed_incoming_connections", 1),
    ("grpc.so_reuseport", 0),
)
_PING = play_pb2.PlayResponse(ping=play_pb2.Ping()).SerializeToString()
_GOODBYE = play_pb2.PlayResponse(goodbye=play_pb2.Goodbye()).SerializeToString()


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceSpec:
    """What is started, and how."""

    name: str  # of the bot, for the logs
    bundle: Path
    command: tuple[str, ...]
    capacity: int  # decisions in flight at most
    start_up: float  # seconds until it must have joined
    sandbox: Sandbox
    limits: Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """How an instance ended."""

    termination: Termination
    owner: Owner
    reason: str
    joined: bool
    log: str = ""


class Listener(Protocol):
    """Who plays through the instance."""

    def joined(self, capacity: int, start_up: float) -> None:
        """It is ready, `start_up` seconds after its start; frames may flow."""

    def next_frame(self) -> bytes | None:
        """The next serialised response to send; None when there is nothing to say now."""

    def received(self, answer: play_pb2.Answer) -> None:
        """It answered."""

    def measured(self, latency: float) -> None:
        """The round trip to it, in seconds."""


class Instance:
    """Starts a bot, serves its stream, and says how it ended."""

    def __init__(self, spec: InstanceSpec, listener: Listener) -> None:
        """An instance that `run` will start."""
        self._spec = spec
        self._listener = listener
        self._token = secrets.token_urlsafe(32)
        self._token_hash = hashlib.sha256(self._token.encode()).digest()
        self._taken = False
        self._joined = asyncio.Event()
        self._wake = asyncio.Event()
        self._capacity = 1
        self._over: asyncio.Future[Loss | None] = asyncio.get_running_loop().create_future()
        self._vanished = False  # it ended without a word: the status of its process says why
        self._welcomed = False
        self._pinged_at = 0.0  # when the ping was sent that is still to be answered; 0: none
        self._started_at = monotonic()

    @property
    def over(self) -> bool:
        """Whether it is settled how it ended: nothing that it sends counts any more."""
        return self._over.done()

    def wake(self) -> None:
        """There may be a frame to send."""
        self._wake.set()

    def end(self) -> None:
        """Say goodbye; `run` then returns None."""
        self._finish(None)

    def fail(self, termination: Termination, reason: str) -> None:
        """Give the instance up for a fault of the bot."""
        self._finish(self._loss(termination, reason))

    def _finish(self, loss: Loss | None) -> None:
        if not self.over:
            self._over.set_result(loss)
        self._wake.set()

    def _vanish(self) -> None:
        """Its stream or its process ended."""
        self._vanished = self._vanished or not self.over
        self._finish(self._loss(Termination.LEFT, "its stream ended"))

    def _break(self, error: Exception) -> None:
        """A bug of ours, which must not look like a fault of the bot."""
        if not self.over:
            self._over.set_exception(error)
        self._wake.set()

    def _loss(self, termination: Termination, reason: str, owner: Owner = Owner.BOT) -> Loss:
        joined = self._joined.is_set()
        return Loss(termination=termination, owner=owner, reason=reason, joined=joined)

    async def run(self) -> Loss | None:
        """Start and serve until it ends; None after `end`. Nothing of it is left afterwards.

        Raises `IsolationError` when the sandbox cannot be started at all.
        """
        with tempfile.TemporaryDirectory(prefix="mazzo-") as folder:
            socket = Path(folder) / "s"
            server = grpc.aio.server(options=_SERVER_OPTIONS)
            server.add_generic_rpc_handlers((self._handler(),))
            server.add_insecure_port(f"unix:{socket}")
            await server.start()
            process: SandboxedProcess | None = None
            try:
                spec = self._spec
                launch = Launch(
                    bundle=spec.bundle, command=spec.command, socket=socket, token=self._token
                )
                self._started_at = monotonic()
                process = await spec.sandbox.start(launch, spec.limits)
                loss = await self._serve(process)
                if loss is not None:
                    _LOG.info(
                        "%s: instance lost: %s",
                        spec.name,
                        loss.reason,
                        extra={"action": "instance-lost", "bot": spec.name},
                    )
                return loss
            finally:
                self._finish(None)
                try:
                    await server.stop(grace=_GOODBYE_GRACE if self._joined.is_set() else None)
                finally:
                    if process is not None:
                        await process.kill()

    async def _serve(self, process: SandboxedProcess) -> Loss | None:
        exited = asyncio.create_task(process.wait())
        exited.add_done_callback(lambda _: self._vanish())
        start_up = asyncio.get_running_loop().call_later(self._spec.start_up, self._check_joined)
        try:
            loss = await self._over
            if loss is None:
                return None
            if self._vanished:
                loss = await self._how_it_exited(exited, loss)
            await process.kill()  # so that its log is complete
            return replace(loss, log=process.log)
        finally:
            start_up.cancel()
            exited.cancel()
            await asyncio.gather(exited, return_exceptions=True)

    def _check_joined(self) -> None:
        if not self._joined.is_set():
            reason = f"had not joined after {self._spec.start_up:g} s"
            self.fail(Termination.OUT_OF_TIME, reason)

    async def _how_it_exited(self, exited: asyncio.Task[Exit], loss: Loss) -> Loss:
        """A stream's end says little: the status of the process says more, if it comes soon."""
        await asyncio.wait((exited,), timeout=_EXIT_GRACE)
        if not exited.done():
            return loss
        status = exited.result()
        owner = Owner.PLATFORM if status.platform else Owner.BOT
        termination = Termination.LEFT if status.code == 0 else Termination.CRASHED
        return self._loss(termination, f"its process {status.describe()}", owner)

    def _handler(self) -> grpc.GenericRpcHandler:
        return grpc.method_handlers_generic_handler(
            "mazzo.v1.PlayService",
            {"Play": grpc.stream_stream_rpc_method_handler(self._play)},
        )

    async def _play(
        self,
        requests: AsyncIterator[bytes],
        context: grpc.aio.ServicerContext[bytes, bytes],
    ) -> None:
        await self._authenticate(context)
        reader = asyncio.create_task(self._read(requests))
        try:
            await self._write(context.write)
        except Exception as error:
            self._break(error)
        finally:
            self._vanish()
            reader.cancel()
            await asyncio.wait((reader,))

    async def _authenticate(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """One stream a token, the token compared in constant time by its hash."""
        metadata = dict(context.invocation_metadata() or ())
        given = metadata.get("authorization", "")
        given = given.decode(errors="replace") if isinstance(given, bytes) else given
        token = hashlib.sha256(given.removeprefix("Bearer ").encode()).digest()
        if not hmac.compare_digest(token, self._token_hash):
            await context.abort(
                grpc.StatusCode.UNAUTHENTICATED,
                "expected the metadata 'authorization: Bearer TOKEN' with this session's token",
            )
        if self._taken:
            await context.abort(
                grpc.StatusCode.ALREADY_EXISTS, "this session's token has been used already"
            )
        self._taken = True

    async def _write(self, write: Callable[[bytes], Awaitable[None]]) -> None:
        """Send what there is to say, until the instance is over."""

        async def send(message: bytes) -> None:
            try:
                await write(message)
            except Exception:  # in whatever way the stream broke
                self._vanish()

        while not self.over:
            await self._wake.wait()
            self._wake.clear()
            if not self._joined.is_set():
                continue
            if not self._welcomed:
                self._welcomed = True
                welcome = play_pb2.Welcome(capacity=self._capacity)
                await send(play_pb2.PlayResponse(welcome=welcome).SerializeToString())
                self._pinged_at = monotonic()
                await send(_PING)
            while not self.over and (frame := self._listener.next_frame()) is not None:
                await send(frame)
        if not self._vanished and self._over.result() is None:
            await send(_GOODBYE)

    async def _read(self, requests: AsyncIterator[bytes]) -> None:
        with contextlib.suppress(Exception):  # in whatever way the stream breaks
            async for data in requests:
                if self.over:
                    return
                try:
                    self._take(data)
                except DecodeError:
                    reason = "sent a message that cannot be read"
                    self.fail(Termination.MALFORMED_ANSWER, reason)
                except Exception as error:
                    self._break(error)
        self._vanish()

    def _take(self, data: bytes) -> None:
        request = play_pb2.PlayRequest.FromString(data)
        kind = request.WhichOneof("message")
        if kind == "join" and not self._joined.is_set():
            self._capacity = max(1, min(self._spec.capacity, request.join.capacity or 1))
            self._joined.set()
            self._listener.joined(self._capacity, monotonic() - self._started_at)
            self._wake.set()
        elif not self._joined.is_set() or kind in ("join", None):
            self.fail(
                Termination.MALFORMED_ANSWER, f"sent {kind or 'an empty message'} out of turn"
            )
        elif kind == "answer":
            self._listener.received(request.answer)
        elif kind == "pong" and self._pinged_at:
            self._listener.measured(monotonic() - self._pinged_at)
            self._pinged_at = 0.0  # one pong a ping
        elif kind == "leave":
            self._finish(self._loss(Termination.LEFT, "left"))
