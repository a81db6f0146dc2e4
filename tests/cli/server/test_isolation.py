"""Bar 2, promise 7: a bot that looks around sees no network, no other process, none of our files.

The spy writes down what it finds on its first decision and crashes: `mazzo bots submit`
shows the log. Twin tests with `--isolation none` show that the spy would see it.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.command import Home, kill
from support.sample_bots import write_bot

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="isolation is Linux's")

_SPY = """
import glob
import json
import socket


def tried(work):
    try:
        return str(work())
    except OSError as error:
        return type(error).__name__


def connected(family, address):
    with socket.socket(family) as found:
        found.settimeout(3)
        found.connect(address)
    return "connected"


def written(path):
    with open(path, "w") as file:
        file.write("I was here")
    return "written"


def look():
    home, port, mine, usr, scratch = TARGETS
    inet, unix = socket.AF_INET, socket.AF_UNIX
    return {
        "interfaces": tried(lambda: open("/proc/net/dev").read()),
        "processes": sorted(int(name) for name in os.listdir("/proc") if name.isdigit()),
        "commands": [tried(lambda path=path: open(path, "rb").read().decode()).split("\\0")
                     for path in glob.glob("/proc/[0-9]*/cmdline")],
        "environment": dict(os.environ),
        "home": tried(lambda: os.listdir(home)),
        "store": tried(lambda: open(home + "/mazzo.db", "rb").read(15)),
        "bundles": tried(lambda: os.listdir(home + "/bundles")),
        "secret": tried(lambda: open("/etc/shadow").read()),
        "server": tried(lambda: connected(unix, home + "/mazzo.sock")),
        "loopback": tried(lambda: connected(inet, ("127.0.0.1", port))),
        "internet": tried(lambda: connected(inet, ("192.0.2.1", 80))),
        "write_bundle": tried(lambda: written("here")),
        "write_usr": tried(lambda: written(usr)),
        "write_home": tried(lambda: written(home + "/mazzo-was-here")),
        "write_mine": tried(lambda: written(mine)),
        "write_tmp": tried(lambda: written(scratch)),
        "sockets": glob.glob("/run/*"),
        "uid": os.getuid(),
    }

"""


@pytest.fixture
def served(samples: Home) -> Iterator[Home]:
    """A home whose server runs, with its socket where the spy looks for it."""
    process = samples.start("serve")
    assert process.stdout is not None
    assert b"Listening" in process.stdout.readline()
    yield samples
    kill(process)


def _look(home: Home, folder: Path, isolation: str) -> dict[str, Any]:
    """What a spy in a sandbox sees of this very machine."""
    neighbour = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with socket.create_server(("127.0.0.1", 0)) as listening, neighbour:
        # A bot that is not isolated writes into the test's own folder only.
        confined = isolation == "bubblewrap"
        targets = (
            str(home.path),
            listening.getsockname()[1],
            str(folder / "mine"),
            "/usr/mazzo-was-here" if confined else str(folder / "usr"),
            "/tmp/mazzo-was-here" if confined else str(folder / "scratch"),
        )
        spy = write_bot(
            folder,
            "spy",
            act='os.write(2, b"SAW" + json.dumps(look()).encode() + b"WAS\\n")\n'
            "        os._exit(9)",
        )
        code = (spy / "bot.py").read_text()
        (spy / "bot.py").write_text(f"{_SPY}\nTARGETS = {targets!r}\n{code}")
        submit = ("bots", "submit", spy, "--isolation", isolation, "--json")
        result = home(*submit, status=1).json
        assert neighbour.stdin is not None
        neighbour.stdin.write(b"\n")
    trial = result["versions"][-1]["trial"]
    assert "exited with status 9" in trial["matches"][0]["reason"], trial
    seen = json.loads(trial["log"].split("SAW")[1].split("WAS")[0])
    assert isinstance(seen, dict)
    return seen


def test_a_spy_sees_nothing(served: Home, tmp_path: Path) -> None:
    seen = _look(served, tmp_path, "bubblewrap")
    assert seen["interfaces"] == "FileNotFoundError"
    assert seen["processes"] == seen["commands"] == []
    assert str(served.path) not in json.dumps(seen["environment"])
    assert {name for name in seen["environment"] if name.startswith("MAZZO_")} == {
        "MAZZO_ADDRESS",
        "MAZZO_TOKEN",
    }
    for name in ("home", "store", "bundles", "secret", "server", "write_home", "write_mine"):
        assert seen[name] == "FileNotFoundError", (name, seen[name])
    assert seen["loopback"] == seen["internet"] == "OSError"  # no such family of addresses
    assert seen["write_bundle"] == seen["write_usr"] == "OSError"  # read-only file system
    assert seen["write_tmp"] == "written"
    assert seen["sockets"] == ["/run/mazzo.sock"]
    assert seen["uid"] != 0
    assert not Path("/tmp/mazzo-was-here").exists()


def test_the_spy_can_see(samples: Home, tmp_path: Path) -> None:
    """Without isolation it sees the neighbour, the store and the loopback: it looks well."""
    seen = _look(samples, tmp_path, "none")
    assert len(seen["processes"]) > 3
    assert "input()" in str(seen["commands"])
    assert "lo:" in seen["interfaces"]
    assert "SQLite" in seen["store"]
    assert "random" in seen["bundles"] or len(seen["bundles"]) > 100
    assert seen["loopback"] == "connected"
    assert seen["write_mine"] == "written"
    assert (tmp_path / "mine").exists()
