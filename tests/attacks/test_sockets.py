"""Speaking to anybody but the platform, and by anything but the one socket."""

from __future__ import annotations

import socket
from ast import literal_eval
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from attacks.battle import Battlefield, denied

pytestmark = pytest.mark.alone

KERNELS = ["EAFNOSUPPORT", "EPROTONOSUPPORT", "ESOCKTNOSUPPORT"]  # it has no such sockets at all


@pytest.fixture
def planted(field: Battlefield) -> Iterator[tuple[dict[str, Any], list[socket.socket]]]:
    """What listens on the host, open to everybody on it."""
    with ExitStack() as stack:
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind("\0" + field.mark)
        path = stack.enter_context(socket.socket(socket.AF_UNIX))
        place = field.arena.folder / "listening"
        path.bind(str(place))
        place.chmod(0o777)
        for server in (abstract, path):
            server.listen()
        listening = [tcp, udp, abstract, path]
        tcp6 = 9
        if socket.has_ipv6:
            with ExitStack() as try_it:
                try:
                    server = socket.create_server(("::1", 0), family=socket.AF_INET6)
                except OSError:  # a machine without it
                    pass
                else:
                    try_it.push(server)
                    stack.push(try_it.pop_all())
                    tcp6 = server.getsockname()[1]
                    listening.append(server)
        for server in listening:
            server.setblocking(False)
        yield (
            {
                "tcp": tcp.getsockname()[1],
                "tcp6": tcp6,
                "udp": udp.getsockname()[1],
                "abstract": field.mark,
                "path": str(place),
            },
            listening,
        )


def heard(server: socket.socket) -> bool:
    """Whether anybody came."""
    try:
        if server.type == socket.SOCK_DGRAM:
            server.recv(100)
        else:
            server.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def test_nobody_is_reached(
    field: Battlefield, planted: tuple[dict[str, Any], list[socket.socket]]
) -> None:
    """The host listens in every way and hears nothing; sockets of odd kinds are not to be had."""
    battle = field.fight("sockets", **planted[0])
    assert battle.terminations == set()
    assert [heard(server) for server in planted[1]] == [False] * len(planted[1])
    report = dict(battle.report)
    assert report.pop("sockets that it sees") == "[]"
    assert set(literal_eval(report.pop("its interfaces"))) <= {"lo"}
    assert report.pop("the world's names") in ("gaierror", "EPERM", "EACCES")
    kinds = {name: report.pop(name) for name in list(report) if name.startswith("a socket: ")}
    assert len(kinds) == 16
    wrong = {name: outcome for name, outcome in kinds.items() if not denied(outcome, *KERNELS)}
    # There is nobody in its network: refused by nobody, unreachable, or not there.
    nobody = ["ECONNREFUSED", "ENETUNREACH", "EADDRNOTAVAIL", "ENOENT", "EROFS", "EBUSY"]
    wrong |= {
        name: outcome for name, outcome in report.items() if not denied(outcome, *nobody, *KERNELS)
    }
    assert wrong == {}


def test_the_attack_on_sockets_is_a_real_one(
    field: Battlefield, planted: tuple[dict[str, Any], list[socket.socket]]
) -> None:
    """Without isolation it reaches all that listens: its failing says something."""
    doors = ["tcp", "abstract", "path"]
    open_field = replace(field, isolation="none")
    battle = open_field.fight("sockets", only=doors, **planted[0])
    assert [battle.report[door] for door in doors] == ["done: 'reached'"] * 3
    assert [heard(server) for server in planted[1]].count(True) == 3
