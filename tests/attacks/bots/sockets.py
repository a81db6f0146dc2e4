"""Opens whatever a process may speak through, and every door but its own."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from attacks.bots.attempt import PLAN, attempt, play, say

# Kinds of sockets that no namespace keeps apart, or that open more of the kernel than a bot needs.
KINDS = {
    "vsock": (40, socket.SOCK_STREAM, 0),
    "packet": (17, socket.SOCK_RAW, 0),
    "packet without addresses": (17, socket.SOCK_DGRAM, 0),
    "raw": (socket.AF_INET, socket.SOCK_RAW, 1),
    "ping": (socket.AF_INET, socket.SOCK_DGRAM, 1),
    "netlink": (16, socket.SOCK_RAW, 0),
    "netlink audit": (16, socket.SOCK_RAW, 9),
    "netlink uevents": (16, socket.SOCK_DGRAM, 15),
    "kernel's ciphers": (38, socket.SOCK_SEQPACKET, 0),
    "bluetooth": (31, socket.SOCK_RAW, 1),
    "tipc": (30, socket.SOCK_RDM, 0),
    "rds": (21, socket.SOCK_SEQPACKET, 0),
    "xdp": (44, socket.SOCK_RAW, 0),
    "qualcomm": (42, socket.SOCK_DGRAM, 0),
    "can": (29, socket.SOCK_RAW, 1),
    "key management": (15, socket.SOCK_RAW, 2),
}


def connect(family: int, kind: int, address: Any) -> Callable[[], object]:
    def reach() -> str:
        with socket.socket(family, kind) as way:
            way.settimeout(5.0)
            way.connect(address)
            way.send(b"from a bot")
            if kind == socket.SOCK_DGRAM:
                way.recv(1)  # the host answers
            return "reached"

    return reach


def create(family: int, kind: int, protocol: int) -> str:
    with socket.socket(family, kind, protocol):
        return "made"


def add_address() -> str:
    """Give the loopback an address of the world: it needs rights over the network."""
    message = struct.pack("<IHHII", 40, 20, 0x605, 1, 0)  # RTM_NEWADDR, create, acknowledge
    message += struct.pack("<BBBBI", 2, 32, 0, 0, 1) + struct.pack("<HH4s", 8, 2, b"\xc0\0\2\1") * 2
    with socket.socket(16, socket.SOCK_RAW, 0) as link:
        link.sendto(message, (0, 0))
        (error,) = struct.unpack_from("<i", link.recv(1024), 16)
        if error:
            raise OSError(-error, "refused")
    return "added"


def main() -> None:
    tcp, udp = socket.SOCK_STREAM, socket.SOCK_DGRAM
    attempt("tcp", connect(socket.AF_INET, tcp, ("127.0.0.1", PLAN["tcp"])))
    attempt("tcp, version 6", connect(socket.AF_INET6, tcp, ("::1", PLAN["tcp6"])))
    attempt("udp", connect(socket.AF_INET, udp, ("127.0.0.1", PLAN["udp"])))
    attempt("the world", connect(socket.AF_INET, tcp, ("192.0.2.1", 53)))
    attempt("the world's names", lambda: socket.getaddrinfo("example.org", 80))
    attempt("the cloud's secrets", connect(socket.AF_INET, tcp, ("169.254.169.254", 80)))
    attempt("everybody", connect(socket.AF_INET, udp, ("255.255.255.255", 9)))
    attempt("vsock of the machine's host", connect(40, tcp, (2, 1024)))
    attempt("abstract", connect(socket.AF_UNIX, tcp, "\0" + PLAN["abstract"]))
    attempt("path", connect(socket.AF_UNIX, tcp, PLAN["path"]))
    for path in ("/run/docker.sock", "/var/run/docker.sock", "/run/systemd/private", "/dev/log"):
        attempt(path, connect(socket.AF_UNIX, tcp, path))
    attempt("an address for itself", add_address)
    for name, kind in KINDS.items():
        attempt(f"a socket: {name}", partial(create, *kind))
    say("sockets that it sees", str([line for line in lines("unix") if PLAN["abstract"] in line]))
    names = [line.split(":")[0].strip() for line in lines("dev") if ":" in line]
    say("its interfaces", str(names))
    address = os.environ["MAZZO_ADDRESS"].removeprefix("unix:")
    attempt("take the place of its socket", lambda: os.rename(address, address + "2"))
    attempt("remove its socket", lambda: os.unlink(address))
    attempt("a second socket beside it", lambda: beside(address))
    play()


def lines(name: str) -> list[str]:
    """What the kernel tells of its network, where it tells anything."""
    try:
        return Path("/proc/net", name).read_text().splitlines()
    except FileNotFoundError:
        return []


def beside(address: str) -> str:
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address + "3")
        return "made"


if __name__ == "__main__":
    main()
