"""Bar 5: what the doctor says is true, and without what is required no bot is run."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mazzo_server.errors import InvalidInputError, IsolationError
from mazzo_server.sandbox import (
    cgroup,
    check_required,
    examine,
    open_sandbox,
    protections,
    read_required_names,
    seccomp,
)
from mazzo_server.sandbox.cgroup import ControlGroups, Controller
from mazzo_server.sandbox.namespaces import bubblewrap, confinement
from mazzo_server.sandbox.namespaces.userns import is_unlimited_root
from mazzo_server.sandbox.protections import PROTECTIONS
from mazzo_server.settings import Isolation

NO_BOT = {"bubblewrap", "seccomp", "limits", "uid", "python", "node"}
GROUPS = {"memory", "processes", "cpu", "freezer"}


@pytest.fixture(autouse=True)
def _afresh() -> Iterator[None]:
    for cached in (seccomp.compile_filter, confinement._find_node):
        cached.cache_clear()
    yield
    for cached in (seccomp.compile_filter, confinement._find_node):
        cached.cache_clear()


def lacking() -> dict[str, str]:
    return asyncio.run(examine())


@pytest.fixture(scope="module")
def usual() -> set[str]:
    """What this machine lacks by itself."""
    return set(lacking())


def refusal(wish: str) -> str:
    """Why no bot is run where `wish` is required."""
    with pytest.raises(IsolationError) as caught:
        asyncio.run(check_required(read_required_names(wish), "bubblewrap"))
    return str(caught.value)


def test_this_machine_can_run_bots_in_python(usual: set[str]) -> None:
    """And what it lacks of control groups and users is what its rights make it lack."""
    assert not usual & {"namespaces", "bubblewrap", "seccomp", "limits", "python"}
    assert ("uid" not in usual) is is_unlimited_root()
    held = cgroup.find_control_groups().controllers
    assert usual & GROUPS == {
        name for name, which in protections._CONTROLLERS.items() if which not in held
    }


def test_without_control_groups(monkeypatch: pytest.MonkeyPatch, usual: set[str]) -> None:
    """The four that need one are missing, the rest is as it was."""
    monkeypatch.setattr(cgroup, "find_control_groups", lambda: ControlGroups(cgroup._GroupV1, {}))
    assert set(lacking()) == usual | GROUPS
    assert "memory (no control group" in refusal("memory,seccomp")
    assert "seccomp" not in refusal("memory,seccomp").partition(":")[2]


def test_with_some_controllers_only(
    monkeypatch: pytest.MonkeyPatch, usual: set[str], tmp_path: Path
) -> None:
    """Each is told for itself."""
    controllers = {Controller.MEMORY: tmp_path}
    monkeypatch.setattr(ControlGroups, "_drop_what_fails", lambda self: None)
    monkeypatch.setattr(cgroup._GroupV1, "bind", lambda *_: None)
    monkeypatch.setattr(cgroup, "_write", lambda *_: None)
    monkeypatch.setattr(
        cgroup, "find_control_groups", lambda: ControlGroups(cgroup._GroupV1, controllers)
    )
    monkeypatch.setattr(bubblewrap.BubblewrapSandbox, "_group", _no_group)
    assert set(lacking()) & GROUPS == GROUPS - {"memory"}


async def _no_group(*_: object) -> cgroup.ControlGroup:
    return cgroup._GroupV1({})


def test_a_control_group_that_takes_nobody_in_is_none(
    monkeypatch: pytest.MonkeyPatch, usual: set[str]
) -> None:
    """It is tried with a process."""

    def refused(self: object, pid: int) -> None:
        raise PermissionError(f"not {pid}")

    monkeypatch.setattr(cgroup.ControlGroup, "add", refused)
    found = lacking()
    assert set(found) >= GROUPS
    assert "a control group does not work: not " in found["cpu"]


def test_a_control_group_that_cannot_be_tried_out_is_not_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nor is what it froze before, which could not be killed: the doctor would wait for it."""
    freeze = cgroup.ControlGroup.freeze
    removed = []
    remove = cgroup.ControlGroup.remove

    def frozen_at_last(self: cgroup.ControlGroup) -> None:
        freeze(self)
        raise PermissionError("not so")

    def noted(self: cgroup.ControlGroup) -> None:
        removed.append(self)
        remove(self)

    monkeypatch.setattr(cgroup.ControlGroup, "freeze", frozen_at_last)
    monkeypatch.setattr(cgroup.ControlGroup, "remove", noted)
    assert "a control group does not work: not so" in protections._find_lacking_outside()["cpu"]
    assert len(removed) == 2  # that with which the groups are tried, and the doctor's


