"""What an engine that is slow, hangs, dies or is shared must not do to platforms and bots."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import fcntl
import signal
import threading
import time
from datetime import timedelta
from pathlib import Path
from socket import AF_UNIX, socket
from typing import Any

import pytest

import docker
from mazzo_server.errors import IsolationError
from mazzo_server.sandbox import Exit, Launch, Limits, Sandbox, open_sandbox, seccomp
from mazzo_server.sandbox.capture import Capture
from mazzo_server.sandbox.cgroup import BorrowedGroup
from mazzo_server.sandbox.containers.attachment import Attachment
from mazzo_server.sandbox.containers.engine import ContainerEnd, Engine
from mazzo_server.settings import Isolation
from support.sandboxed_runs import SECONDS, line, run, started, write

KILLED = Exit(code=None, signal=signal.SIGKILL)
LOST = Exit(code=None, signal=signal.SIGKILL, platform=True)


@pytest.fixture
def patient(launch: Launch) -> Launch:
    """A bot that waits."""
    write(launch, "import time; print('ready', flush=True); time.sleep(600)")
    return launch


def test_an_engine_that_does_not_answer_starts_no_bot(tmp_path: Path) -> None:
    """Whoever waits for it is told."""
    door = str(tmp_path / "s")

    async def main() -> None:
        async with asyncio.timeout(SECONDS):
            await Attachment.open(door, "/attach", Capture(100), seconds=0.05)

    with socket(AF_UNIX) as silent:
        silent.bind(door)
        silent.listen()
        with pytest.raises(IsolationError, match="no answer in"):
            asyncio.run(main())


def test_the_exit_is_known_before_the_container_is_removed(
    sandbox: Sandbox, patient: Launch, engine: docker.DockerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow removal must not make an end from outside look like the bot's; `kill` awaits it."""
    may_remove = threading.Event()
    remove = Engine.remove

    def remove_slowly(self: Engine, container: str) -> None:
        may_remove.wait(SECONDS)
        remove(self, container)

    monkeypatch.setattr(Engine, "remove", remove_slowly)

    async def main() -> Exit:
        process = await started(sandbox, patient)
        await line(process, "ready")
        (container,) = engine.containers.list()
        await asyncio.to_thread(container.kill)
        try:
            async with asyncio.timeout(SECONDS / 2):
                return await process.wait()
        finally:
            assert len(engine.containers.list(all=True)) == 1
            may_remove.set()
            await process.kill()
            assert engine.containers.list(all=True) == []

    assert asyncio.run(main()) == LOST


