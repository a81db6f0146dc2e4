"""The gateway at work: takes connections, and tells the server how many it refuses."""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl
import struct
from collections import Counter
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from mazzo_server.serving.gateway.admission import Admission, find_network
from mazzo_server.serving.gateway.connection import Connection, connect_backend
from mazzo_server.serving.gateway.frames import FrameBudget
from mazzo_server.serving.gateway.messages import (
    SOCKET_NAME,
    GatewayConfig,
    GatewayReport,
    Notice,
    PeerName,
)

__all__ = ["Gateway"]

_HANDSHAKE_SECONDS = 5.0
_FAREWELL_SECONDS = 1.0  # of TLS
_ACCEPTED = 64  # connections in a row, before others get their turn
_PAUSE = 0.1  # seconds without new connections when there is no room for one
_INTERVAL = 0.5  # seconds between two looks for idle connections, and two reports
_LAST_SECONDS = 1.0
_RESET: Final = struct.pack("ii", 1, 0)  # SO_LINGER: nothing of the connection stays behind
_NO_ROOM: Final = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


class Gateway:
    """Takes connections at the listeners, and passes on those of `Admission`."""

    def __init__(self, config: GatewayConfig) -> None:
        self._config = config
        self._tls = _make_context(config)
        self._admission = Admission(config.limits)
        self._connections: dict[int, Connection] = {}
        self._handshakes: dict[Connection, asyncio.Task[object]] = {}
        self._number = 0
        self._refused: Counter[str] = Counter()
        self._networks: Counter[str] = Counter()

    async def run(self) -> None:
        """Work until the server is gone."""
        reader, writer = await asyncio.open_unix_connection(
            sock=socket.socket(fileno=self._config.control)
        )
        loop = asyncio.get_running_loop()
        listeners = [socket.socket(fileno=number) for number in self._config.listeners]
        for listener in listeners:
            listener.setblocking(False)
            loop.add_reader(listener, self._accept, listener)
        reporting = asyncio.create_task(self._report(writer))
        with suppress(ConnectionError):
            while line := await reader.readline():
                self._note(Notice.parse(line))
        reporting.cancel()
        for listener in listeners:
            loop.remove_reader(listener)
            listener.close()  # another server may take the port now
        end = loop.time() + _LAST_SECONDS  # for what the server has said last
        while self._connections and loop.time() < end:  # noqa: ASYNC110
            await asyncio.sleep(0.01)

    def _note(self, notice: Notice) -> None:
        connection = self._connections.get(notice.connection)
        if connection is None:  # it is gone
            return
        if notice.has_begun:
            self._admission.begin_call(connection, notice.token)
        else:
            self._admission.end_call(connection, is_good=notice.is_good)

    async def _report(self, writer: asyncio.StreamWriter) -> None:
        while True:
            report = GatewayReport(
                anonymous=self._admission.anonymous,
                authenticated=self._admission.authenticated,
                refused=dict(self._refused),
                network=max(self._networks, key=self._networks.__getitem__, default=""),
            )
            self._refused.clear()
            self._networks.clear()
            writer.write(report.pack())
            await writer.drain()
            await asyncio.sleep(_INTERVAL)
            for connection in list(self._admission.find_idle()):
                assert isinstance(connection, Connection)
                connection.close("idle")

    def _accept(self, listener: socket.socket) -> None:
        for _ in range(_ACCEPTED):
            try:
                taken, peer = listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                if error.errno not in _NO_ROOM:
                    raise
                loop = asyncio.get_running_loop()
                loop.remove_reader(listener)
                loop.call_later(_PAUSE, loop.add_reader, listener, self._accept, listener)
                return
            host = str(peer[0]).partition("%")[0]
            network = find_network(host)
            if self._admission.allow(network):
                self._open(taken, host, network)
            else:
                self._count("haste", network)
                taken.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                taken.close()

    def _open(self, taken: socket.socket, host: str, network: str) -> None:
        self._number += 1
        number = self._number
        name = PeerName(generation=self._config.generation, connection=number, host=host).pack()
        connection = Connection(
            partial(connect_backend, Path(SOCKET_NAME), Path(name)),
            FrameBudget(self._admission.find_frames(network)),
            lambda reason: self._forget(number, network, reason),
        )
        self._admission.enter(connection, network)
        self._connections[number] = connection
        self._handshakes[connection] = asyncio.create_task(self._begin(connection, taken))

    async def _begin(self, connection: Connection, taken: socket.socket) -> None:
        """Do the handshake, after which the connection goes on by itself."""
        taken.setblocking(False)
        tls_only = (
            {}
            if self._tls is None
            else {
                "ssl_handshake_timeout": _HANDSHAKE_SECONDS,
                "ssl_shutdown_timeout": _FAREWELL_SECONDS,
            }
        )
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: connection, taken, ssl=self._tls, **tls_only
            )
        except ConnectionResetError:  # it went away by itself
            connection.close("")
        except OSError:  # a time-out is ConnectionAbortedError, ssl.SSLError is one too
            connection.close("handshake")
        finally:
            self._handshakes.pop(connection, None)

    def _forget(self, number: int, network: str, reason: str) -> None:
        connection = self._connections.pop(number)
        self._admission.leave(connection)
        handshake = self._handshakes.pop(connection, None)
        if handshake is not None:
            handshake.cancel()
        if reason:
            self._count(reason, network)

    def _count(self, reason: str, network: str) -> None:
        self._refused[reason] += 1
        self._networks[network] += 1


def _make_context(config: GatewayConfig) -> ssl.SSLContext | None:
    if config.certificate is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(config.certificate, config.key, password="")
    context.set_alpn_protocols(["h2", "http/1.1"])
    context.options |= ssl.OP_NO_RENEGOTIATION  # which costs the server more than the client
    return context
