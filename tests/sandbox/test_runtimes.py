"""Sandboxes: what a bot finds of its runtime, and nothing of another's."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mazzo_server.errors import IsolationError
from mazzo_server.sandbox import Exit, Launch, Sandbox, open_sandbox
from mazzo_server.sandbox.namespaces import confinement
from mazzo_server.settings import Isolation
from support.sandboxed_runs import reported, started, write


def ended(way: Sandbox, launch: Launch) -> tuple[Exit, str]:
    async def main() -> tuple[Exit, str]:
        process = await started(way, launch)
        return await process.wait(), process.read_log()

    return asyncio.run(main())


@pytest.fixture
def node(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A Node of its own folder, as its archives are laid out; it only says where it is."""
    program = tmp_path / "node-v99" / "bin" / "node"
    program.parent.mkdir(parents=True)
    (tmp_path / "node-v99" / "include" / "node").mkdir(parents=True)
    (tmp_path / "node-v99" / "lib").mkdir()
    (tmp_path / "node-v99" / "lib" / "its-own").touch()
    program.write_text(
        f'#!/bin/sh\nif [ "$1" = -p ]; then echo {program}; else exec /bin/sh "$@"; fi\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    confinement._find_node.cache_clear()
    yield program
    confinement._find_node.cache_clear()


def test_packages_of_its_own_come_after_the_sdk(
    any_sandbox: Sandbox, launch: Launch, tmp_path: Path
) -> None:
    """A bot imports them, cannot replace the SDK by them, and cannot change them."""
    (tmp_path / "packages" / "mazzo").mkdir(parents=True)
    (tmp_path / "packages" / "mazzo" / "__init__.py").write_text("raise SystemExit('false')")
    (tmp_path / "packages" / "trump.py").write_text("suit = 'denari'")
    code = """
        import json, mazzo, sys, trump
        print(json.dumps([trump.suit, trump.__file__]))
        """
    suit, place = reported(any_sandbox, replace(launch, packages=tmp_path / "packages"), code)
    assert suit == "denari"
    if any_sandbox.name != "none":
        assert place == "/mazzo/packages/trump.py"


@pytest.mark.parametrize("runtime", ["binary", "node"])
def test_no_other_runtime_s_files_are_there(
    bubblewrap: Sandbox, launch: Launch, node: Path, runtime: str
) -> None:
    """Neither the SDK nor the Python of the platform, where a bot has no use for them."""
    python = Path(sys.base_prefix).resolve()
    own = [] if python.is_relative_to("/usr") else [str(python)]
    shell = ("sh", "-c", 'for f; do test -e "$f" && echo "$f"; done; true', "look")
    look = (*shell, "/mazzo/lib", "/mazzo/bin/python", str(node.parents[1]), *own)
    exit, log = ended(bubblewrap, replace(launch, command=look, runtime=runtime))
    assert exit == Exit(code=0, signal=None)
    assert log.split() == ([str(node.parents[1])] if runtime == "node" else [])


def test_node_is_found_where_it_really_is(bubblewrap: Sandbox, launch: Launch, node: Path) -> None:
    """With the folder that it was installed in, and under the name `node`."""
    (launch.bundle / "bot.js").write_text(f"ls {node.parents[1]}/lib; command -v node")
    exit, log = ended(bubblewrap, replace(launch, command=("node", "bot.js"), runtime="node"))
    assert exit == Exit(code=0, signal=None), log
    assert log.split() == ["its-own", "/mazzo/bin/node"]


def test_none_finds_the_node_of_the_path(launch: Launch, node: Path) -> None:
    """Which need not be among the system's own programs."""
    (launch.bundle / "bot.js").write_text("command -v node")
    none = open_sandbox(Isolation.NONE)
    exit, log = ended(none, replace(launch, command=("node", "bot.js"), runtime="node"))
    assert (exit, log.strip()) == (Exit(code=0, signal=None), str(node))
    assert ended(none, replace(launch, command=("node", "bot.js")))[1].strip() != str(node)


def test_node_by_itself_is_given_by_itself(bubblewrap: Sandbox, launch: Launch, node: Path) -> None:
    """From a folder that is not Node's alone, a bot gets the program and nothing beside it."""
    (node.parents[1] / "include" / "node").rmdir()
    (launch.bundle / "bot.js").write_text(f"ls {node.parents[1]}; command -v node")
    exit, log = ended(bubblewrap, replace(launch, command=("node", "bot.js"), runtime="node"))
    assert exit == Exit(code=0, signal=None), log
    assert log.split() == ["bin", "/mazzo/bin/node"]


def test_a_machine_without_node_refuses_bots_for_node_alone(
    bubblewrap: Sandbox, launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what to do; others are started."""
    confinement._find_node.cache_clear()
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(IsolationError, match="the program node on PATH, got none; install Node"):
        asyncio.run(started(bubblewrap, replace(launch, runtime="node")))
    write(launch, "print(1)")
    assert ended(bubblewrap, launch)[0] == Exit(code=0, signal=None)


def test_an_unknown_runtime_is_refused(bubblewrap: Sandbox, launch: Launch) -> None:
    """The message lists those that there are."""
    with pytest.raises(IsolationError, match="among python, node, binary, got 'ruby'"):
        asyncio.run(started(bubblewrap, replace(launch, runtime="ruby")))


@pytest.mark.prove
def test_a_real_node_runs(bubblewrap: Sandbox, launch: Launch) -> None:
    """The one of this machine, which must have one."""
    confinement._find_node.cache_clear()
    (launch.bundle / "bot.js").write_text(
        "console.log(JSON.stringify([process.cwd(), [1, 2].map((x) => x + 1)]))"
    )
    exit, log = ended(bubblewrap, replace(launch, command=("node", "bot.js"), runtime="node"))
    assert exit == Exit(code=0, signal=None), log
    assert json.loads(log) == ["/bot", [2, 3]]
