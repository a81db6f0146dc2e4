"""`mazzo doctor`, and `MAZZO_REQUIRE`: a machine that is weaker than asked for runs no bot."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from mazzo_server.sandbox import PROTECTIONS
from support.command import SECONDS, Home
from support.sample_bots import write_bot

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="isolation is Linux's")

# As on a machine that allows no user namespaces: in one of its own that allows no other.
_NO_NAMESPACES = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'


def without_namespaces(home: Home, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            *("unshare", "--user", "--map-root-user", "sh", "-c", _NO_NAMESPACES, "sh"),
            *(sys.executable, "-m", "mazzo_server", *map(str, arguments)),
        ],
        env=home.environment(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


def test_every_protection_is_told(home: Home) -> None:
    """By name, as a table and as JSON; the doctor writes nothing at home."""
    told = home("doctor", "--json").json
    assert [item["name"] for item in told] == list(PROTECTIONS)
    for item in told:
        assert item["meaning"]
        assert bool(item["finding"]) is bool(item["remedy"]) is not item["given"]
        assert not item["required"]
    out = home.inside("doctor").out
    assert all(name in out for name in PROTECTIONS)
    assert out.count("What to do") == sum(not item["given"] for item in told)
    assert not home.path.exists()


def test_the_limits_of_bots_are_told(home: Home) -> None:
    """As they are set, and as they could be set; a wrong one is refused with its name."""
    home.variables["MAZZO_LIMITS"] = "memory_mib=2048,processes=99"
    out = " ".join(home.inside("doctor").out.split())
    assert "has 2,048 MiB of memory, 99 processes and threads, and 64 MiB for files in /tmp" in out
    assert "MAZZO_LIMITS=memory_mib=2048,processes=99,disk_mib=64," in out
    limits = {item["name"]: item["limits"] for item in home.inside("doctor", "--json").json}
    assert limits.pop("limits").items() >= {"memory_mib": 2048, "disk_mib": 64}.items()
    assert set(limits.values()) == {None}
    home.variables["MAZZO_LIMITS"] = "memory_mib=much"
    said = home.inside("doctor", status=2).err
    assert said.startswith("mazzo: MAZZO_LIMITS: memory_mib: expected a whole number from 128")
    assert home.inside("bots", "list", status=2).err == said


def test_a_doctor_that_is_stopped_says_so(home: Home, tmp_path: Path) -> None:
    """With the status of every command, and so that what it tries is taken away again."""
    reached, told = tmp_path / "reached", tmp_path / "told"
    node = tmp_path / "node"
    node.write_text(f"#!/bin/sh\n: > {reached}\nwhile ! [ -e {told} ]; do sleep 0.05; done\n")
    node.chmod(0o755)
    home.variables["PATH"] = f"{tmp_path}:{os.environ['PATH']}"
    process = subprocess.Popen(
        [sys.executable, "-m", "mazzo_server", "doctor"],
        env=home.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + SECONDS
    while not reached.exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    told.touch()
    _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert "interrupted" in err


def test_a_machine_without_namespaces(home: Home, tmp_path: Path) -> None:
    """The doctor says so and fails where that is required, and bots are not run."""
    home.variables["MAZZO_REQUIRE"] = "namespaces,seccomp"
    process = without_namespaces(home, "doctor", "--json")
    told: dict[str, Any] = {item["name"]: item for item in json.loads(process.stdout)}
    assert process.returncode == 1
    assert not told["namespaces"]["given"]
    assert told["namespaces"]["required"]
    assert "unshare" in told["namespaces"]["finding"]
    assert not told["bubblewrap"]["given"]
    for require in ("namespaces", ""):
        home.variables["MAZZO_REQUIRE"] = require
        refused = without_namespaces(home, "bots", "submit", write_bot(tmp_path, f"b{require}"))
        assert refused.returncode == 1
        assert ("MAZZO_REQUIRE asks for" if require else "bubblewrap does not") in refused.stderr


def test_what_is_given_is_enough(home: Home, tmp_path: Path) -> None:
    """A bot is run where everything that is required is there."""
    home.variables["MAZZO_REQUIRE"] = "namespaces,bubblewrap,seccomp,limits,python"
    home("doctor")
    home("bots", "submit", write_bot(tmp_path, "good"))


def test_nothing_is_required_of_own_bots_in_vain(home: Home, tmp_path: Path) -> None:
    """Isolation `none` gives no protection, also no server starts with it."""
    home.variables["MAZZO_REQUIRE"] = "limits"
    bot = write_bot(tmp_path, "good")
    refused = home.inside("bots", "submit", bot, "--isolation", "none", status=1)
    assert "MAZZO_REQUIRE asks for limits, and isolation none" in refused.err
    assert "isolation none" in home("serve", "--isolation", "none", status=1).err


def test_a_misspelt_requirement_is_wrong_usage(home: Home, tmp_path: Path) -> None:
    """It would else protect from nothing."""
    home.variables["MAZZO_REQUIRE"] = "secomp"
    assert "got secomp" in home.inside("doctor", status=2).err
    assert "got secomp" in home.inside("bots", "submit", write_bot(tmp_path, "good"), status=2).err
