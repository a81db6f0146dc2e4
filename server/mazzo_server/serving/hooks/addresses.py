"""The addresses of hooks, and which machines may be behind them.

A server that sends what a caller asks for, to where a caller says, can be made to knock on doors
that only it can reach: services of its own machine and network, or the metadata of a cloud. So a
hook may lead to the public internet alone, unless the organiser says otherwise.

A name may be answered with any address, and with another one the next time. So the name is looked
up once for each delivery, each address is judged by itself, and the connection goes to just that
address. Only what is surely public passes: what an IPv6 address carries of IPv4 is judged as such
(mapped, NAT64), and other ways to wrap one (6to4, Teredo, compatible) are refused.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, Final, Self, TypeAlias
from urllib.parse import urlsplit

from mazzo_server.errors import InvalidInputError
from mazzo_server.settings import PRIVATE_HOOKS_VARIABLE

__all__ = [
    "AddressRefusedError",
    "HookAddress",
    "LookUp",
    "find_addresses",
    "is_public",
    "read_place",
]

LookUp: TypeAlias = Callable[[str, int], Sequence[tuple[Any, ...]]]
"""Looks a name up, as `socket.getaddrinfo` does. It blocks."""

_MOST_URL: Final = 2000  # characters
_PORTS: Final = {"http": 80, "https": 443}
_UNICAST: Final = ip_network("2000::/3")  # all of IPv6 that is given out to the public
_NAT64: Final = ip_network("64:ff9b::/96")
_SITE_BITS: Final = 64  # of an IPv6 address, that say in which network it is
_NEVER: Final = (
    ip_network("168.63.129.16/32"),  # the host of a machine in Azure, which tells of it
    ip_network("192.0.0.0/24"),  # protocol assignments
    ip_network("192.88.99.0/24"),  # relays of 6to4
    ip_network("2001::/23"),  # protocol assignments, Teredo among them
    ip_network("2002::/16"),  # 6to4
    ip_network("3fff::/20"),  # documentation
)


class AddressRefusedError(InvalidInputError):
    """A hook leads to where it may not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookAddress:
    """The parts of the URL of a hook."""

    scheme: str  # "http" or "https"
    host: str  # in ASCII; without the brackets of IPv6
    port: int
    target: str  # path and query

    @classmethod
    def parse(cls, url: str, *, private: bool) -> Self:
        """Return the parts of a URL; `private` allows http. Raises `InvalidInputError`.

        The error does not quote the URL, which may be a secret.
        """
        if len(url) > _MOST_URL or not all("!" <= character <= "~" for character in url):
            raise InvalidInputError(
                f"url: expected at most {_MOST_URL} characters of ASCII without spaces, such as "
                "https://club.example/hooks; write others as %20, and a host as xn--…"
            )
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
        plain = parts.username is None and not parts.fragment if host else False
        if not host or not plain or parts.scheme not in _PORTS or port == 0:
            raise InvalidInputError(
                "url: expected one such as https://club.example/hooks, without a user and without "
                "a #"
            )
        if parts.scheme == "http" and not private:
            raise InvalidInputError(
                "url: expected https://, got http://, which anybody on the way can read and "
                f"change: {PRIVATE_HOOKS_VARIABLE}=1 allows it, for this command and where "
                "`mazzo serve` runs"
            )
        target = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
        return cls(scheme=parts.scheme, host=host, port=port or _PORTS[parts.scheme], target=target)

    @property
    def authority(self) -> str:
        """The host, and the port unless it is the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def place(self) -> str:
        """What may be shown: chat programs put a secret into the path."""
        return f"{self.scheme}://{self.authority}"


def read_place(url: str) -> str:
    """Return of the URL of a hook what may be shown; "" for what is none, as in a damaged store."""
    try:
        return HookAddress.parse(url, private=True).place
    except InvalidInputError:
        return ""


async def find_addresses(host: str, port: int, *, private: bool, look_up: LookUp) -> list[str]:
    """Look a host up once, and return its addresses that a hook may reach.

    Raises `AddressRefusedError` if there are others alone, and `OSError` if there are none.
    """
    found = await _call_in_thread(lambda: look_up(host, port))
    addresses = [str(place[4][0]) for place in found]
    allowed = addresses if private else [one for one in addresses if is_public(one)]
    if addresses and not allowed:
        raise AddressRefusedError(
            f"{host} is an address of the server's own network, or of no network "
            f"({addresses[0]}): {PRIVATE_HOOKS_VARIABLE}=1 where hooks are called allows it, which "
            "is where `mazzo serve` runs, or `mazzo hooks test` without a server"
        )
    return list(dict.fromkeys(allowed))


def is_public(text: str) -> bool:
    """Tell whether an address is surely one of the public internet, and not this machine's."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    return _is_public(address) and not _is_own(address)


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return False
        inner = address.ipv4_mapped
        if inner is None and address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return _is_public(inner)
        if address not in _UNICAST:
            return False
    if any(address in network for network in _NEVER):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


def _is_own(address: IPv4Address | IPv6Address) -> bool:
    """Tell whether this machine has the address, or is in its network of IPv6.

    There every machine has public addresses. Nothing is sent to find out.
    """
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((str(address), 9))  # any port does
        own = ip_address(probe.getsockname()[0])
        if isinstance(address, IPv6Address) and address in _UNICAST:
            return int(own) >> _SITE_BITS == int(address) >> _SITE_BITS
        return own == address
    return False


async def _call_in_thread(
    call: Callable[[], Sequence[tuple[Any, ...]]],
) -> Sequence[tuple[Any, ...]]:
    """Call in a thread of its own, which nobody waits for if the caller gives up.

    The pool of the event loop is not for this: a resolver that hangs would keep its threads from
    the store, and from the end of the process.
    """
    loop = asyncio.get_running_loop()
    result: asyncio.Future[Sequence[tuple[Any, ...]]] = loop.create_future()

    def settle(found: Sequence[tuple[Any, ...]], error: Exception | None) -> None:
        if result.done():
            return
        if error is not None:
            result.set_exception(error)
        else:
            result.set_result(found)

    def run() -> None:
        found: Sequence[tuple[Any, ...]] = ()
        error: Exception | None = None
        try:
            found = call()
        except (OSError, UnicodeError) as raised:  # a label of a name may be too long
            error = raised
        with suppress(RuntimeError):  # the loop may be closed by now
            loop.call_soon_threadsafe(settle, found, error)

    threading.Thread(target=run, name="look-up", daemon=True).start()
    return await result