def test_without_the_filter_s_library(monkeypatch: pytest.MonkeyPatch, usual: set[str]) -> None:
    """No bot is run, so nothing that a bot would show is promised; what to install is said."""
    monkeypatch.setattr(seccomp, "_LIBRARY", "libno-such.so.2")
    found = lacking()
    assert set(found) == usual | NO_BOT
    assert "install libseccomp" in found["seccomp"]
    assert "libno-such.so.2" in refusal("seccomp")
    with pytest.raises(IsolationError, match="install libseccomp"):
        open_sandbox(Isolation.BUBBLEWRAP)


def test_a_filter_that_lets_calls_through_is_none(
    monkeypatch: pytest.MonkeyPatch, usual: set[str]
) -> None:
    """A bot makes a call that is denied, and is not believed to be filtered before it fails."""
    allow_all = bytes.fromhex("060000000000ff7f")
    monkeypatch.setattr(bubblewrap, "compile_filter", lambda: allow_all)
    assert set(lacking()) == usual | {"seccomp"}
    assert "a bot made a system call that is denied" in refusal("all")


def test_limits_that_are_not_set_are_missing(
    monkeypatch: pytest.MonkeyPatch, usual: set[str]
) -> None:
    """A bot looks at its own."""

    async def nothing(*_: object) -> None:
        pass

    monkeypatch.setattr(bubblewrap, "_limit", nothing)
    assert set(lacking()) == usual | {"limits"}


def test_without_a_bwrap_that_works(monkeypatch: pytest.MonkeyPatch, usual: set[str]) -> None:
    """The reason is the program's own."""
    monkeypatch.setattr(bubblewrap, "_list_candidates", lambda: iter(["/bin/false"]))
    found = lacking()
    assert set(found) == usual | NO_BOT
    assert "exit status 1" in found["bubblewrap"]


def test_without_node(monkeypatch: pytest.MonkeyPatch, usual: set[str]) -> None:
    """Bots for it cannot be run, and "all" does not ask for it, as it protects from nothing."""
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert set(lacking()) == usual | {"node"}
    assert "node" not in read_required_names("all")


def test_without_a_readable_python(monkeypatch: pytest.MonkeyPatch, usual: set[str]) -> None:
    """A Python that bots cannot have says so."""
    if Path(sys.base_prefix).resolve().is_relative_to("/usr"):
        monkeypatch.setattr(confinement, "_find_python_folder", lambda: Path("/"))
    else:
        monkeypatch.setattr(Path, "home", lambda: Path(sys.base_prefix).resolve())
    found = lacking()
    assert "python" in found
    assert "bots could read all of it" in found.get("python", "") + found.get("bubblewrap", "")


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        ("", set()),
        (" , ", set()),
        ("seccomp", {"seccomp"}),
        (" cpu ,freezer,", {"cpu", "freezer"}),
        ("all", PROTECTIONS.keys() - {"python", "node", "docker"}),
        ("all,node", PROTECTIONS.keys() - {"python", "docker"}),
    ],
)
def test_what_is_required_is_read(wish: str, expected: set[str]) -> None:
    """Names with commas between."""
    assert read_required_names(wish) == expected


def test_an_unknown_requirement_is_refused() -> None:
    """The message lists what there is, since a misspelt one would not be required."""
    with pytest.raises(InvalidInputError, match=r"among all, namespaces, .*got firewall"):
        read_required_names("seccomp,firewall")


def test_isolation_none_fulfils_no_requirement() -> None:
    """It protects from nothing."""
    with pytest.raises(IsolationError, match="isolation none protects from nothing"):
        asyncio.run(check_required(read_required_names("limits"), "none"))
    asyncio.run(check_required(read_required_names(""), "none"))
