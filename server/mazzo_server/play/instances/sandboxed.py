"""An instance in a sandbox: its process, its socket, its one stream.

The socket is bound into this sandbox alone. It leads to a server object of its own that offers
`PlayService.Play` and nothing else.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import grpc

from mazzo_server.clock import tell_end_time, wall_clock
from mazzo_server.errors import ConflictError, IsolationError, PlatformError, UnauthenticatedError
from mazzo_server.model import InstanceLog, Owner, Termination
from mazzo_server.play.instances.bearer import read_bearer_token
from mazzo_server.play.instances.cpu import Cores, Turns
from mazzo_server.play.instances.instance import InstanceLink, Loss
from mazzo_server.play.instances.play_service import (
    PlayContext,
    expect_joining,
    make_service_handler,
)
from mazzo_server.play.instances.statuses import make_status
from mazzo_server.play.instances.stream import (
    MOST_MESSAGE,
    UNCOMPRESSED,
    UNLIMITED_PINGS,
    BotStream,
)
from mazzo_server.play.instances.stream_end import StreamEnd, check_end
from mazzo_server.sandbox import (
    Exit,
    Launch,
    Limits,
    MemoryPeak,
    Sandbox,
    SandboxedProcess,
    ScratchFolder,
)

__all__ = ["SandboxedInstance", "SandboxedSpec"]

_EXIT_TURN = 2.0  # seconds of `exit_grace` while others wait for its core
_NEVER = 2**31 - 1  # milliseconds, in gRPC's notation
_SERVER_OPTIONS = (
    ("grpc.max_receive_message_length", MOST_MESSAGE),
    ("grpc.max_metadata_size", 8 * 1024),
    ("grpc.max_concurrent_streams", 1),
    ("grpc.max_allowed_incoming_connections", 1),
    ("grpc.compression_enabled_algorithms_bitset", UNCOMPRESSED),
    ("grpc.so_reuseport", 0),
    UNLIMITED_PINGS,
    # A frozen instance does not answer gRPC's own pings; the clocks find out who is gone.
    ("grpc.keepalive_time_ms", _NEVER),
    ("grpc.http2.ping_timeout_ms", _NEVER),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxedSpec:
    """An uploaded bot, and how it is started."""

    name: str
    bundle: Path
    command: tuple[str, ...]
    runtime: str = "python"
    packages: Path | None = None  # Python packages of its own
    capacity: int  # decisions in flight at most
    start_up: float  # seconds within which it must have joined
    sandbox: Sandbox
    limits: Limits
    cores: Cores | None = None  # it thinks only while it has one of these; None: at any time
    read_grace: float = 10.0  # seconds within which it must read a message when it owes nothing
    exit_grace: float = 5.0  # seconds that its process may take to exit after its stream ended
    turn_grace: float = 5.0  # seconds to wait for a core with which it hears goodbye
    goodbye_grace: float = 0.2  # seconds in which the last messages may be sent

    @property
    def remote(self) -> bool:
        """False: it runs here."""
        return False

    def make_instance(self, link: InstanceLink) -> SandboxedInstance:
        """Return an instance with a process of its own."""
        return SandboxedInstance(self, link)


class _ProcessOutput:
    """The output of the process of an instance, without its token: logs are kept and shown."""

    def __init__(self, token: str) -> None:
        self.process: SandboxedProcess | None = None
        self.begin_time = wall_clock()
        self._token = token

    @property
    def size(self) -> int:
        return 0 if self.process is None else self.process.log_size

    def read(self, since: int = 0) -> InstanceLog:
        text = "" if self.process is None else self.process.read_log(since)
        return InstanceLog(
            text=text.replace(self._token, "[session token]"),
            begin_time=self.begin_time,
            end_time=tell_end_time(self.begin_time),
        )


class SandboxedInstance:
    """Starts a bot, serves its stream, and returns how it ended."""

    def __init__(self, spec: SandboxedSpec, link: InstanceLink) -> None:
        self._spec = spec
        self._turns: Turns | None = None
        if spec.cores is not None:
            self._turns = Turns(link.frames, spec.cores, self._fail_control)
            link = replace(link, frames=self._turns)
        self._link = link
        self._token = secrets.token_urlsafe(32)
        self._token_hash = hashlib.sha256(self._token.encode()).digest()
        self._taken = False
        self._calls: set[asyncio.Task[None]] = set()  # calls that are being served
        self._stream = BotStream(self._on_join, read_grace=spec.read_grace)
        self._output = _ProcessOutput(self._token)

    @property
    def is_over(self) -> bool:
        """Whether its end is settled."""
        return self._stream.is_over

    @property
    def output(self) -> _ProcessOutput:
        """What it writes."""
        return self._output

    def read_memory_peak(self) -> MemoryPeak:
        """Return how much memory it held at most until now."""
        process = self._output.process
        return MemoryPeak() if process is None else process.read_memory_peak()

    def end(self) -> None:
        """Say goodbye."""
        self._stream.end()

    def fail(self, termination: Termination, reason: str) -> None:
        """Give the instance up for a fault of the bot."""
        self._stream.fail(termination, reason)

    def _fail_control(self, error: OSError) -> None:
        reason = f"its process could not be stopped or let go on: {error}"
        self._stream.fail(Termination.CRASHED, reason, Owner.PLATFORM)

    def _on_join(self, stream: BotStream) -> None:
        turns = self._turns
        stream.begin(
            self._link,
            most=self._spec.capacity,
            is_awake=_is_awake if turns is None else turns.wake,
        )

    async def run(self) -> Loss | None:
        """Start the bot and serve it until it ends."""
        if (turns := self._turns) is None:
            return await self._run()
        ended = self._stream.ended
        ended.add_done_callback(lambda _: turns.leave())
        try:
            turns.ask()
            await asyncio.wait((turns.turn, ended), return_when=asyncio.FIRST_COMPLETED)
            return None if self.is_over else await self._run()
        finally:
            turns.end()

    async def _run(self) -> Loss | None:
        with ScratchFolder() as folder:
            socket = Path(folder) / "s"
            server = grpc.aio.server(options=_SERVER_OPTIONS)
            server.add_generic_rpc_handlers((make_service_handler(self._play),))
            server.add_insecure_port(f"unix:{socket}")
            await server.start()
            process: SandboxedProcess | None = None
            try:
                spec = self._spec
                launch = Launch(
                    bundle=spec.bundle,
                    command=spec.command,
                    runtime=spec.runtime,
                    packages=spec.packages,
                    socket=socket,
                    token=self._token,
                )
                self._link.listener.on_start()
                self._output.begin_time = wall_clock()  # it may have waited for a core
                try:
                    process = self._output.process = await spec.sandbox.start(launch, spec.limits)
                except IsolationError as error:  # somebody may have killed the sandbox
                    return _make_start_loss(error)
                if self._turns is not None:
                    self._turns.begin(process)
                return await self._serve(process)
            finally:
                try:
                    await self._hang_up(server)
                finally:
                    if process is not None:
                        await process.kill()

    async def _hang_up(self, server: grpc.aio.Server) -> None:
        """End every call, then stop; gRPC complains of a call that outlives its server."""
        self._stream.end()
        patience = self._spec.goodbye_grace if self._stream.capacity else None
        if self._calls:
            _, late = await asyncio.wait(self._calls, timeout=patience or 0.0)
            for call in late:
                call.cancel()
            if late:
                await asyncio.wait(late)
        await server.stop(grace=patience)

    async def _serve(self, process: SandboxedProcess) -> Loss | None:
        exited = asyncio.create_task(process.wait())
        exited.add_done_callback(lambda _: self._stream.vanish())
        try:
            with expect_joining(self._stream, self._spec.start_up):
                ending = await self._stream.ended
            if ending is None:
                if self._turns is not None:
                    await asyncio.wait(
                        (self._turns.turn, exited),
                        timeout=self._spec.turn_grace,
                        return_when=asyncio.FIRST_COMPLETED,
                    )
                return None
            if ending.vanished:
                ending = await self._explain_exit(exited, ending)
            await process.kill()  # so that its log is complete
            return Loss(
                termination=ending.termination,
                owner=ending.owner,
                reason=ending.reason,
                joined=self._stream.capacity > 0,
                log=self._output.read().text,
            )
        finally:
            exited.cancel()
            await asyncio.gather(exited, return_exceptions=True)

    async def _explain_exit(self, exited: asyncio.Task[Exit], ending: StreamEnd) -> StreamEnd:
        """Return how the process exited, if it does so soon: that tells more than the stream."""
        grace = self._spec.exit_grace
        if self._turns is not None:
            # A frozen process costs nobody anything; with a core it could stay busy for nothing.
            turn = self._turns.turn
            await asyncio.wait((turn, exited), timeout=grace, return_when=asyncio.FIRST_COMPLETED)
            grace = _EXIT_TURN if turn.done() else 0.0
        await asyncio.wait((exited,), timeout=grace)
        if not exited.done():
            return ending
        status = exited.result()
        return StreamEnd(
            termination=Termination.LEFT if status.code == 0 else Termination.CRASHED,
            owner=Owner.PLATFORM if status.platform else Owner.BOT,
            reason=f"its process {status.describe()}",
        )

    async def _play(self, requests: AsyncIterator[bytes], context: PlayContext) -> None:
        call = asyncio.current_task()
        assert call is not None
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)
        try:
            self._authenticate(context)
            await self._stream.serve(requests, context.write)
            check_end(self._stream.ended)
        except PlatformError as error:
            await context.abort_with_status(make_status(error))

    def _authenticate(self, context: PlayContext) -> None:
        """Check the token, by its hash in constant time, and allow it one stream."""
        shown = read_bearer_token(context.invocation_metadata()) or ""
        token = hashlib.sha256(shown.encode()).digest()
        if not hmac.compare_digest(token, self._token_hash):
            raise UnauthenticatedError(
                "expected the metadata 'authorization: Bearer TOKEN' with this session's token, "
                f"got {'another' if shown else 'none'}: it is in MAZZO_TOKEN"
            )
        if self._taken:
            raise ConflictError(
                "expected one stream with this session's token, got a second: play all matches "
                "in one stream"
            )
        self._taken = True


def _is_awake() -> bool:
    return True


def _make_start_loss(error: IsolationError) -> Loss:
    return Loss(
        termination=Termination.CRASHED,
        owner=Owner.PLATFORM,
        reason=str(error),
        joined=False,
    )
