"""One connection of a client, and the one to the server that goes with it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

from mazzo_server.serving.gateway.frames import (
    PREFACE,
    Flag,
    Frame,
    FrameBudget,
    FrameCounter,
    FrameType,
)
from mazzo_server.serving.gateway.opening import Opening

__all__ = ["Connection", "connect_backend"]

_MOST_UNSENT = 64 * 1024  # bytes, before the other side is not read any more
_FAREWELL = 1.0  # seconds for a client to read why it is refused
_SETTINGS: Final = Frame(0, FrameType.SETTINGS, 0, 0).pack(b"")
_SETTINGS_TAKEN: Final = Frame(0, FrameType.SETTINGS, Flag.ACK, 0).pack(b"")


def connect_backend(server: Path, own: Path) -> socket.socket:
    """Return a connection to the server's Unix socket, whose peer has the name of `own`.

    Raises `OSError`; the file is gone afterwards in any case.
    """
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.setblocking(False)
        connection.bind(str(own))
        own.unlink()
        connection.connect(str(server))
    except OSError:
        connection.close()
        raise
    return connection


class Connection(asyncio.Protocol):
    """The client's side: passes on what it sends, counts its frames, and closes both sides."""

    def __init__(
        self,
        connect: Callable[[], socket.socket],
        budget: FrameBudget,
        on_close: Callable[[str], None],
    ) -> None:
        """`connect` opens the connection to the server; `on_close` is called once, with why."""
        self._connect = connect
        self._on_close = on_close
        self._client: asyncio.Transport | None = None
        self._backend: _Backend | None = None
        self._opening: Opening | None = Opening()  # None: it is over
        self._frames = FrameCounter()
        self._budget = budget
        self._reason = ""  # why it will be closed
        self._is_closed = False

    def close(self, reason: str) -> None:
        """Break both sides off, for a reason, "" if they ended it; a second time is nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._client is not None:
            self._client.abort()
        if self._backend is not None:
            self._backend.close()
        self._on_close(reason)

    def trust(self) -> None:
        """Count its frames apart from those of strangers."""
        self._budget.leave_shared()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, unless it was closed during the handshake."""
        assert isinstance(transport, asyncio.Transport)
        self._client = transport
        transport.set_write_buffer_limits(high=_MOST_UNSENT)
        if self._is_closed:
            transport.abort()

    def connection_lost(self, error: Exception | None) -> None:
        """Close the server's side as well."""
        self.close(self._reason)

    def data_received(self, data: bytes) -> None:
        """Pass on what the client sends."""
        if self._is_closed:
            return
        if self._opening is None:
            self._pass_on(data)
        elif not self._opening.is_refused:  # else it is the rest of that request
            self._open(self._opening, data)

    def pause_writing(self) -> None:
        """Read no more from the server while the client does not read."""
        if self._backend is not None:
            self._backend.pause_reading()

    def resume_writing(self) -> None:
        """Read from the server again."""
        if self._backend is not None:
            self._backend.resume_reading()

    def pause_reading(self) -> None:
        """Read no more from the client while the server does not read."""
        if self._client is not None:
            self._client.pause_reading()

    def resume_reading(self) -> None:
        """Read from the client again."""
        if self._client is not None:
            self._client.resume_reading()

    def answer(self, data: bytes, frames: int) -> None:
        """Pass on what the server sends, with so many frames of answers to calls."""
        self._budget.earn(frames)
        if self._client is not None:
            self._client.write(data)

    def end(self) -> None:
        """Close the client's side, after what the server has sent last."""
        if self._client is not None:
            self._client.close()  # it is lost when all is written, or by `close`
            asyncio.get_running_loop().call_later(_FAREWELL, self.close, "")

    def _open(self, opening: Opening, data: bytes) -> None:
        data = opening.receive(data)
        if opening.is_http2 and self._backend is None:
            self._open_backend()
        self._pass_on(data)
        if opening.is_refused:
            self._refuse(opening)
        elif opening.is_hopeless:
            self.close("protocol")
        elif opening.is_over:
            self._opening = None

    def _pass_on(self, data: bytes) -> None:
        if not data or self._backend is None:
            return
        cost = self._frames.count(data).cost
        if cost and not self._budget.spend(cost):
            self.close("frames")
            return
        self._backend.write(data)

    def _open_backend(self) -> None:
        try:
            self._backend = _Backend(self, self._connect())
        except OSError:
            self.close("server")
            return
        self._backend.write(PREFACE)
        self.pause_reading()  # until the server's side is there

    def _refuse(self, opening: Opening) -> None:
        assert self._client is not None
        assert opening.refusal is not None
        if self._backend is None:
            answer = opening.refusal.pack_http1()
        else:
            self._backend.close()
            if not self._backend.frames.is_between_frames:
                self.close("protocol")
                return
            answer = opening.refusal.pack_http2(opening.stream)
            if not self._backend.has_sent:
                answer = _SETTINGS + _SETTINGS_TAKEN + answer
        self._reason = "protocol"
        self._client.write(answer)
        # Closed at once, with a part of the request unread, the answer might be lost.
        if self._client.can_write_eof():
            self._client.write_eof()
        asyncio.get_running_loop().call_later(_FAREWELL, self.close, self._reason)


class _Backend(asyncio.Protocol):
    """The server's side of a connection."""

    def __init__(self, client: Connection, connection: socket.socket) -> None:
        """Begin to use an open connection; what is written until then is kept."""
        self._client = client
        self._transport: asyncio.Transport | None = None
        self._unsent = bytearray()
        self._is_closed = False
        self.frames = FrameCounter()
        self.has_sent = False
        loop = asyncio.get_running_loop()
        self._starting = loop.create_task(
            loop.create_unix_connection(lambda: self, sock=connection)
        )

    def write(self, data: bytes) -> None:
        """Send it to the server."""
        if self._transport is None:
            self._unsent += data
        else:
            self._transport.write(data)

    def close(self) -> None:
        """Break it off."""
        self._is_closed = True
        if self._transport is not None:
            self._transport.abort()

    def pause_reading(self) -> None:
        """Read no more."""
        if self._transport is not None:
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Read again."""
        if self._transport is not None and not self._is_closed:
            self._transport.resume_reading()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send what was kept."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=_MOST_UNSENT)
        if self._is_closed:
            transport.abort()
            return
        transport.write(bytes(self._unsent))
        self._unsent.clear()
        self._client.resume_reading()

    def connection_lost(self, error: Exception | None) -> None:
        """Close the client's side as well, unless only this one was to be closed."""
        if not self._is_closed:
            self._client.end()

    def data_received(self, data: bytes) -> None:
        """Pass on what the server sends."""
        if self._is_closed:
            return
        self.has_sent = True
        count = self.frames.count(data)
        self._client.answer(data, count.data + count.headers)

    def pause_writing(self) -> None:
        """Read no more from the client while the server does not read."""
        self._client.pause_reading()

    def resume_writing(self) -> None:
        """Read from the client again."""
        self._client.resume_reading()
