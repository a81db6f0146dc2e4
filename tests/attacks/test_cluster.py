"""Reaching the cluster on which one is played: its ports, sockets, files, processes and token."""

from __future__ import annotations

import json
import os
import re
import socket
import sys
from ast import literal_eval
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from attacks.battle import Battle, Battlefield, denied
from attacks.grounds import Ground
from support.ray_cluster import RayCluster, list_processes

pytestmark = [pytest.mark.alone, pytest.mark.parametrize("ground", ["ray"], indirect=True)]

# There is no way to say an address at all, or nobody at it.
NOBODY = ["EAFNOSUPPORT", "ECONNREFUSED", "ENETUNREACH", "EADDRNOTAVAIL"]


@dataclass(frozen=True, slots=True)
class Prey:
    """What there is to be found on this machine, while the cluster runs."""

    cluster: RayCluster
    listening: list[socket.socket]  # of this process: everybody may connect, nobody does
    addresses: list[str]
    sockets: list[str]
    paths: list[str]
    pids: list[int]

    @property
    def port(self) -> int:
        """Of the head, which every node and driver connects to."""
        return int(self.cluster.address.rpartition(":")[2])

    @property
    def token(self) -> str:
        return self.cluster.token.read_text()


@pytest.fixture
def prey(ground: Ground) -> Iterator[Prey]:
    assert ground.cluster is not None
    cluster = ground.cluster
    session = cluster.folder / "r" / "session_latest"
    sockets = sorted(str(path) for path in session.resolve().glob("sockets/*"))
    assert len(sockets) >= 2  # the raylet's, and that of the objects
    files = [path for path in session.resolve().rglob("*") if path.is_file()]
    assert len(files) > 5
    with socket.create_server(("", 0)) as server, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0mazzo-{os.getpid()}")
        abstract.listen()
        for each in (server, abstract):
            each.setblocking(False)
        yield Prey(
            cluster=cluster,
            listening=[server, abstract],
            addresses=sorted({"127.0.0.1", "127.0.0.2", "::1", "0.0.0.0", "::"} | own_addresses()),
            sockets=[*sockets, *abstract_sockets()],
            paths=[
                *(str(cluster.token), str(cluster.folder), str(session)),
                *("/tmp/ray", str(Path.home() / ".ray" / "auth_token")),
                *map(str, sorted(files)[:20]),
            ],
            pids=list_processes("", cluster.token),
        )


def own_addresses() -> set[str]:
    """Of all interfaces of this machine, as the kernel lists them."""
    routes = Path("/proc/net/fib_trie").read_text()
    found = set(re.findall(r"\|-- (\S+)\n +/32 host LOCAL", routes))
    table = Path("/proc/net/if_inet6")
    for line in table.read_text().splitlines() if table.exists() else []:
        found.add(socket.inet_ntop(socket.AF_INET6, bytes.fromhex(line.split()[0])))
    return found


def abstract_sockets() -> list[str]:
    """The Unix sockets of this machine that have no path, and that somebody listens at."""
    lines = Path("/proc/net/unix").read_text().splitlines()[1:]
    return sorted(
        {line.split(maxsplit=7)[7] for line in lines if " @" in line and "00010000" in line}
    )


def fight(field: Battlefield, prey: Prey, **planted: Any) -> Battle:
    """Tell the bot everything about this machine, and the path of the token.

    Of the token itself it gets the first half, by which it can recognise the whole.
    """
    return field.fight(
        "cluster",
        token_file=str(prey.cluster.token),
        secret=prey.token[:32],
        addresses=prey.addresses,
        sockets=prey.sockets,
        paths=prey.paths,
        pids=prey.pids,
        python=[sys.base_prefix, os.path.realpath(sys.base_prefix)],
        **planted,
    )


def test_nothing_of_the_cluster_is_reached(field: Battlefield, prey: Prey) -> None:
    """Promise: a bot reaches no port of Ray, at any address, by any port there is.

    Nor a socket, a file, a variable or a process of it, nor its token; it is played by a worker on
    a node of the cluster meanwhile, and has looked for every port from 1 to 65,535.
    """
    battle = fight(field, prey, sweeps=True)
    assert battle.terminations == set()
    report = dict(battle.report)
    assert prey.port in json.loads(report.pop("ports"))
    assert literal_eval(report.pop("variables")) == []
    for search in ("search for the token", "search processes", "see processes"):
        assert report.pop(search) == "done: []"
    tried = {name: json.loads(report.pop(name)) for name in list(report) if "ports of" in name}
    assert set(tried) >= {f"ports of {address}" for address in prey.addresses}
    for name, knocks in tried.items():
        assert knocks["opened"] == [], name
        assert sum(knocks["answers"].values()) == 65_535, name
        assert all(denied(answer, *NOBODY) for answer in knocks["answers"]), knocks
    for server in prey.listening:
        with pytest.raises(BlockingIOError):
            server.accept()
    assert len(report) == len(prey.sockets) + 3 * len(prey.paths) + 8 * len(prey.pids)
    wrong = {
        name: outcome
        for name, outcome in report.items()
        if not denied(outcome, "ENOENT", "ENOTDIR", "ECONNREFUSED", "ESRCH")
    }
    assert wrong == {}


def test_the_attack_on_the_cluster_is_a_real_one(field: Battlefield, prey: Prey) -> None:
    """Without isolation it opens ports and sockets of Ray, and reads the token."""
    home = f"ports of {prey.cluster.address.partition(':')[0]}"
    node = list_processes("raylet", prey.cluster.token)[0]
    doors = [path for path in prey.sockets if path.startswith(str(prey.cluster.folder))]
    only = [
        *(home, f"read {prey.cluster.token}", f"read /proc/{node}/environ", "see processes"),
        *(f"enter {path}" for path in doors),
    ]
    report = fight(replace(field, isolation="none"), prey, sweeps=False, only=only).report
    opened = json.loads(report[home])["opened"]
    assert prey.port in opened
    assert len(opened) > 5  # not all: some of Ray's processes come and go
    assert prey.token in report[f"read {prey.cluster.token}"]
    assert "RAY_AUTH_TOKEN_PATH" in report[f"read /proc/{node}/environ"]
    assert "raylet" in report["see processes"]
    assert {report[f"enter {path}"] for path in doors} == {"done: 'entered'"}
