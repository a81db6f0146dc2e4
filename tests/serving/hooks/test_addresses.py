"""Hooks lead to the public internet alone, unless the organiser says otherwise."""

from __future__ import annotations

import asyncio
import socket
from threading import Event
from typing import Any

import pytest

from mazzo_server.errors import InvalidInputError
from mazzo_server.serving.hooks.addresses import (
    AddressRefusedError,
    HookAddress,
    find_addresses,
    is_public,
)

INNER = [
    *("127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "10.255.1.2", "172.16.0.1", "192.168.1.1"),
    *("169.254.169.254", "100.64.0.1", "198.18.0.1", "192.0.0.8", "192.0.2.1", "240.0.0.1"),
    *("224.0.0.1", "239.1.1.1", "255.255.255.255", "192.88.99.1"),
    *("::", "::1", "fe80::1", "fe80::1%1", "fc00::1", "fd12:3456::1", "ff02::1", "fec0::1"),
    *("2001:db8::1", "100::1", "3fff::1", "5f00::1"),
    # IPv4 in the clothes of IPv6: mapped, compatible, NAT64, 6to4, Teredo, local NAT64.
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "::8.8.8.8"),
    *("64:ff9b::7f00:1", "64:ff9b::a00:1", "2002:7f00:1::1", "2002:808:808::1"),
    *("2001:0:4136:e378:8000:63bf:3fff:fdd2", "64:ff9b:1::808:808"),
    *("168.63.129.16", "::ffff:168.63.129.16"),  # the host of a machine in Azure
    *("", "localhost", "127.1"),  # no addresses at all
]
OUTER = ["8.8.8.8", "93.184.215.14", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]


@pytest.mark.parametrize("address", INNER)
def test_inner_addresses(address: str) -> None:
    """Nothing of a machine, its networks, or of what is given out to nobody."""
    assert not is_public(address)


@pytest.mark.parametrize("address", OUTER)
def test_outer_addresses(address: str) -> None:
    """What the public internet has."""
    assert is_public(address)


def give_own_address(monkeypatch: pytest.MonkeyPatch, own: str) -> None:
    class Probe:
        def __enter__(self) -> Probe:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def connect(self, place: tuple[str, int]) -> None:
            pass

        def getsockname(self) -> tuple[str, int]:
            return (own, 40_000)

    monkeypatch.setattr(socket, "socket", lambda *_: Probe())


def test_the_own_address_is_inner(monkeypatch: pytest.MonkeyPatch) -> None:
    """A public address of this very machine leads to its own services."""
    give_own_address(monkeypatch, "93.184.215.14")
    assert not is_public("93.184.215.14")
    assert is_public("8.8.8.8")


def test_the_own_network_of_ipv6_is_inner(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where each machine has a public address, the neighbours do, too."""
    give_own_address(monkeypatch, "2606:4700:0:7::1")
    assert not is_public("2606:4700:0:7::1")
    assert not is_public("2606:4700:0:7:ffff::2")
    assert is_public("2606:4700:0:8::1")


def test_wrapped_ipv4_is_in_no_network_of_ipv6(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of IPv4 is mapped into the same /64."""
    give_own_address(monkeypatch, "::ffff:93.184.215.14")
    assert not is_public("::ffff:93.184.215.14")
    assert is_public("::ffff:8.8.8.8")


def find(host: str, addresses: list[str], *, private: bool = False) -> list[str]:
    def look_up(host: str, port: int) -> list[tuple[Any, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in addresses]

    return asyncio.run(find_addresses(host, 443, private=private, look_up=look_up))


def test_a_name_is_judged_by_its_addresses() -> None:
    """Those of the server's own network are left out, and a name with no others is refused."""
    assert find("club.example", ["8.8.8.8", "127.0.0.1"]) == ["8.8.8.8"]
    for address in INNER:
        with pytest.raises(AddressRefusedError, match=r"club\.example.*MAZZO_PRIVATE_HOOKS=1"):
            find("club.example", [address])
    assert find("club.example", ["127.0.0.1"], private=True) == ["127.0.0.1"]
    assert find("club.example", []) == []


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "0", "[::1]", "[::ffff:7f00:1]"],
)
def test_every_way_to_write_this_machine(host: str) -> None:
    """However the system reads it, what it reads is judged."""

    def look_up(host: str, port: int) -> list[tuple[Any, ...]]:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)

    address = HookAddress.parse(f"https://{host}/x", private=False)
    with pytest.raises((AddressRefusedError, OSError)):
        asyncio.run(find_addresses(address.host, 443, private=False, look_up=look_up))


def test_a_resolver_that_hangs_is_left() -> None:
    """Its thread keeps neither the event loop nor the end of the process."""

    async def main() -> None:
        def look_up(host: str, port: int) -> list[tuple[Any, ...]]:
            over.wait()
            raise OSError("nobody hears this")

        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await find_addresses("club.example", 443, private=False, look_up=look_up)

    over = Event()
    asyncio.run(main())
    over.set()


@pytest.mark.parametrize(
    ("url", "target", "authority"),
    [
        ("https://club.example", "/", "club.example"),
        ("https://club.example:8443/a/b?c=d&e", "/a/b?c=d&e", "club.example:8443"),
        ("https://[2606:4700::1111]:443/x", "/x", "[2606:4700::1111]"),
        ("HTTPS://Club.Example/X%20y", "/X%20y", "club.example"),
    ],
)
def test_urls(url: str, target: str, authority: str) -> None:
    """What may be shown has neither path nor query."""
    address = HookAddress.parse(url, private=False)
    assert (address.target, address.authority) == (target, authority)
    assert address.place == f"https://{authority}"


@pytest.mark.parametrize(
    "url",
    [
        *("", "club.example", "ftp://club.example/", "https://", "https:///x", "https://:443/"),
        *("https://user@club.example/key", "https://u:p@club.example/key", "https://@a.example/"),
        *("https://club.example/#key", "https://club.example:0/", "https://club.example:99999/"),
        *(
            "https://club.example/key\r\nx: y",
            "https://club.example/a key",
            "https://clüb.example/",
        ),
        *("https://[::1/key", "https://club.example/key\0", "https://a.example/" + "x" * 2000),
    ],
)
def test_urls_that_are_refused(url: str) -> None:
    """And not quoted, as they may hold a secret."""
    with pytest.raises(InvalidInputError, match=r"^url: expected") as caught:
        HookAddress.parse(url, private=True)
    assert "key" not in str(caught.value)


def test_http_is_for_private_hooks() -> None:
    """Anybody on the way could read and change it."""
    with pytest.raises(InvalidInputError, match="MAZZO_PRIVATE_HOOKS=1"):
        HookAddress.parse("http://club.example/", private=False)
    assert HookAddress.parse("http://club.example/", private=True).port == 80
