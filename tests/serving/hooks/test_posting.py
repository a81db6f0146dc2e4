"""A post is bounded in all that it does, whatever the receiver is."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from typing import Any

import pytest
import trustme

from mazzo_server.serving.hooks.posting import DeliveryError, Poster, Reply
from support.receivers import Answer, Receiver, answer_with, receive, swallow

SECONDS = 30.0
POSTER = Poster(private=True, total_seconds=SECONDS, connect_seconds=SECONDS)
HASTY = Poster(private=True, total_seconds=0.2, connect_seconds=SECONDS)


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(60):
            await main()

    asyncio.run(bounded())


async def post(receiver: Receiver, poster: Poster = POSTER) -> Reply:
    return await poster.post(receiver.url, b'{"a":1}', [("x-of-ours", "yes")])


def post_to(answer: Answer, poster: Poster = POSTER) -> Reply | str:
    """What comes of a post to a receiver that answers so: the reply, or the error."""
    found: list[Reply | str] = []

    async def main() -> None:
        async with receive(answer) as receiver:
            try:
                found.append(await post(receiver, poster))
            except DeliveryError as error:
                found.append(str(error))
            assert receiver.connections == 1

    run(main)
    return found[0]


def test_a_post() -> None:
    """The request has the path and query, the body, and the headers."""

    async def main() -> None:
        async with receive() as receiver:
            assert await post(receiver) == Reply(status=204)
            [got] = receiver.requests
            assert got.line == "POST /in?key=its-secret HTTP/1.1"
            assert got.body == b'{"a":1}'
            assert got.headers["host"] == f"localhost:{receiver.port}"
            assert got.headers["x-of-ours"] == "yes"

    run(main)


@pytest.mark.parametrize("status", [200, 301, 302, 307, 308, 400, 410, 429, 500, 503])
def test_what_is_answered_is_told_and_no_redirect_followed(status: int) -> None:
    """The receiver sees one connection, wherever it points."""
    answer = answer_with(status, headers="location: http://127.0.0.1:1/\r\n")
    assert post_to(answer) == Reply(status=status)


def test_a_receiver_says_when_to_come_again() -> None:
    """In seconds; what is no number counts for nothing."""
    for text, seconds in (("120", 120.0), ("-1", 0.0), ("9" * 50, 0.0), ("soon", 0.0)):
        answer = answer_with(503, headers=f"retry-after: {text}\r\n")
        assert post_to(answer) == Reply(status=503, retry_after=seconds)


def test_proxies_of_the_environment_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection goes to the address that was judged."""
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert post_to(answer_with(204)) == Reply(status=204)


