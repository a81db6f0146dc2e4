"""Posts a body to the address of a hook: one request, one connection, bounded in all it does.

This uses h11 over a connection of our own, where a client library would have to be kept from much:
it looks the name up itself once more, follows redirects, reads proxies from the environment, keeps
connections, unpacks and stores the answer. h11 is the sans-I/O parser under Uvicorn and httpx, so
nothing new is installed. The connection goes to the address that was judged; TLS checks the
certificate against the host's name all the same. Of the answer only the head is read.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import h11

from mazzo_server.errors import InvalidInputError
from mazzo_server.serving.hooks.addresses import (
    HookAddress,
    LookUp,
    find_addresses,
)

__all__ = ["DeliveryError", "Poster", "Reply"]

_CONNECT_SECONDS: Final = 5.0
_TOTAL_SECONDS: Final = 15.0
_MOST_HEAD: Final = 64 * 1024  # bytes of an answer until its status is known
_PIECE: Final = 8 * 1024
_MOST_ADDRESSES: Final = 4  # of a host, that are tried


class DeliveryError(Exception):
    """An event did not arrive, for the reason in the text, which quotes nothing that was answered.

    `disables` tells that no later one will arrive either.
    """

    def __init__(self, text: str, *, wait: float = 0.0, disables: bool = False) -> None:
        super().__init__(text)
        self.wait = wait  # seconds that the receiver asked for
        self.disables = disables


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a receiver answered."""

    status: int
    retry_after: float = 0.0  # seconds; 0.0: it asked for none


def look_up_name(host: str, port: int) -> Sequence[tuple[Any, ...]]:
    """Return the addresses of a host, as the system knows them. Blocks."""
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)


@dataclass(frozen=True, slots=True, kw_only=True)
class Poster:
    """How hooks are reached, and for how long."""

    private: bool = False  # whether hooks may lead into the server's own network, and by http
    make_tls: Callable[[], ssl.SSLContext] = ssl.create_default_context  # whom to trust. Blocks
    look_up: LookUp = look_up_name
    connect_seconds: float = _CONNECT_SECONDS  # to look the name up, connect and agree on TLS
    total_seconds: float = _TOTAL_SECONDS  # with the answer

    async def post(self, url: str, body: bytes, headers: Sequence[tuple[str, str]]) -> Reply:
        """Post a body, and return what was answered, whatever it is. Raises `DeliveryError`."""
        try:
            async with asyncio.timeout(self.total_seconds):
                address = HookAddress.parse(url, private=self.private)
                reader, writer = await self._connect(address)
                try:
                    return await _send_request(reader, writer, address, body, headers)
                finally:
                    writer.transport.abort()
        except TimeoutError:
            raise DeliveryError(f"no answer within {self.total_seconds:g} s") from None
        except InvalidInputError as error:  # what was allowed when the hook was added
            raise DeliveryError(str(error)) from None
        except ssl.SSLCertVerificationError as error:
            raise DeliveryError(f"its certificate is not valid: {error.verify_message}") from None
        except ssl.SSLError as error:
            raise DeliveryError(f"no TLS with it: {error.reason}") from None
        except h11.ProtocolError:
            raise DeliveryError("it answered what is not HTTP, or too long a head") from None
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise DeliveryError(f"cannot be reached: {reason}") from None

    async def _connect(
        self, address: HookAddress
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        loop = asyncio.get_running_loop()
        end = loop.time() + self.connect_seconds
        try:
            async with asyncio.timeout_at(end):
                found = await find_addresses(
                    address.host, address.port, private=self.private, look_up=self.look_up
                )
                is_secure = address.scheme == "https"
                tls = await asyncio.to_thread(self.make_tls) if is_secure else None
                places = found[:_MOST_ADDRESSES]
                for number, place in enumerate(places):
                    others = len(places) - number - 1
                    # One that swallows packets leaves the others their share of the time.
                    share = (end - loop.time()) / (others + 1)
                    with suppress(*([OSError] if others else [])):
                        async with asyncio.timeout(share):
                            # A number, so nothing is looked up once more.
                            return await asyncio.open_connection(
                                place,
                                address.port,
                                ssl=tls,
                                server_hostname=address.host if is_secure else None,
                            )
        except TimeoutError:
            raise DeliveryError(f"no connection within {self.connect_seconds:g} s") from None
        raise DeliveryError("its host has no address")


async def _send_request(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    address: HookAddress,
    body: bytes,
    headers: Sequence[tuple[str, str]],
) -> Reply:
    connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MOST_HEAD)
    request = h11.Request(
        method="POST",
        target=address.target,
        headers=[
            ("host", address.authority),
            ("content-length", str(len(body))),
            ("connection", "close"),
            *headers,
        ],
    )
    for event in (request, h11.Data(data=body), h11.EndOfMessage()):
        writer.write(connection.send(event) or b"")
    await writer.drain()
    received = 0
    while True:
        answer = connection.next_event()
        if isinstance(answer, h11.Response):
            return Reply(status=answer.status_code, retry_after=_read_wait(answer))
        if isinstance(answer, h11.ConnectionClosed) or received > _MOST_HEAD:
            raise DeliveryError("it ended the connection without an answer, or never comes to one")
        if answer is h11.NEED_DATA:
            piece = await reader.read(_PIECE)
            received += len(piece)
            connection.receive_data(piece)


def _read_wait(answer: h11.Response) -> float:
    """Return for how many seconds the receiver asks to be left alone; 0.0: it does not say."""
    for name, value in answer.headers:
        if name == b"retry-after" and value.isdigit() and len(value) < 10:
            return float(value)
    return 0.0
