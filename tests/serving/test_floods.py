"""What a network may do to the server without a token, and a bot from its sandbox."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import grpc
import pytest
import trustme
from grpc_health.v1 import health_pb2, health_pb2_grpc

from support import ping_flood
from support.command import SECONDS, Home, kill
from support.sample_bots import write_bot
from support.served import serving

pytestmark = [pytest.mark.slow, pytest.mark.alone]

MIB = 1024 * 1024
# While a flood lasts. Measured: 9 to 95 MiB, and once 200, for up to 1 GiB of pings; where gRPC
# sends those away that ping too often, 2,300 for 30 MiB of them.
MOST_GROWTH = 512 * MIB
MOST_WAITING = 1.0  # seconds, at the median, of an ordinary call meanwhile
LEAST_SENT = 2  # MiB of a flood; with less it would show nothing
FLOOD = Path(ping_flood.__file__)


def measure_memory(pid: int, name: str) -> int:
    """Bytes of a process: `VmRSS` for now, `VmHWM` for the most since `forget_peak`."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise AssertionError(f"no {name} of {pid}")


def forget_peak(pid: int) -> None:
    Path(f"/proc/{pid}/clear_refs").write_text("5")


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


def withstand(client: OrdinaryClient, server: int, flood: subprocess.Popen[bytes]) -> None:
    """A server serves its client until the flood ends, and needs little memory for it."""
    rest = measure_memory(server, "VmRSS")
    forget_peak(server)
    waits: list[float] = []
    while flood.poll() is None:
        waits.append(client.call())
        time.sleep(0.02)
    peak = measure_memory(server, "VmHWM")
    print(
        f"MiB: {rest / MIB:.0f}, then {peak / MIB:.0f}; {len(waits)} calls, {median(waits):.3f} s"
    )
    assert peak - rest <= MOST_GROWTH
    assert median(waits) <= MOST_WAITING


@pytest.mark.parametrize("with_tls", [False, True], ids=["plain", "tls"])
def test_pings_without_a_token_take_little_memory(
    home: Home, tmp_path: Path, with_tls: bool
) -> None:
    """Bug: gRPC queued a farewell for each ping of those that pinged too often, a gigabyte."""
    options: list[str] = []
    root = None
    if with_tls:
        ca = trustme.CA()
        made = ca.issue_cert("localhost", "127.0.0.1")
        root = ca.cert_pem.bytes()
        (tmp_path / "key.pem").write_bytes(made.private_key_pem.bytes())
        (tmp_path / "cert.pem").write_bytes(made.cert_chain_pems[0].bytes())
        options = ["--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "key.pem")]
    with (
        serving(home, "--listen", "127.0.0.1:0", *options, "--isolation", "none") as (
            process,
            (address,),
        ),
        OrdinaryClient(address, root=root) as client,
    ):
        wanted = {"MAZZO_ADDRESS": address} | ({"FLOOD_TLS": "1"} if with_tls else {})
        flood = subprocess.Popen(
            [sys.executable, FLOOD], env=os.environ | wanted, stdout=subprocess.PIPE
        )
        try:
            withstand(client, process.pid, flood)
            assert int(flood.communicate()[0]) >= LEAST_SENT
        finally:
            flood.kill()
            flood.wait()


def test_pings_of_a_bot_take_little_memory(home: Home, tmp_path: Path) -> None:
    """Bug: the trial of a bot that pinged instead of joining took hundreds of MiB."""
    bot = write_bot(tmp_path, "flood")
    shutil.copy(FLOOD, bot / "bot.py")
    with (
        serving(home, "--listen", "127.0.0.1:0", "--isolation", "none") as (process, (address,)),
        OrdinaryClient(address) as client,
    ):
        token = home.inside("auth", "create", "organiser").out.strip()
        author = Home(home.path, {"MAZZO_SERVER": address, "MAZZO_ACCESS_TOKEN": token})
        submission = author.start("bots", "submit", bot, "--json")
        try:
            withstand(client, process.pid, submission)
        finally:
            kill(submission)