async def never(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(600)


async def drip(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nx: ")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.01)


async def endless_head(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(10_000):
        writer.write(b"x-%d: %s\r\n" % (number, b"y" * 1000))
        await writer.drain()


async def endless_line(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 ")
    for _ in range(10_000):
        writer.write(b"y" * 1000)
        await writer.drain()


async def endless_hints(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n")
        await writer.drain()


async def endless_body(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"400\r\n" + b"y" * 0x400 + b"\r\n")
        await writer.drain()


async def another_protocol(writer: asyncio.StreamWriter) -> None:
    writer.write(b"SSH-2.0-OpenSSH_9.6\r\n")
    await writer.drain()


async def hang_up(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def half_an_answer(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nx")
    await writer.drain()


@pytest.mark.parametrize("answer", [never, drip])
def test_slow_receivers(answer: Answer) -> None:
    """There is one end to all waiting, however little comes all the time."""
    assert post_to(answer, HASTY) == "no answer within 0.2 s"


@pytest.mark.parametrize("answer", [endless_head, endless_line, endless_hints])
def test_answers_without_an_end(answer: Answer) -> None:
    """A head is read up to a bound."""
    assert "head" in str(post_to(answer)) or "never comes" in str(post_to(answer))


def test_a_body_is_not_read() -> None:
    """The status says it all."""
    assert post_to(endless_body) == Reply(status=200)


@pytest.mark.parametrize("answer", [another_protocol, hang_up, half_an_answer])
def test_what_is_no_answer(answer: Answer) -> None:
    """The error quotes nothing of it: it may be what only this machine can read."""
    told = str(post_to(answer))
    assert told.startswith(("it answered what is not", "it ended the", "cannot be reached"))
    assert "SSH" not in told


def test_nobody_is_there() -> None:
    """The error says so in a line."""

    async def main() -> None:
        async with receive() as receiver:
            pass
        with pytest.raises(DeliveryError, match=r"^cannot be reached: "):
            await post(receiver)

    run(main)


@pytest.mark.parametrize("swallowing", [1, 2, 3])
def test_an_address_that_swallows_packets_leaves_time_for_the_others(swallowing: int) -> None:
    """A host has several addresses; each is tried for its share of the time, and no longer."""

    async def main() -> None:
        async with receive() as receiver:
            hosts = [f"127.0.0.{number + 2}" for number in range(swallowing)]

            def look_up(host: str, port: int) -> list[tuple[Any, ...]]:
                return [
                    (socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port))
                    for one in (*hosts, "127.0.0.1")
                ]

            with ExitStack() as stack:
                for host in hosts:
                    stack.enter_context(swallow(host, receiver.port))
                poster = Poster(private=True, look_up=look_up, connect_seconds=1.0)
                assert await post(receiver, poster) == Reply(status=204)

    run(main)


def test_addresses_that_all_swallow_packets_have_one_end() -> None:
    """The time to connect is for all addresses together."""

    async def main() -> None:
        with swallow() as port, swallow("127.0.0.2", port):

            def look_up(host: str, port: int) -> list[tuple[Any, ...]]:
                return [
                    (socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port))
                    for one in ("127.0.0.1", "127.0.0.2")
                ]

            poster = Poster(private=True, look_up=look_up, connect_seconds=0.3)
            with pytest.raises(DeliveryError, match=r"^no connection within 0.3 s$"):
                await poster.post(f"http://club.example:{port}/", b"", [])

    run(main)


def test_tls_is_checked_against_the_name() -> None:
    """A certificate of another name, or of another authority, is none."""
    ca, other = trustme.CA(), trustme.CA()
    trusting = ssl.create_default_context()
    ca.configure_trust(trusting)

    def serve(issuer: trustme.CA, name: str) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        issuer.issue_cert(name).configure_cert(context)
        return context

    poster = Poster(private=True, make_tls=lambda: trusting)

    async def main() -> None:
        async with receive(tls=serve(ca, "localhost")) as receiver:
            assert await post(receiver, poster) == Reply(status=204)
            with pytest.raises(DeliveryError, match="certificate is not valid"):
                await post(receiver)  # this machine does not know the authority
        for issuer, name in ((ca, "club.example"), (other, "localhost")):
            async with receive(tls=serve(issuer, name)) as receiver:
                with pytest.raises(DeliveryError, match="certificate is not valid"):
                    await post(receiver, poster)
                assert receiver.requests == []
        async with receive() as plain:
            plain.scheme = "https"
            hasty = Poster(private=True, make_tls=lambda: trusting, connect_seconds=0.3)
            with pytest.raises(DeliveryError, match="no connection within"):
                await post(plain, hasty)
            assert plain.requests == []

    run(main)


def places(*addresses: str) -> Callable[[str, int], list[tuple[Any, ...]]]:
    """A resolver that gives the next address each time."""
    todo = iter(addresses)

    def look_up(host: str, port: int) -> list[tuple[Any, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(todo), port))]

    return look_up


def test_no_connection_to_the_own_network() -> None:
    """Not by a number, nor by a name, nor by one that is another address the second time.

    The receiver is reached at once where hooks may be private.
    """
    lookups: list[str] = []

    def rebind(host: str, port: int) -> list[tuple[Any, ...]]:
        lookups.append(host)
        # Judged by the first answer, it would be connected to by the second.
        address = "8.8.8.8" if len(lookups) == 1 else "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    async def main() -> None:
        async with receive() as receiver:
            for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"):
                with pytest.raises(DeliveryError, match="MAZZO_PRIVATE_HOOKS"):
                    await Poster().post(f"https://{host}:{receiver.port}/", b"", [])
            for address in ("127.0.0.1", "::ffff:127.0.0.1", "0.0.0.0"):
                poster = Poster(look_up=places(address))
                with pytest.raises(DeliveryError, match="MAZZO_PRIVATE_HOOKS"):
                    await poster.post(f"https://club.example:{receiver.port}/", b"", [])
            poster = Poster(look_up=rebind, connect_seconds=0.3)
            with pytest.raises(DeliveryError, match=r"no connection|cannot be reached"):
                await poster.post(f"https://localhost:{receiver.port}/", b"", [])
            assert lookups == ["localhost"]
            assert receiver.connections == 0
            assert await post(receiver) == Reply(status=204)

    run(main)


def test_what_was_allowed_once_is_judged_at_each_delivery() -> None:
    """A hook that was added when hooks could be private is refused when they no longer can."""

    async def main() -> None:
        async with receive() as receiver:
            with pytest.raises(DeliveryError, match="MAZZO_PRIVATE_HOOKS"):
                await Poster().post(receiver.url, b"", [])
            assert receiver.connections == 0

    run(main)


def test_a_name_without_an_address() -> None:
    """The resolver's own words say why."""

    async def main() -> None:
        with pytest.raises(DeliveryError, match="cannot be reached"):
            await POSTER.post("https://nobody.invalid/", b"", [])
        with pytest.raises(DeliveryError, match="no address"):
            await Poster(look_up=lambda *_: []).post("https://club.example/", b"", [])

    run(main)
