"""The gateway passes some connections on and refuses others; if it dies, another one starts."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
import socket
import time
from collections.abc import Callable, Coroutine
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
import trustme

from mazzo.channel import open_channel
from mazzo_server.errors import PlatformError
from mazzo_server.serving.gateway import process
from mazzo_server.serving.gateway.admission import ConnectionLimits
from mazzo_server.serving.gateway.frames import PREFACE, Frame
from mazzo_server.serving.grpc.server import serve_platform
from mazzo_server.serving.hosting import TlsFiles
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore
from support.callers import PATIENCE, outcome
from support.command import Home
from support.served import find_gateways, serving

HEALTH = "/grpc.health.v1.Health/Check"
PING = Frame(0, 6, 0, 0).pack(bytes(8))


def run_at_port(
    body: Callable[[str, Platform], Coroutine[Any, Any, None]],
    connections: ConnectionLimits | None = None,
    tls: TlsFiles | None = None,
) -> None:
    """Run the body beside a server, with its address."""

    async def main() -> None:
        platform = Platform(Settings(home=Path("/nowhere")), MemoryStore())
        serving = serve_platform(
            platform, ["127.0.0.1:0"], isolation="none", connections=connections, tls=tls
        )
        async with asyncio.timeout(PATIENCE), serving as (address,):
            await body(address, platform)

    asyncio.run(main())


async def exchange(address: str, sent: bytes) -> bytes:
    """What comes back until the connection ends."""
    reader, writer = await asyncio.open_connection(*address.rsplit(":", 1))
    with closing(writer):
        writer.write(sent)
        return await reader.read()


def request(content_type: str) -> bytes:
    return (
        "POST /mazzo.v1.RankingService/ListRankings HTTP/1.1\r\nHost: x\r\n"
        f"Content-Type: {content_type}\r\nContent-Length: 2\r\n\r\n{{}}"
    ).encode()


async def read_refusal(address: str, kind: str) -> tuple[bytes, bytes]:
    """The head of what such a request is answered, and the body."""
    head, _, answer = (await exchange(address, request(kind))).partition(b"\r\n\r\n")
    return head, answer


def test_connect_and_grpc_web_read_why_they_are_refused() -> None:
    """Each in its own protocol, over HTTP/1.1."""

    async def body(address: str, platform: Platform) -> None:
        for kind in ("application/json", "application/proto", "text/html"):
            head, answer = await read_refusal(address, kind)
            assert head.startswith(b"HTTP/1.1 501 ")
            error = json.loads(answer)
            assert error["code"] == "unimplemented"
            assert f"got '{kind}'" in error["message"]
        for kind in ("application/connect+json", "application/connect+proto"):
            head, answer = await read_refusal(address, kind)
            assert head.startswith(b"HTTP/1.1 200 ")
            assert answer[0] == 2
            assert int.from_bytes(answer[1:5], "big") == len(answer) - 5
            assert json.loads(answer[5:])["error"]["code"] == "unimplemented"
        for kind in ("application/grpc-web+proto", "application/grpc-web-text"):
            head, answer = await read_refusal(address, kind)
            assert head.startswith(b"HTTP/1.1 200 ")
            assert f"content-type: {kind}".encode() in head
            answer = base64.b64decode(answer) if kind.endswith("text") else answer
            assert answer[0] == 0x80
            assert b"grpc-status: 12\r\n" in answer[5:]
            assert b"choose gRPC" in answer[5:]
        await count(platform, "protocol", 7)

    run_at_port(body)


def test_tls_at_a_port_without_it_is_told_at_once(home: Home, tmp_path: Path) -> None:
    """Bug: such a client waited for ten seconds, and was advised to give the CA that it gave."""
    ca = trustme.CA()
    ca.cert_pem.write_to_path(tmp_path / "ca.pem")
    with serving(home, "--listen", "127.0.0.1:0", "--isolation", "none") as (_, (address,)):
        begin = time.monotonic()
        asked = home("bots", "list", "--server", address, "--ca", tmp_path / "ca.pem", status=1)
        assert time.monotonic() - begin < 8.0
    assert "it does not speak TLS" in asked.err


@pytest.mark.parametrize("sent", [b"\x16\x02\x01" + bytes(20_000), b"x\r\n\r\n", b"\0" * 20_000])
def test_what_is_no_http_is_closed(sent: bytes) -> None:
    async def body(address: str, platform: Platform) -> None:
        with suppress(ConnectionError):
            assert await exchange(address, sent) == b""
        await count(platform, "protocol", 1)

    run_at_port(body)


async def count(platform: Platform, reason: str, number: int) -> None:
    """Wait until so many connections were closed for a reason."""
    name, labels = "mazzo_connections_closed_total", {"reason": reason}
    while (platform.metrics.registry.get_sample_value(name, labels) or 0) < number:  # noqa: ASYNC110
        await asyncio.sleep(0.05)


def test_a_client_that_hangs_up_before_tls_is_not_refused(tmp_path: Path) -> None:
    """Bug: each look of a monitor at the port was logged as a failed handshake."""
    made = trustme.CA().issue_cert("127.0.0.1")
    tls = TlsFiles(certificate=tmp_path / "cert.pem", key=tmp_path / "key.pem")
    made.cert_chain_pems[0].write_to_path(tls.certificate)
    made.private_key_pem.write_to_path(tls.key)

    async def body(address: str, platform: Platform) -> None:
        for _ in range(3):
            _, writer = await asyncio.open_connection(*address.rsplit(":", 1))
            writer.close()
            await writer.wait_closed()
        with suppress(ConnectionError):
            await exchange(address, b"no TLS at all\r\n")
        await count(platform, "handshake", 1)
        name, labels = "mazzo_connections_closed_total", {"reason": "handshake"}
        assert platform.metrics.registry.get_sample_value(name, labels) == 1

    run_at_port(body, tls=tls)


def test_a_connection_without_a_call_is_closed() -> None:
    """One that calls now and then is not."""

    async def body(address: str, platform: Platform) -> None:
        async with open_channel(address) as channel:
            begin = time.monotonic()
            silent = asyncio.create_task(exchange(address, PREFACE + Frame(0, 4, 0, 0).pack(b"")))
            while not silent.done():
                assert (await outcome(channel, HEALTH, ()))[1] == ""
                await asyncio.sleep(0.1)
            assert time.monotonic() - begin >= 0.5
            await silent
            await count(platform, "idle", 1)

    run_at_port(body, ConnectionLimits(idle_seconds=0.5))


def test_a_flood_of_frames_ends_its_connection() -> None:
    async def body(address: str, platform: Platform) -> None:
        with suppress(ConnectionError):
            await exchange(address, PREFACE + Frame(0, 4, 0, 0).pack(b"") + PING * 1_001)
        await count(platform, "frames", 1)

    run_at_port(body)


def test_a_gateway_that_dies_is_started_again() -> None:
    """Its clients come back, at the same port."""

    async def body(address: str, platform: Platform) -> None:
        async with open_channel(address) as channel:
            assert (await outcome(channel, HEALTH, ()))[1] == ""
            (gateway,) = find_gateways(os.getpid())
            os.kill(gateway, signal.SIGKILL)
            while find_gateways(os.getpid()) in ([], [gateway]):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        async with open_channel(address) as channel:
            while (await outcome(channel, HEALTH, ()))[1]:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert platform.metrics.registry.get_sample_value("mazzo_gateway_restarts_total") == 1

    run_at_port(body)


def test_a_gateway_that_cannot_be_started_fails_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Bug: without room for a thread the server waited for its gateway without end."""

    async def fail(*_: object, **__: object) -> None:
        raise RuntimeError("can't start new thread")

    async def body(address: str, platform: Platform) -> None:
        raise AssertionError("it is not served")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", fail)
    with pytest.raises(PlatformError, match="gateway of the ports is lost: can't start new thread"):
        run_at_port(body)


