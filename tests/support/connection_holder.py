"""Holds a thousand TLS connections, from many addresses, that make no call: a program."""

from __future__ import annotations

import asyncio
import os
import ssl
from contextlib import suppress

__all__: list[str] = []

_CONNECTIONS = 1_000
_ADDRESSES = range(2, 21)
_SECONDS = 14.0
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
_ANSWER_TO_PING = b"\0\0\x08\6\1\0\0\0\0"


async def main() -> None:
    """Hold them at `MAZZO_ADDRESS`.

    As `HOLD` says: without a byte, half-way through the handshake, or idle after HTTP/2 began,
    where they answer pings. Whatever is closed comes again.
    """
    host, _, port = os.environ["MAZZO_ADDRESS"].rpartition(":")
    kind = os.environ["HOLD"]
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])

    async def hold(index: int) -> None:
        source = (f"127.0.0.{_ADDRESSES[index % len(_ADDRESSES)]}", 0)
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                tls = context if kind == "idle" else None
                reader, writer = await asyncio.open_connection(
                    host, int(port), ssl=tls, local_addr=source
                )
                try:
                    if kind == "half-open":  # the beginning of a record of 512 bytes
                        writer.write(bytes.fromhex("16 03 01 02 00 01"))
                    elif kind == "idle":
                        writer.write(_PREFACE)
                    while head := await reader.readexactly(9):
                        payload = await reader.readexactly(int.from_bytes(head[:3], "big"))
                        if head[3] == 6 and not head[4]:
                            writer.write(_ANSWER_TO_PING + payload)
                finally:
                    writer.close()
            await asyncio.sleep(0.2)

    with suppress(TimeoutError):
        async with asyncio.timeout(_SECONDS):
            await asyncio.gather(*(hold(index) for index in range(_CONNECTIONS)))


if __name__ == "__main__":
    asyncio.run(main())
