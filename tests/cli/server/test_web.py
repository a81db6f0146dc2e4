"""`mazzo web`: where it listens, and how it ends."""

from __future__ import annotations

import signal
import socket
import urllib.request
from pathlib import Path

import pytest

from support.command import SECONDS, Home, kill


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.mark.parametrize("address", ["0.0.0.0:8080", "[::]:8080", "example.org:80", "unix:x", "80"])
def test_others_cannot_reach_it(home: Home, address: str) -> None:
    """The pages show what the command may see, which may be more than visitors may."""
    said = home.inside("web", "--listen", address, status=2).err
    assert "--listen: expected" in " ".join(said.split())
    assert not home.path.exists()


def test_a_port_that_is_taken_is_told(home: Home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = home.inside("web", "--listen", f"127.0.0.1:{port}", status=1).err
    assert f"cannot listen at 127.0.0.1:{port}: Address already in use" in said


def test_a_server_that_is_away_is_told(home: Home) -> None:
    said = home.inside("web", "--listen", "127.0.0.1:0", "--server", "localhost:1", status=1).err
    assert "nobody answers at localhost:1" in said


def test_it_shows_the_store_until_ctrl_c(home: Home) -> None:
    process = home.start("web", "--listen", "127.0.0.1:0")
    try:
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        address = line.removeprefix("Open ").partition(" ")[0]
        with urllib.request.urlopen(address, timeout=SECONDS) as answer:
            assert answer.status == 200
            assert b"Bots that play traditional card games" in answer.read()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=SECONDS)
        assert (process.returncode, err) == (130, b"mazzo: interrupted\n")
    finally:
        kill(process)


def test_pages_are_written_as_files(home: Home, tmp_path: Path) -> None:
    said = home.inside("web", "export", tmp_path / "pages").out
    assert "13 pages in" in said
    assert "There is no tournament yet" in (tmp_path / "pages" / "index.html").read_text()
    for option in (("--server", "localhost:1"), ("--url", "http://localhost/"), ("--ca", "x")):
        said = home.inside("web", *option, "export", tmp_path / "other", status=2).err
        assert f"expected {option[0]} behind `export`" in " ".join(said.split())
    refused = home.inside("web", "export", home.path, status=2)
    assert "expected a new or an empty folder" in " ".join(refused.err.split())
