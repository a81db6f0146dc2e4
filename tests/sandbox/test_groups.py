"""Sandboxes and control groups: what binds an instance as a whole, and whose end it was."""

from __future__ import annotations

import asyncio
import errno
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from mazzo_server.errors import IsolationError
from mazzo_server.sandbox import Exit, Launch, Limits, Sandbox, cgroup, open_sandbox
from mazzo_server.sandbox.cgroup import ControlGroup, ControlGroups, Controller, OutOfMemory
from mazzo_server.settings import Isolation
from support.sandboxed_runs import MIB, SECONDS, alive, line, reported, run, started, write
from support.timings import measure_median

pytestmark = pytest.mark.alone

KILLED = Exit(code=None, signal=9)
ROOT = Path("/sys/fs/cgroup")


@pytest.fixture
def groupless(monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """As on a machine on which nobody may make a control group."""
    monkeypatch.setattr(cgroup, "find_control_groups", lambda: ControlGroups(cgroup._GroupV1, {}))
    return open_sandbox(Isolation.BUBBLEWRAP)


def test_cores_are_refused_where_they_cannot_be_bound(groupless: Sandbox, launch: Launch) -> None:
    """A limit that was asked for is never left out in silence; without it bots run."""
    with pytest.raises(IsolationError, match=r"control group for cpu and a freezer.*--cpu shared"):
        asyncio.run(started(groupless, launch, Limits(cores=1.0)))
    assert run(groupless, launch, "print(1)")[0] == Exit(code=0, signal=None)


def test_isolation_none_refuses_cores(launch: Launch) -> None:
    """It binds nothing."""
    with pytest.raises(IsolationError, match="cannot bind processor time"):
        asyncio.run(started(open_sandbox(Isolation.NONE), launch, Limits(cores=1.0)))


def test_a_group_that_takes_nobody_in_starts_no_bot(
    bubblewrap: Sandbox, launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No bot runs without the limits of the machine, and none is left."""

    def refused(self: ControlGroup, pid: int) -> None:
        raise PermissionError("full")

    original, removed = ControlGroup.remove, []

    def remove(self: ControlGroup) -> None:
        removed.append(self)
        original(self)

    monkeypatch.setattr(ControlGroup, "add", refused)
    monkeypatch.setattr(ControlGroup, "remove", remove)
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    marked = Launch(
        bundle=launch.bundle, command=("sleep", "600", mark), socket=launch.socket, token="t"
    )

    async def main() -> None:
        with pytest.raises(IsolationError, match="could not set the bot up: full"):
            await started(bubblewrap, marked)
        async with asyncio.timeout(SECONDS):
            while alive(mark):  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    asyncio.run(main())
    assert len(removed) == 1


def test_a_start_that_is_cancelled_leaves_no_group(
    bubblewrap: Sandbox, launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cancelled while a thread makes the group; it is removed without blocking the loop."""
    making, go_on = threading.Event(), threading.Event()
    original, made, removed = ControlGroups.make, [], []
    original_remove = ControlGroup.remove

    def make(self: ControlGroups, limits: Limits) -> ControlGroup:
        making.set()
        go_on.wait(SECONDS)
        made.append(original(self, limits))
        return made[-1]

    def remove(self: ControlGroup) -> None:
        removed.append((self, threading.current_thread() is threading.main_thread()))
        original_remove(self)

    monkeypatch.setattr(ControlGroups, "make", make)
    monkeypatch.setattr(ControlGroup, "remove", remove)

    async def main() -> None:
        start = asyncio.create_task(bubblewrap.start(launch, Limits()))
        await asyncio.to_thread(making.wait, SECONDS)
        start.cancel()
        await asyncio.sleep(0)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await start

    asyncio.run(main())
    assert removed == [(made[0], False)]


def test_a_bwrap_that_hangs_is_given_up(
    bubblewrap: Sandbox, launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing else would end the wait for its first report."""
    monkeypatch.setattr("mazzo_server.sandbox.namespaces.bubblewrap._REPORT_SECONDS", 0.1)
    monkeypatch.setattr(bubblewrap, "_make_command", lambda *_: ["sleep", "600"])
    with pytest.raises(IsolationError, match=r"it had not begun after 0\.1 s"):
        asyncio.run(started(bubblewrap, launch))


@pytest.mark.parametrize("fails", ["thaw", "explain_out_of_memory"])
def test_a_group_that_cannot_be_written_to_or_read_keeps_nobody_alive(
    bubblewrap: Sandbox, launch: Launch, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    """Its process is killed, its end is told, and its group is removed."""

    def fail(self: ControlGroup) -> None:
        raise OSError(errno.EMFILE, "too many open files")

    original, removed = ControlGroup.remove, []

    def remove(self: ControlGroup) -> None:
        removed.append(self)
        original(self)

    for kind in (ControlGroup, cgroup._GroupV1, cgroup._GroupV2):
        monkeypatch.setattr(kind, fails, fail)
    monkeypatch.setattr(ControlGroup, "remove", remove)
    write(launch, "import time; print('ready', flush=True); time.sleep(600)")

    async def main() -> Exit:
        process = await started(bubblewrap, launch)
        await line(process, "ready")
        async with asyncio.timeout(SECONDS):
            await process.kill()
            return await process.wait()

    assert asyncio.run(main()) == KILLED
    assert len(removed) == 1


@pytest.mark.parametrize(
    ("code", "why", "expected"),
    [
        ("import os; os.kill(os.getpid(), 9)", None, KILLED),
        (
            "import os; os.kill(os.getpid(), 9)",
            OutOfMemory.LIMIT,
            Exit(code=None, signal=9, out_of_memory=True),
        ),
        (
            "import os; os.kill(os.getpid(), 9)",
            OutOfMemory.MACHINE,
            Exit(code=None, signal=9, out_of_memory=True, platform=True),
        ),
        ("raise SystemExit(1)", OutOfMemory.MACHINE, Exit(code=1, signal=None)),
        ("import os; os.abort()", OutOfMemory.MACHINE, Exit(code=None, signal=6)),
    ],
)
def test_the_machine_s_memory_is_the_platform_s(
    bubblewrap: Sandbox,
    launch: Launch,
    monkeypatch: pytest.MonkeyPatch,
    code: str,
    why: OutOfMemory | None,
    expected: Exit,
) -> None:
    """Its own limit is the bot's; and an end that was not the kernel's is the bot's too."""
    for kind in (cgroup._GroupV1, cgroup._GroupV2):
        monkeypatch.setattr(kind, "explain_out_of_memory", lambda self: why)
    assert run(bubblewrap, launch, code)[0] == expected


# Over the kernel's own groups


@pytest.fixture
def grouped() -> Any:
    """A sandbox whose groups can do everything."""
    way: Any = open_sandbox(Isolation.BUBBLEWRAP)
    assert way._groups.controllers == set(Controller), "these tests need writable control groups"
    return way


def folders() -> set[Path]:
    return {path for path in ROOT.rglob("mazzo-*/*") if path.is_dir()}


@pytest.mark.prove
def test_it_is_in_its_groups_from_the_first_instruction(grouped: Any, launch: Launch) -> None:
    """With all that it starts; nothing of its groups is left when it is over."""
    before = folders()
    write(launch, "import os, time; os.fork(); print('ready', flush=True); time.sleep(600)")

    async def main() -> list[int]:
        process = await started(grouped, launch)
        try:
            await line(process, "ready")
            own = folders() - before
            return [len((group / "cgroup.procs").read_text().split()) for group in own]
        finally:
            await process.kill()

    members = asyncio.run(main())
    assert members
    assert set(members) == {3}  # the first process inside, the bot and its child
    assert folders() <= before


@pytest.mark.prove
def test_memory_of_all_processes_together_is_bound(grouped: Any, launch: Launch) -> None:
    """Each within its own limit, and memory that no process owns: the kernel ends the bot."""
    code = """
        import mmap
        held = []
        for _ in range(20):
            shared = mmap.mmap(-1, 10 << 20)
            shared.write(bytes(10 << 20))
            held.append(shared)
        """
    limits = Limits(memory_bytes=100 * MIB, scratch_bytes=20 * MIB)
    exit, _ = run(grouped, launch, code, limits)
    assert exit == Exit(code=None, signal=9, out_of_memory=True)
    assert "it ran out of memory" in exit.describe()
    assert run(grouped, launch, code, Limits())[0] == Exit(code=0, signal=None)


@pytest.mark.prove
@pytest.mark.timing
def test_processor_time_is_bound(grouped: Any, launch: Launch) -> None:
    """In all, however many processes spin."""
    write(
        launch,
        """
        import os
        for _ in range(3):
            os.fork()
        print("spins", flush=True)
        while True:
            pass
        """,
    )

    async def main() -> float:
        process: Any = await started(grouped, launch, Limits(cores=0.3))
        try:
            await line(process, "spins")
            began, before = time.monotonic(), process._group.read_cpu_seconds()
            await asyncio.sleep(1)
            used: float = (process._group.read_cpu_seconds() - before) / (time.monotonic() - began)
            return used
        finally:
            await process.kill()

    assert 0.0 < measure_median(lambda: asyncio.run(main())) < 0.4


@pytest.mark.prove
@pytest.mark.timing
def test_a_frozen_bot_stands_still_and_dies_at_once(grouped: Any, launch: Launch) -> None:
    """It goes on where it stood; killed as it stands, it is gone within a second."""
    write(
        launch,
        """
        import itertools, time
        for number in itertools.count():
            print(number, flush=True)
            time.sleep(0.01)
        """,
    )

    async def main() -> float:
        process = await started(grouped, launch, Limits(cores=1.0))
        await line(process, "3")
        process.freeze()
        await asyncio.sleep(0.1)  # what it wrote before arrives
        stood = process.read_log()
        await asyncio.sleep(0.3)
        assert process.read_log() == stood
        process.thaw()
        await line(process, str(int(stood.split()[-1]) + 3))
        process.freeze()
        before = time.monotonic()
        await process.kill()
        took = time.monotonic() - before
        assert await process.wait() == KILLED
        process.freeze()
        process.thaw()
        return took

    assert measure_median(lambda: asyncio.run(main())) < 1.0


@pytest.mark.prove
def test_a_fork_bomb_is_bound_by_the_group_too(
    grouped: Any, launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the limit of the user would not hold."""

    async def nothing(*_: object) -> None:
        pass

    monkeypatch.setattr("mazzo_server.sandbox.namespaces.bubblewrap._limit", nothing)
    code = """
        import json, os, time
        made = 0
        try:
            while made < 200:
                if os.fork() == 0:
                    time.sleep(600)
                made += 1
        except OSError:
            pass
        print(json.dumps(made))
        """
    assert reported(grouped, launch, code, Limits(processes=20)) == 18  # and two of ours