def test_an_engine_that_is_slow_is_asked_once_more(
    sandbox: Sandbox, launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a bot could get a match played again by exiting while the engine is busy."""
    ended = Engine.wait_for_end
    asked = []

    def ended_late(self: Engine, container: str, *, seconds: int) -> ContainerEnd:
        asked.append(container)
        if len(asked) == 1:
            raise IsolationError("timed out")
        return ended(self, container, seconds=seconds)

    monkeypatch.setattr(Engine, "wait_for_end", ended_late)
    exit, _ = run(sandbox, launch, "raise SystemExit(7)")
    assert exit == Exit(code=7, signal=None)


def test_an_engine_that_does_not_kill_stops_nobody(
    sandbox: Sandbox, patient: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does one that does not tell the end."""

    def hang(self: Engine, container: str) -> None:
        raise IsolationError("timed out")

    monkeypatch.setattr(Engine, "kill", hang)
    monkeypatch.setattr(Attachment, "end_input", lambda _: None)

    async def main() -> Exit:
        process = await started(sandbox, patient)
        await line(process, "ready")
        async with asyncio.timeout(SECONDS):
            await process.kill()
            return await process.wait()

    assert asyncio.run(main()) == KILLED


def test_what_is_frozen_when_the_engine_goes_ends(
    sandbox: Sandbox, patient: Launch, engine: docker.DockerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is thawed without an engine, and is not frozen again."""

    def gone(*_: object, **__: object) -> None:
        raise IsolationError("gone")

    async def main() -> Exit:
        process = await started(sandbox, patient, Limits(cores=1.0))
        await line(process, "ready")
        for name in ("wait_for_end", "kill", "remove"):
            monkeypatch.setattr(Engine, name, gone)
        process.freeze()
        process._attachment.close()  # type: ignore[attr-defined]
        exit = await process.wait()
        process.freeze()
        return exit

    assert asyncio.run(main()) == LOST
    until = time.monotonic() + SECONDS / 4
    while engine.containers.list() and time.monotonic() < until:
        time.sleep(0.01)
    (container,) = engine.containers.list(all=True)
    status = container.status
    container.remove(force=True)
    assert status == "exited"


def test_an_engine_that_hangs_leaves_threads_to_others(
    sandbox: Sandbox, launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store uses those of the event loop."""
    answered = threading.Event()

    def hang(*_: object, **__: object) -> None:
        answered.wait(SECONDS)
        raise IsolationError("timed out")

    monkeypatch.setattr(Engine, "create", hang)

    async def main() -> list[object]:
        starts = [asyncio.create_task(sandbox.start(launch, Limits())) for _ in range(40)]
        await asyncio.sleep(0)
        try:
            async with asyncio.timeout(SECONDS / 2):
                await asyncio.to_thread(lambda: None)
        finally:
            answered.set()
        return list(await asyncio.gather(*starts, return_exceptions=True))

    assert {type(result) for result in asyncio.run(main())} == {IsolationError}


def left_by(engine: docker.DockerClient, owner: Path, *, state: str) -> None:
    """A container with that owner's file."""
    made = engine.containers.create(
        "mazzo-bot-python",
        entrypoint=["sleep", "600" if state == "running" else "0"],
        labels={"mazzo.owner": str(owner)},
    )
    if state != "created":
        made.start()
    if state == "exited":
        made.wait()


@pytest.mark.parametrize("state", ["created", "running", "exited"])
@pytest.mark.parametrize(
    ("held", "old", "left"),
    [
        ("held", True, False),
        ("not held", False, True),
        ("missing", False, False),
        ("missing", True, True),
    ],
)
def test_containers_of_platforms_that_are_gone_are_removed(
    engine: docker.DockerClient,
    tmp_path: Path,
    state: str,
    held: str,
    old: bool,
    left: bool,
) -> None:
    """One whose owner lives is left alone; one without a trace of it, until it is old."""
    ages = {"ended_age": timedelta(), "ownerless_age": timedelta()} if old else {}
    owner = tmp_path / "owner.lock"
    left_by(engine, owner, state=state)
    with contextlib.ExitStack() as open_now:
        if held != "missing":
            lock = open_now.enter_context(owner.open("w"))
        if held == "held":
            fcntl.flock(lock, fcntl.LOCK_EX)
        Engine.open().sweep(**ages)
    there = engine.containers.list(all=True)
    for container in there:
        container.remove(force=True)
    assert (there == []) is left
    assert owner.exists() is (held == "held")


def test_platforms_that_start_together_sweep_together(
    engine: docker.DockerClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What another one removes meanwhile stops none from starting."""
    (tmp_path / "owner.lock").touch()
    left_by(engine, tmp_path / "owner.lock", state="exited")
    group = Engine.group

    def removed_meanwhile(self: Engine, container: str) -> BorrowedGroup | None:
        engine.containers.get(container).remove()
        return group(self, container)

    monkeypatch.setattr(Engine, "group", removed_meanwhile)
    open_sandbox(Isolation.DOCKER)
    assert engine.containers.list(all=True) == []


def test_without_the_filter_s_library_nothing_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is missed at once, not when the first bot is to start."""

    def missing(name: str, **_: Any) -> ctypes.CDLL:
        raise OSError(f"{name}: no such file")

    monkeypatch.setattr(ctypes, "CDLL", missing)
    seccomp.compile_filter.cache_clear()
    try:
        with pytest.raises(IsolationError, match="install libseccomp"):
            open_sandbox(Isolation.DOCKER)
    finally:
        seccomp.compile_filter.cache_clear()


@pytest.mark.parametrize("options", [[], ["name=seccomp,profile=unconfined", "name=cgroupns"]])
def test_an_engine_that_filters_nothing_is_refused(
    monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    """Its own filter is the second of two."""
    info = docker.APIClient.info
    monkeypatch.setattr(
        docker.APIClient, "info", lambda self: info(self) | {"SecurityOptions": options}
    )
    with pytest.raises(IsolationError, match="cannot filter system calls"):
        open_sandbox(Isolation.DOCKER)
