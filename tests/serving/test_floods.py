"""What a network may do to the server without a token, and a bot from its sandbox."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import grpc
import pytest
import trustme
from grpc_health.v1 import health_pb2, health_pb2_grpc

from support import connection_holder, frame_flood
from support.command import SECONDS, Home, kill
from support.sample_bots import write_bot
from support.served import measure_memory, serving

pytestmark = [pytest.mark.slow, pytest.mark.alone]

MIB = 1024 * 1024
MOST_GROWTH = 64 * MIB  # while a flood lasts, of the server and its gateway
MOST_READ = 128 * MIB  # the same, of a bot that is faster than it is read
MOST_KEPT = 16 * MIB  # of that, ten seconds later
MOST_WAITING = 1.0  # seconds, at the median, of an ordinary call meanwhile
LEAST_SENT = 2  # MiB of a flood; with less it would show nothing
SETTLING = 10.0  # seconds
FLOOD = Path(frame_flood.__file__)
HOLDER = Path(connection_holder.__file__)


class OrdinaryClient:
    """It asks for the server's health, again and again."""

    def __init__(self, address: str, *, root: bytes | None = None) -> None:
        options = [("grpc.enable_http_proxy", 0)]
        if root is None:
            self._channel = grpc.insecure_channel(address, options=options)
        else:
            credentials = grpc.ssl_channel_credentials(root)
            self._channel = grpc.secure_channel(address, credentials, options=options)
        self._health: Any = health_pb2_grpc.HealthStub(self._channel)

    def __enter__(self) -> OrdinaryClient:
        self.call()
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    def call(self) -> float:
        """Return how long a call took, in seconds."""
        begin = time.monotonic()
        request = health_pb2.HealthCheckRequest()
        self._health.Check(request, timeout=SECONDS, wait_for_ready=True)
        return time.monotonic() - begin


@contextmanager
def running(script: Path, variables: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run a flood while the context lasts at most."""
    command = [sys.executable, str(script)]
    with subprocess.Popen(command, env=os.environ | variables, stdout=subprocess.PIPE) as flood:
        try:
            yield flood
        finally:
            flood.kill()


def withstand(
    client: OrdinaryClient, server: int, flood: subprocess.Popen[bytes], *, most: int = MOST_GROWTH
) -> None:
    """A server serves its client until the flood ends, and needs little memory for it."""
    rest = peak = measure_memory(server)
    waits: list[float] = []
    while flood.poll() is None:
        waits.append(client.call())
        peak = max(peak, measure_memory(server))
        time.sleep(0.02)
    end = time.monotonic() + SETTLING
    while (kept := measure_memory(server) - rest) > MOST_KEPT and time.monotonic() < end:
        time.sleep(0.2)
    print(
        f"MiB: {rest / MIB:.0f}, then {(peak - rest) / MIB:.1f} more, {kept / MIB:.1f} kept; "
        f"{len(waits)} calls, {median(waits):.3f} s"
    )
    assert peak - rest <= most
    assert kept <= MOST_KEPT
    assert median(waits) <= MOST_WAITING


FRAMES = ("continuation",)
MORE_FRAMES = (
    "headers",
    "ping",
    "reset",
    "fields",
    "settings",
    "settings-table",
    "priority",
    "window",
    "data",
    "literal",
    "unknown",
)


@contextmanager
def serving_port(
    home: Home, folder: Path, *, with_tls: bool
) -> Iterator[tuple[int, str, bytes | None]]:
    """A server at a port: its process, its address, and whom it is to be trusted by."""
    options: list[str] = []
    root = None
    if with_tls:
        ca = trustme.CA()
        made = ca.issue_cert("localhost", "127.0.0.1")
        root = ca.cert_pem.bytes()
        (folder / "key.pem").write_bytes(made.private_key_pem.bytes())
        (folder / "cert.pem").write_bytes(made.cert_chain_pems[0].bytes())
        options = ["--tls-cert", str(folder / "cert.pem"), "--tls-key", str(folder / "key.pem")]
    arguments = ("--listen", "127.0.0.1:0", *options, "--isolation", "none")
    with serving(home, *arguments) as (process, (address,)):
        yield process.pid, address, root


@pytest.mark.parametrize(
    ("frame", "with_tls"),
    [
        ("ping", True),
        *((frame, False) for frame in FRAMES),
        *(pytest.param(frame, False, marks=pytest.mark.prove) for frame in MORE_FRAMES),
    ],
)
def test_frames_without_a_token_take_little_memory(
    home: Home, tmp_path: Path, frame: str, with_tls: bool
) -> None:
    """Bug: gRPC queued a farewell for each ping of those that pinged too often, a gigabyte."""
    with (
        serving_port(home, tmp_path, with_tls=with_tls) as (server, address, root),
        OrdinaryClient(address, root=root) as client,
    ):
        wanted = {"MAZZO_ADDRESS": address, "FLOOD_FRAME": frame}
        wanted |= {"FLOOD_TLS": "1"} if with_tls else {}
        with running(FLOOD, wanted) as flood:
            withstand(client, server, flood)
            assert float(flood.communicate()[0]) >= LEAST_SENT


@pytest.mark.parametrize(
    "kind",
    ["idle", *(pytest.param(kind, marks=pytest.mark.prove) for kind in ("silent", "half-open"))],
)
def test_connections_without_a_call_leave_the_port_to_others(
    home: Home, tmp_path: Path, kind: str
) -> None:
    """Bug: a thousand of them made the port unavailable, for good if they answered pings."""
    with (
        serving_port(home, tmp_path, with_tls=True) as (server, address, root),
        OrdinaryClient(address, root=root) as client,
    ):
        wanted = {"MAZZO_ADDRESS": address, "HOLD": kind}
        with running(HOLDER, wanted) as flood:
            withstand(client, server, flood)


@pytest.mark.parametrize(
    ("frame", "most"),
    # gRPC reads from who is fast into a buffer of up to 75 MiB, as long as the connection lasts.
    [
        ("ping", MOST_GROWTH),
        pytest.param("fields", MOST_READ, marks=pytest.mark.prove),
        pytest.param("literal", MOST_GROWTH, marks=pytest.mark.prove),
        pytest.param("headers", MOST_READ, marks=pytest.mark.prove),
    ],
)
def test_frames_of_a_bot_take_little_memory(
    home: Home, tmp_path: Path, frame: str, most: int
) -> None:
    """Bug: the trial of a bot that pinged instead of joining took hundreds of MiB."""
    bot = write_bot(tmp_path, "flood")
    # A bot gets no variables but its own.
    program = FLOOD.read_text().replace('"FLOOD_FRAME", "ping"', f'"FLOOD_FRAME", "{frame}"')
    (bot / "bot.py").write_text(program)
    with (
        serving(home, "--listen", "127.0.0.1:0", "--isolation", "none") as (process, (address,)),
        OrdinaryClient(address) as client,
    ):
        token = home.inside("auth", "create", "organiser").out.strip()
        author = Home(home.path, {"MAZZO_SERVER": address, "MAZZO_ACCESS_TOKEN": token})
        submission = author.start("bots", "submit", bot, "--json")
        try:
            withstand(client, process.pid, submission, most=most)
        finally:
            kill(submission)
