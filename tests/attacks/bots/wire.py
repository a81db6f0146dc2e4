"""Speaks HTTP/2 to the game master by hand, so that it decides itself when it reads."""

from __future__ import annotations

import os
import socket
import struct

from mazzo.v1 import play_pb2

__all__ = ["Wire"]

_ADDRESS, _TOKEN = os.environ["MAZZO_ADDRESS"], os.environ["MAZZO_TOKEN"]
_DATA, _HEADERS, _SETTINGS, _PING, _WINDOW = 0, 1, 4, 6, 8
_ACKNOWLEDGED, _END_OF_HEADERS = 1, 4
_INITIAL_WINDOW = 4  # the setting that opens and shuts the windows of all streams
_STREAM = 1
_OPEN = 1 << 20


class Wire:
    """One call of `Play`. The game master may send messages only while the window is open."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(_ADDRESS.removeprefix("unix:"))
        self._unread = b""
        self._messages = b""
        self._socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        self.shut()
        headers = {
            ":method": "POST",
            ":scheme": "http",
            ":path": "/mazzo.v1.PlayService/Play",
            ":authority": "localhost",
            "content-type": "application/grpc",
            "te": "trailers",
            "authorization": f"Bearer {_TOKEN}",
        }
        block = b"".join(b"\0" + _text(name) + _text(value) for name, value in headers.items())
        self._send(_HEADERS, _END_OF_HEADERS, _STREAM, block)

    def _send(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        head = struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream)
        self._socket.sendall(head + payload)

    def shut(self) -> None:
        """Let no further message come."""
        self._send(_SETTINGS, 0, 0, struct.pack(">HI", _INITIAL_WINDOW, 0))

    def open(self) -> None:
        """Let messages come."""
        self._send(_SETTINGS, 0, 0, struct.pack(">HI", _INITIAL_WINDOW, _OPEN))
        self._send(_WINDOW, 0, 0, struct.pack(">I", _OPEN))

    def say(self, request: play_pb2.PlayRequest) -> None:
        message = request.SerializeToString()
        self._send(_DATA, 0, _STREAM, struct.pack(">BI", 0, len(message)) + message)

    def hear(self) -> play_pb2.PlayResponse | None:
        """The next message; None at the end."""
        while len(self._messages) < 5 or len(self._messages) < 5 + self._size():
            if not self._read_frame():
                return None
        end = 5 + self._size()
        message, self._messages = self._messages[5:end], self._messages[end:]
        return play_pb2.PlayResponse.FromString(message)

    def _size(self) -> int:
        return int(struct.unpack_from(">I", self._messages, 1)[0])

    def _read_frame(self) -> bool:
        head = self._read(9)
        if head is None:
            return False
        kind, flags = head[3], head[4]
        payload = self._read(int.from_bytes(head[:3]))
        if payload is None:
            return False
        if kind == _DATA:
            self._messages += payload
        elif kind in (_SETTINGS, _PING) and not flags & _ACKNOWLEDGED:
            self._send(kind, _ACKNOWLEDGED, 0, payload if kind == _PING else b"")
        return True

    def _read(self, size: int) -> bytes | None:
        while len(self._unread) < size:
            if not (data := self._socket.recv(1 << 16)):
                return None
            self._unread += data
        data, self._unread = self._unread[:size], self._unread[size:]
        return data


def _text(value: str) -> bytes:
    """A string of HPACK, without Huffman's code."""
    data = value.encode()
    return (bytes([len(data)]) if len(data) < 127 else bytes([127, len(data) - 127])) + data
