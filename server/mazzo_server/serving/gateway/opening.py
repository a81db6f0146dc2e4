"""What a client sends until its first request is known: whether that is one of gRPC."""

from __future__ import annotations

from mazzo_server.serving.gateway.frames import HEAD, PREFACE, Flag, Frame, FrameType
from mazzo_server.serving.gateway.other_protocols import (
    MOST_HEADERS,
    Refusal,
    find_content_type,
    is_grpc,
    read_headers,
)

__all__ = ["Opening"]

_END = b"\r\n\r\n"  # of the headers in HTTP/1.1
_VERSION = b" HTTP/1."
_TLS = b"\x16\x03"  # a handshake begins


class Opening:
    """Holds a request back until it is whole, and lets everything before it pass.

    What is no HTTP at all `is_hopeless`. Whatever is wrong otherwise is the server's to find.
    """

    def __init__(self) -> None:
        self._data = bytearray()
        self._block = bytearray()  # of the request's headers, as far as they are there
        self._offset = 0  # in the data: where the next part of the request begins
        self.is_http2 = False
        self.is_over = False  # the request is gRPC's, and the rest may pass
        self.is_hopeless = False
        self.refusal: Refusal | None = None
        self.stream = 0  # of the refused request; 0 in HTTP/1.1

    @property
    def is_refused(self) -> bool:
        """Whether the request is one of another protocol."""
        return self.refusal is not None

    def receive(self, data: bytes) -> bytes:
        """Return what may be passed on, from where frames begin."""
        self._data += data
        if not self.is_http2:
            if not PREFACE.startswith(self._data[: len(PREFACE)]):
                self._read_http1()
                return b""
            if len(self._data) < len(PREFACE):
                return b""
            self.is_http2 = True
            del self._data[: len(PREFACE)]
        return self._read_http2()

    def _read_http1(self) -> None:
        if self._data.startswith(_TLS):
            self.refusal = Refusal.of_tls()
            return
        first, _, _ = self._data.partition(b"\r\n")
        head, end, _ = self._data.partition(_END)
        if end and _VERSION in first:
            self.refusal = Refusal.choose(find_content_type(bytes(head)))
        elif end or len(self._data) > MOST_HEADERS:
            self.is_hopeless = True

    def _read_http2(self) -> bytes:
        passed = bytearray()
        while not self._offset and len(self._data) >= HEAD:
            frame = Frame.parse(self._data)
            if frame.type == FrameType.HEADERS:
                break
            if frame.type == FrameType.DATA or frame.length > MOST_HEADERS:
                return bytes(passed) + self._end()
            if len(self._data) < HEAD + frame.length:
                return bytes(passed)
            passed += self._data[: HEAD + frame.length]
            del self._data[: HEAD + frame.length]
        return bytes(passed) + self._read_request()

    def _read_request(self) -> bytes:
        """Go on where the last bytes ended: however few come at a time, each is read once."""
        while len(self._data) >= self._offset + HEAD:
            frame = Frame.parse(self._data, self._offset)
            end = self._offset + HEAD + frame.length
            if end > MOST_HEADERS or (self._offset and frame.type != FrameType.CONTINUATION):
                return self._end()
            if len(self._data) < end:
                break
            self._block += frame.strip(bytes(self._data[self._offset + HEAD : end]))
            self._offset = end
            if frame.flags & Flag.END_HEADERS:
                headers = read_headers(bytes(self._block))
                if headers is None or is_grpc(headers.get("content-type", "")):
                    return self._end()
                self.refusal = Refusal.choose(headers.get("content-type", ""))
                self.stream = frame.stream
                break
        return b""

    def _end(self) -> bytes:
        self.is_over = True
        rest = bytes(self._data)
        self._data.clear()
        return rest
