"""Ray clusters on this machine, each with its own token and folder, gone at the end."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

__all__ = ["RayCluster", "list_ports", "list_processes", "run_cluster"]

_PATIENCE = 120.0  # seconds, for a node to start
_LISTENING = "0A"  # the state, in the tables of /proc/net
_RAY = str(Path(sys.executable).with_name("ray"))


@dataclass(slots=True)
class RayCluster:
    """A head without slots, and nodes that come and go."""

    address: str
    folder: Path
    token: Path  # the file
    secret: dict[str, str]  # variables of those that may use it
    nodes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def add_node(self, slots: int) -> subprocess.Popen[bytes]:
        """Start a node; its process group is all of it."""
        node = self.start_node("--address", self.address, slots=slots)
        self.nodes.append(node)
        return node

    def start_node(self, *where: str, slots: int) -> subprocess.Popen[bytes]:
        """Start a node and wait until it is ready."""
        path = self.folder / f"node-{secrets.token_hex(4)}.log"
        with path.open("wb") as log:
            node = subprocess.Popen(
                [
                    *(_RAY, "start", "--block", *where, "--num-cpus", "0"),
                    *("--node-ip-address", "127.0.0.1", "--object-store-memory", str(10**8)),
                    *("--resources", json.dumps({"mazzo_slots": slots} if slots else {})),
                    "--disable-usage-stats",
                ],
                env=os.environ | self.secret,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        end = time.monotonic() + _PATIENCE
        while b"block forever" not in path.read_bytes():
            if node.poll() is not None or time.monotonic() > end:
                self.kill(node)  # or it would look for its cluster for ever
                raise AssertionError(f"no node runs: {path.read_text()}")
            time.sleep(0.05)
        return node

    @staticmethod
    def kill(node: subprocess.Popen[bytes], number: signal.Signals = signal.SIGKILL) -> None:
        """Send all processes of a node a signal."""
        for each in _list_session(node.pid):
            try:
                os.kill(each, number)
            except ProcessLookupError:
                continue


@contextmanager
def run_cluster(*slots: int, mode: str = "token") -> Iterator[RayCluster]:
    """Yield a cluster with nodes of so many slots; this process has the token meanwhile."""
    with TemporaryDirectory(prefix="ray-") as name:
        port, clients = _find_free_ports(2)
        folder = Path(name)
        token = folder / "token"
        token.write_text(secrets.token_hex(32))
        token.chmod(0o600)
        secret = {"RAY_AUTH_MODE": mode, "RAY_AUTH_TOKEN_PATH": str(token)}
        cluster = RayCluster(f"127.0.0.1:{port}", folder, token, secret)
        head = cluster.start_node(
            *("--head", "--port", str(port), "--include-dashboard=false"),
            # A head ends where a cluster of another user has its usual port for clients.
            *("--ray-client-server-port", str(clients), "--temp-dir", str(folder / "r")),
            slots=0,
        )
        try:
            with patch.dict(os.environ, secret):
                for number in slots:
                    cluster.add_node(number)
                yield cluster
        finally:
            for node in [*cluster.nodes, head]:
                cluster.kill(node)
                node.wait()


def _find_free_ports(count: int) -> list[int]:
    with ExitStack() as taken:
        servers = [
            taken.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)
        ]
        return [server.getsockname()[1] for server in servers]


def list_processes(name: str, token: Path) -> list[int]:
    """The processes with that in their command that were given this token."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_text(errors="replace").replace("\0", " ")
            environment = (folder / "environ").read_bytes()
        except OSError:
            continue
        if name in command and f"RAY_AUTH_TOKEN_PATH={token}".encode() in environment:
            found.append(int(folder.name))
    return sorted(found)


def list_ports(token: Path) -> list[int]:
    """The TCP ports at which the processes that were given this token listen now."""
    inodes = set()
    for process in list_processes("", token):
        for link in Path(f"/proc/{process}/fd").glob("*"):
            try:
                inodes.add(os.readlink(link))
            except OSError:  # closed meanwhile
                continue
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            (
                _,
                address,
                _,
                state,
                *_,
            ) = fields = line.split()
            if state == _LISTENING and f"socket:[{fields[9]}]" in inodes:
                found.add(int(address.rpartition(":")[2], 16))
    return sorted(found)


def _list_session(leader: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue
        fields = text[text.rindex(")") + 2 :].split()
        if int(fields[3]) == leader:
            found.append(int(stat.parent.name))
    return found