def test_a_gateway_is_started_again_as_often_as_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bug: one start that failed for want of a thread ended them for good."""
    monkeypatch.setattr(process, "_PAUSE", 0.01)
    start, failures = asyncio.create_subprocess_exec, 0

    async def fail_twice(*arguments: Any, **named: Any) -> asyncio.subprocess.Process:
        nonlocal failures
        failures += 1
        if failures <= 2:
            raise RuntimeError("can't start new thread")
        return await start(*arguments, **named)

    async def body(address: str, platform: Platform) -> None:
        (gateway,) = find_gateways(os.getpid())
        monkeypatch.setattr(asyncio, "create_subprocess_exec", fail_twice)
        os.kill(gateway, signal.SIGKILL)
        while find_gateways(os.getpid()) in ([], [gateway]):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        assert failures == 3

    run_at_port(body)


@pytest.mark.slow
def test_a_server_that_stands_still_keeps_its_gateway(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bug: after ten seconds without a turn the server took its gateway for dead."""
    monkeypatch.setattr(process, "_LOOK_SECONDS", 0.6)
    monkeypatch.setattr(process, "_LOOKS", 2)

    async def body(address: str, platform: Platform) -> None:
        gateways = find_gateways(os.getpid())
        time.sleep(3.0)  # noqa: ASYNC251
        await asyncio.sleep(1.0)
        assert find_gateways(os.getpid()) == gateways
        (gateway,) = gateways
        os.kill(gateway, signal.SIGSTOP)  # this one is silent indeed
        while find_gateways(os.getpid()) in ([], gateways):  # noqa: ASYNC110
            await asyncio.sleep(0.01)

    run_at_port(body)


def test_a_gateway_ends_with_its_server_and_not_before(home: Home) -> None:
    """A signal to all processes of a service is the server's to obey, which lets matches end."""
    with serving(home, "--listen", "127.0.0.1:0", "--isolation", "none") as (server, (served,)):
        host, _, port = served.rpartition(":")
        address = host, int(port)
        (gateway,) = find_gateways(server.pid)
        for number in (signal.SIGTERM, signal.SIGINT):
            os.kill(gateway, number)
        with socket.create_connection(address) as silent:
            assert find_gateways(server.pid) == [gateway]  # which took it after the signals
            server.kill()
            server.wait()
            silent.settimeout(PATIENCE)
            with suppress(ConnectionError):
                assert silent.recv(1) == b""
        with socket.socket() as next_server:  # the port is free
            next_server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            next_server.bind(address)
        command = Path(f"/proc/{gateway}/cmdline")
        end = time.monotonic() + PATIENCE
        with suppress(FileNotFoundError):
            while command.read_bytes():  # of one that nobody has waited for it is empty
                assert time.monotonic() < end
                time.sleep(0.01)
