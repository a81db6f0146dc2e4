"""A `mazzo serve` while a test lasts."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from support.command import Home, kill
from support.other_processes import command_of

__all__ = ["find_gateways", "measure_memory", "serving"]


@contextmanager
def serving(home: Home, *arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], list[str]]]:
    """A server, and where it listens."""
    process = home.start("serve", *arguments)
    assert process.stdout is not None
    addresses = []
    try:
        while line := process.stdout.readline().decode():
            if not line.startswith("Listening at "):
                assert "Isolating bots with " in line
                break
            addresses.append(line.split()[-1])
        yield process, addresses
    finally:
        kill(process)


def find_gateways(server: int) -> list[int]:
    """The processes of the gateways that a server has now."""
    found = []
    for folder in Path(f"/proc/{server}/task").iterdir():
        with suppress(FileNotFoundError):  # a thread that has just ended
            found += [int(pid) for pid in (folder / "children").read_text().split()]
    return [pid for pid in found if "mazzo_server.serving.gateway" in command_of(pid)]


def measure_memory(server: int) -> int:
    """Bytes that are a server's own, and its gateways'."""
    total = 0
    for pid in (server, *find_gateways(server)):
        status = Path(f"/proc/{pid}/status").read_text()
        found = re.search(r"^RssAnon:\s+(\d+) kB", status, re.MULTILINE)
        assert found
        total += int(found[1]) * 1024
    return total
