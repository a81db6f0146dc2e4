"""The standard streams of a container, through the engine's socket."""

from __future__ import annotations

import asyncio
import struct

from mazzo_server.errors import IsolationError
from mazzo_server.sandbox.capture import Capture

__all__ = ["Attachment"]

_HEADER = struct.Struct(">BxxxI")  # the stream, then the size of the next piece
_MOST_ANSWER = 64 * 1024


class Attachment(asyncio.Protocol):
    """Copies the output of a container to `output`, all the time, and sends its input.

    The protocol is that of `POST /containers/{id}/attach`: an HTTP connection that becomes a stream
    of pieces with a header each. Open it before the container is started.
    """

    def __init__(self, output: Capture) -> None:
        self.ended = asyncio.Event()  # nobody in the container can write any more
        self._output = output
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._transport: asyncio.Transport | None = None
        self._pending = bytearray()  # the answer, later a header
        self._left = 0  # bytes of the piece not yet received

    @classmethod
    async def open(
        cls, engine: str, path: str, output: Capture, *, seconds: float = 60.0
    ) -> Attachment:
        """Open an attachment through the Unix socket `engine`, which must answer in `seconds`.

        Raises IsolationError.
        """
        request = (
            f"POST {path}?stream=1&stdin=1&stdout=1&stderr=1 HTTP/1.1\r\n"
            "Host: docker\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 0\r\n\r\n"
        )
        loop = asyncio.get_running_loop()
        try:
            transport, made = await loop.create_unix_connection(lambda: cls(output), engine)
        except OSError as error:
            raise IsolationError(f"the engine does not answer at {engine}: {error}") from error
        try:
            transport.write(request.encode())
            async with asyncio.timeout(seconds):
                await made._opened
        except TimeoutError as error:
            transport.abort()
            raise IsolationError(
                f"the engine does not attach to a container: no answer in {seconds:g} s"
            ) from error
        except BaseException:
            transport.abort()
            raise
        return made

    def write(self, data: bytes) -> None:
        """Send `data` to the input of the container."""
        assert self._transport is not None
        self._transport.write(data)

    def end_input(self) -> None:
        """End the input of the container; may be called any number of times."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write_eof()

    def close(self) -> None:
        """Stop reading, and drop what was not sent yet; may be called any number of times."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if not self._opened.done():
            self._pending += data
            answer, found, rest = bytes(self._pending).partition(b"\r\n\r\n")
            if not found and len(answer) < _MOST_ANSWER:
                return
            self._pending.clear()
            status = answer.split(b"\r\n", 1)[0].decode(errors="replace")
            if status.split(" ")[1:2] != ["101"]:
                said = f"{status} {rest.decode(errors='replace')}".strip()
                self._opened.set_exception(
                    IsolationError(f"the engine does not attach to a container: {said}")
                )
                return
            self._opened.set_result(None)
            data = rest
        self._read_pieces(data)

    def _read_pieces(self, data: bytes) -> None:
        place = 0
        while place < len(data):
            if self._left:
                piece = data[place : place + self._left]
                self._output.data_received(piece)
                self._left -= len(piece)
                place += len(piece)
                continue
            missing = _HEADER.size - len(self._pending)
            self._pending += data[place : place + missing]
            place += missing
            if len(self._pending) == _HEADER.size:
                _, self._left = _HEADER.unpack(self._pending)
                self._pending.clear()

    def eof_received(self) -> None:
        """Close the connection, as there is nothing more to send."""

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._opened.done():
            self._opened.set_exception(
                IsolationError(f"the engine hung up on a container: {exc or 'no answer'}")
            )
        self.ended.set()
