"""The gateway's process, as its server sees it: started, told of calls, started again."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import unquote

from mazzo_server.clock import monotonic
from mazzo_server.errors import PlatformError
from mazzo_server.logs import LogAction
from mazzo_server.metrics import Metrics
from mazzo_server.serving.gateway.admission import ConnectionLimits
from mazzo_server.serving.gateway.messages import (
    MOST_LINE,
    GatewayConfig,
    GatewayReport,
    Notice,
    PeerName,
)
from mazzo_server.serving.hosting.listening import TlsFiles

__all__ = ["GatewayProcess", "open_gateway", "read_peer"]

_LOG = logging.getLogger(__name__)

_LOOKS, _LOOK_SECONDS = 10, 1.0  # without a report, after which a gateway is taken for dead
_PAUSE = 0.5  # seconds between its end and the next one's beginning
_END_SECONDS = 2.0
_MOST_UNTOLD = 4 * 1024 * 1024  # bytes of notices
_LOG_INTERVAL = 60.0  # seconds


class GatewayProcess:
    """One gateway after the other, on the same listening sockets.

    When one ends, its connections are lost, and clients come back to the next one.
    """

    def __init__(
        self,
        listeners: Sequence[socket.socket],
        folder: Path,
        tls: TlsFiles | None,
        limits: ConnectionLimits,
        metrics: Metrics,
    ) -> None:
        """`folder` is for this server's user alone, and holds its socket."""
        self._listeners = listeners
        self._folder = folder
        self._tls = tls
        self._limits = limits
        self._metrics = metrics.connections
        self._generation = 0
        self._writer: asyncio.StreamWriter | None = None
        self._log = _RefusalLog()

    def begin_call(self, peer: PeerName, token: str | None) -> None:
        """Tell that a call of the connection was let in; `token` is the id of a valid one."""
        self._tell(peer, Notice(connection=peer.connection, has_begun=True, token=token))

    def end_call(self, peer: PeerName, *, is_good: bool) -> None:
        """Tell that such a call has ended, and whether it was not refused."""
        self._tell(peer, Notice(connection=peer.connection, has_begun=False, is_good=is_good))

    async def run(self, started: asyncio.Future[None]) -> None:
        """Keep a gateway running; `started` is done when the first one takes connections.

        If that one does not begin, `started` gets a `PlatformError`.
        """
        while True:
            why = "it ended"
            try:
                await self._run_one(started)
            except Exception as error:  # such as too many processes: OSError, or RuntimeError
                why = str(error) or type(error).__name__
            if not started.done():
                started.set_exception(PlatformError(f"the gateway of the ports is lost: {why}"))
                return
            _LOG.error(
                "the gateway of the ports is lost with its connections, and a new one is started: "
                "%s",
                why,
                extra={"action": LogAction.GATEWAY_LOST},
            )
            self._metrics.show_open(anonymous=0, authenticated=0)
            self._metrics.count_restart()
            await asyncio.sleep(_PAUSE)

    async def _run_one(self, started: asyncio.Future[None]) -> None:
        """Run a gateway until it ends, or says nothing any more."""
        self._generation += 1
        ours, theirs = socket.socketpair()
        with ours, theirs:
            config = GatewayConfig(
                generation=self._generation,
                listeners=[one.fileno() for one in self._listeners],
                control=theirs.fileno(),
                folder=str(self._folder),
                certificate=None if self._tls is None else str(self._tls.certificate.absolute()),
                key=None if self._tls is None else str(self._tls.key.absolute()),
                limits=self._limits,
            )
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "mazzo_server.serving.gateway", config.pack()),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=(config.control, *config.listeners),
            )
            theirs.close()
            reader, writer = await asyncio.open_connection(sock=ours, limit=MOST_LINE)
            self._writer = writer
            try:
                await self._read_reports(reader, started)
            finally:
                self._writer = None
                writer.close()
                await _end_process(process)

    async def _read_reports(
        self, reader: asyncio.StreamReader, started: asyncio.Future[None]
    ) -> None:
        while line := await _read_line(reader):
            if not started.done():
                started.set_result(None)
            report = GatewayReport.parse(line)
            self._metrics.show_open(anonymous=report.anonymous, authenticated=report.authenticated)
            for reason, number in report.refused.items():
                self._metrics.count_closed(reason, number)
            self._log.add(report)

    def _tell(self, peer: PeerName, notice: Notice) -> None:
        writer = self._writer
        if writer is None or peer.generation != self._generation:  # that connection is gone
            return
        if writer.transport.is_closing():  # so is the gateway, and the next one is started
            return
        if writer.transport.get_write_buffer_size() > _MOST_UNTOLD:
            writer.transport.abort()  # it has stopped to work
            return
        writer.write(notice.pack())


class _RefusalLog:
    """Logs what a gateway refuses, once a minute at most."""

    def __init__(self) -> None:
        self._refused: dict[str, int] = {}
        self._network = ""  # most of the last ones came from there
        self._next = monotonic()

    def add(self, report: GatewayReport) -> None:
        for reason, number in report.refused.items():
            self._refused[reason] = self._refused.get(reason, 0) + number
        self._network = report.network or self._network
        if not self._refused or monotonic() < self._next:
            return
        self._next = monotonic() + _LOG_INTERVAL
        _LOG.warning(
            "closed %d connection%s (%s), most of the last ones from %s",
            *((number := sum(self._refused.values())), "" if number == 1 else "s"),
            ", ".join(f"{number} {reason}" for reason, number in self._refused.items()),
            self._network,
            extra={
                "action": LogAction.CONNECTIONS_REFUSED,
                "refused": dict(self._refused),
                "network": self._network,
            },
        )
        self._refused.clear()


async def _read_line(reader: asyncio.StreamReader) -> bytes:
    """Return what comes next; b"" if it has ended, or nothing comes for long.

    It looks again and again: a server that has stood still finds one time-out over, whatever has
    come meanwhile, and takes nobody for dead for that.
    """
    for _ in range(_LOOKS):
        with suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(_LOOK_SECONDS):
                return await reader.readline()
    return b""


async def _end_process(process: asyncio.subprocess.Process) -> None:
    """Let it end by itself, as it does when nobody listens to it; or kill it."""
    try:
        async with asyncio.timeout(_END_SECONDS):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def read_peer(peer: str) -> PeerName | None:
    """Return what gRPC's name of a peer says; None if it did not come through a gateway."""
    kind, _, place = unquote(peer).partition(":")
    if kind != "unix" or not place:
        return None
    try:
        return PeerName.parse(place.rpartition("/")[2])
    except ValueError:
        return None


@asynccontextmanager
async def open_gateway(
    listeners: Sequence[socket.socket],
    folder: Path,
    *,
    tls: TlsFiles | None,
    limits: ConnectionLimits,
    metrics: Metrics,
) -> AsyncIterator[GatewayProcess]:
    """Keep a gateway before the server at `SOCKET_NAME` in the folder while the context lasts.

    Raises `PlatformError` if it cannot be started.
    """
    gateway = GatewayProcess(listeners, folder, tls, limits, metrics)
    started = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(gateway.run(started))
    try:
        await started
        yield gateway
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
