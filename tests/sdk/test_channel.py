"""How a server is reached: what needs TLS, and what is no address."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme

from mazzo.channel import explain_handshake_failure, is_this_machine, open_channel, parse_address
from mazzo.errors import AddressError


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """How channels are opened, and where to; none is."""
    seen: list[tuple[str, str]] = []
    for kind in ("insecure", "secure"):

        def note(address: str, *_: Any, kind: str = kind, **__: Any) -> None:
            seen.append((kind, address))

        monkeypatch.setattr(grpc.aio, f"{kind}_channel", note)
    return seen


@pytest.mark.parametrize(
    "address",
    ["unix:/run/mazzo.sock", "localhost:1", "127.0.0.1:7777", "127.9.9.9:7777", "[::1]:7777"],
)
def test_without_tls_on_this_machine_only(
    opened: list[tuple[str, str]], address: str, tmp_path: Path
) -> None:
    open_channel(address)
    assert opened == [("insecure", address)]
    pem = tmp_path / "ca.pem"
    trustme.CA().cert_pem.write_to_path(str(pem))
    open_channel(address, pem)
    assert opened[1] == ("insecure" if address.startswith("unix:") else "secure", address)


@pytest.mark.parametrize(
    "address",
    [
        "example.org:7777",
        "192.168.1.5:7777",
        "0.0.0.0:7777",
        "[::]:7777",
        "[2001:db8::1]:7777",
        "localhost.example.org:7777",
        "127.0.0.1.example.org:7777",
        "127.1:7777",
        "LOCALHOST:7777",
    ],
)
def test_with_tls_everywhere_else(opened: list[tuple[str, str]], address: str) -> None:
    """Whatever a name server may say that a name is."""
    open_channel(address)
    assert opened == [("secure", address)]


def test_a_port_that_is_too_high_is_told_as_that() -> None:
    with pytest.raises(AddressError, match="a port of 65535 at most, got 'localhost:65536'"):
        open_channel("localhost:65536")


@pytest.mark.parametrize(
    "address",
    [
        "",
        "7777",
        "unix:",
        "localhost",
        "localhost:",
        "localhost:-1",
        "dns:///127.0.0.1:7777",
        "ipv4:192.168.1.5:7777",
        "unix-abstract:x",
        "http://localhost:7777",
        "127.0.0.1:7777/x",
        "127.0.0.1@example.org:7777",
        "two words:7777",
        "host:7777\n",
        "x" * 10_000,
    ],
)
def test_what_is_no_address(opened: list[tuple[str, str]], address: str) -> None:
    """gRPC knows more forms; one that leads elsewhere than it seems must not be among them."""
    with pytest.raises(AddressError, match="expected HOST:PORT or unix:PATH, got ") as caught:
        open_channel(address)
    assert len(str(caught.value)) < 300
    assert opened == []


def test_host_and_port() -> None:
    assert parse_address("[::1]:7777") == ("[::1]", 7777)
    assert parse_address("unix:relative/s") is None
    assert is_this_machine("[::1]")
    assert not is_this_machine("example.org")


def test_a_ca_file_that_cannot_be_used(tmp_path: Path) -> None:
    """Its name and why; nothing is opened without it."""
    odd = tmp_path / "odd.pem"
    for content in (b"", b"no certificate", b"\xff\xfe", b"-----BEGIN CERTIFICATE-----\nAAAA\n"):
        odd.write_bytes(content)
        with pytest.raises(AddressError, match=r"expected PEM certificates .*odd\.pem"):
            open_channel("localhost:7777", odd)
    for path in (tmp_path / "missing.pem", tmp_path, "nul\x00byte"):
        with pytest.raises(AddressError, match="cannot read the CA file"):
            open_channel("localhost:7777", path)


def test_only_a_failed_handshake_is_told_as_one() -> None:
    assert (
        explain_handshake_failure("failed to connect to all addresses: Connection refused") is None
    )
    problem = explain_handshake_failure(
        "SSL_ERROR_SSL: CERTIFICATE_VERIFY_FAILED: unable to get local"
    )
    assert problem is not None
    assert "--ca FILE" in problem


FORKING = """
import os, sys, time
from mazzo import run
import grpc
server = grpc.server(None)
server.add_insecure_port("unix:" + sys.argv[1])
server.start()
grpc.channel_ready_future(grpc.insecure_channel("unix:" + sys.argv[1])).result(60)
child = os.fork()
if child == 0:
    time.sleep(0.05)
    os._exit(len(os.listdir("/proc/self/task")))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
os._exit(0)
"""


def test_a_bot_may_fork(tmp_path: Path) -> None:
    """Its child has none of gRPC's threads, for whose start it once waited for ever."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("GRPC_")}
    command = [sys.executable, "-c", FORKING, str(tmp_path / "socket")]
    ended = subprocess.run(command, env=own, capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout == "1\n"
