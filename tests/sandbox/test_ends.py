"""Sandboxes: how a hostile bot ends, whose doing that is, and that nothing is left of it."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from asyncio.subprocess import Process
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mazzo_server.errors import IsolationError
from mazzo_server.sandbox import Exit, Launch, Limits, Sandbox
from support.sandboxed_runs import DAEMON, SECONDS, alive, line, run, started, write
from support.timings import measure_median

pytestmark = pytest.mark.alone


@pytest.mark.parametrize("then", ["time.sleep(600)", "time.sleep(0.3)"], ids=["killed", "ended"])
def test_nothing_is_left_behind(
    any_sandbox: Sandbox, launch: Launch, then: str, request: pytest.FixtureRequest
) -> None:
    """Killing it, any number of times, and its own end take all its descendants along."""
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    confined = any_sandbox.name != "none"
    write(launch, DAEMON.format(session="os.setsid()" if confined else "pass", then=then))
    marked = Launch(
        bundle=launch.bundle, command=("python", "bot.py", mark), socket=launch.socket, token="t"
    )

    async def main() -> Exit:
        process = await started(any_sandbox, marked)
        await line(process, "ready")
        async with asyncio.timeout(SECONDS):
            if then == "time.sleep(600)":
                while len(alive(mark)) < 3:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
                await asyncio.gather(process.kill(), process.kill())
            exit = await process.wait()
            if confined:
                assert alive(mark) == []
            # Nobody tells when the last of a process group is gone.
            while alive(mark):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            await process.kill()
            return exit

    exit = asyncio.run(main())
    assert exit == (Exit(code=None, signal=9) if "600" in then else Exit(code=0, signal=None))


@pytest.mark.parametrize("held", [False, True], ids=["started", "held"])
def test_the_platform_s_end_is_the_bot_s(
    bubblewrap: Sandbox, launch: Launch, tmp_path: Path, held: bool
) -> None:
    """A platform that is killed with SIGKILL leaves no bot behind, nor one that waits to start."""
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    write(launch, DAEMON.format(session="os.setsid()", then="time.sleep(600)"))
    platform = f"""
        import asyncio
        from pathlib import Path
        from mazzo_server.sandbox import Launch, Limits, open_sandbox
        from mazzo_server.sandbox.namespaces import bubblewrap
        from mazzo_server.settings import Isolation
        async def never(*_):
            print("ready", flush=True)
            await asyncio.sleep(600)
        async def main():
            if {held}:
                bubblewrap._limit = never
            launch = Launch(bundle=Path({str(launch.bundle)!r}),
                            command=("python", "bot.py", {mark!r}),
                            socket=Path({str(launch.socket)!r}), token="t")
            process = await open_sandbox(Isolation.BUBBLEWRAP).start(launch, Limits())
            while "ready" not in process.read_log():
                await asyncio.sleep(0.01)
            print("ready", flush=True)
            await asyncio.sleep(600)
        asyncio.run(main())
        """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(platform)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        assert alive(mark)
        process.kill()
    until = time.monotonic() + SECONDS
    while alive(mark) and time.monotonic() < until:
        time.sleep(0.01)
    assert alive(mark) == []


def test_a_sandbox_killed_from_outside_is_the_platform_s(
    bubblewrap: Sandbox, launch: Launch
) -> None:
    """Only what the bot cannot have done itself is told apart from its own doing."""
    write(launch, "import time; print('ready', flush=True); time.sleep(600)")

    async def main() -> Exit:
        process = await started(bubblewrap, launch)
        await line(process, "ready")
        process._process.kill()  # type: ignore[attr-defined]
        async with asyncio.timeout(SECONDS):
            return await process.wait()

    assert asyncio.run(main()) == Exit(code=None, signal=9, platform=True)


def test_a_sandbox_killed_before_it_reports_leaves_nothing(
    bubblewrap: Sandbox, launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process inside waits for one outside, and would do so for ever when that is gone."""
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    halfway = f"/bin/sh -c 'sleep 600; true' {mark} & kill -9 $$"
    real = asyncio.create_subprocess_exec

    async def start(*command: str, **rest: Any) -> Process:
        if "--args" in command:
            command = ("/bin/sh", "-c", halfway)
            del rest["pass_fds"]  # as the process inside closes what it reports to
        return await real(*command, **rest)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start)
    with pytest.raises(IsolationError, match="ended before it began"):
        asyncio.run(bubblewrap.start(launch, Limits()))
    until = time.monotonic() + SECONDS
    while alive(mark) and time.monotonic() < until:
        time.sleep(0.01)
    assert alive(mark) == []


KILLED = Exit(code=None, signal=9)
# Traced like this, the first process of the namespace is killed by the kernel itself, which
# protects it from all that a signal from inside could do.
TRACED = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
PTRACE_SEIZE, PTRACE_O_EXITKILL = 0x4206, 1 << 20
if libc.ptrace(PTRACE_SEIZE, 1, None, ctypes.c_void_p(PTRACE_O_EXITKILL)) != 0:
    os.kill(os.getpid(), 9)
os._exit(5)
"""


@pytest.mark.parametrize(
    ("code", "exit"),
    [
        ("import os; os.killpg(0, 9)", KILLED),
        (
            "import os; os.kill(1, 9); os.kill(os.getppid(), 9); os._exit(4)",
            Exit(code=4, signal=None),
        ),
        (
            "import os, time; os.fork() or time.sleep(60); os.kill(-1, 9); os._exit(4)",
            Exit(code=4, signal=None),
        ),
        (TRACED, KILLED),
        ("import os; os.closerange(0, 10_000); os._exit(4)", Exit(code=4, signal=None)),
        ("held = [bytearray(2**20) for _ in range(10**6)]", Exit(code=1, signal=None)),
        ("import ctypes; ctypes.string_at(0)", Exit(code=None, signal=signal.SIGSEGV)),
    ],
    ids=["group", "first process", "everybody", "by a trace", "descriptors", "memory", "segfault"],
)
def test_a_bot_that_kills_itself_in_whatever_way_did_it_itself(
    bubblewrap: Sandbox, launch: Launch, code: str, exit: Exit
) -> None:
    """So no match is played again because a bot wished it."""
    assert run(bubblewrap, launch, code)[0] == exit


def test_what_is_missing_is_not_blamed_on_the_bot(bubblewrap: Sandbox, launch: Launch) -> None:
    """A bundle or a socket that is gone is an error of the platform."""
    shutil.rmtree(launch.bundle)
    with pytest.raises(IsolationError, match="expected a bundle's folder and a socket"):
        asyncio.run(started(bubblewrap, launch))


@pytest.mark.parametrize("error", [OSError("no limits"), asyncio.CancelledError()])
def test_a_bot_that_cannot_be_limited_never_runs(
    bubblewrap: Sandbox, launch: Launch, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """An instance is held until its limits are in force, and else ended where it stands."""
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    marked = Launch(
        bundle=launch.bundle, command=("sleep", "600", mark), socket=launch.socket, token="t"
    )
    held: list[int] = []

    async def fail(*_: object) -> None:
        held.extend(alive(mark))
        raise error

    monkeypatch.setattr("mazzo_server.sandbox.namespaces.bubblewrap._limit", fail)

    async def main() -> None:
        with pytest.raises((IsolationError, asyncio.CancelledError)):
            await bubblewrap.start(marked, Limits())
        # The kernel needs a moment for what was killed without being ours to wait for.
        async with asyncio.timeout(SECONDS):
            while alive(mark):  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    asyncio.run(main())
    assert len(held) == 2


def test_no_descriptor_is_lost(any_sandbox: Sandbox, launch: Launch) -> None:
    """Starting, ending and killing give back everything that they took."""
    write(launch, "import time; time.sleep(600)")

    async def main() -> None:
        for attempt in range(4):
            process = await started(any_sandbox, launch)
            await process.kill()
            await asyncio.sleep(0)
            if attempt == 0:
                before = len(os.listdir("/proc/self/fd"))
        assert len(os.listdir("/proc/self/fd")) <= before

    asyncio.run(main())


@pytest.mark.prove
@pytest.mark.timing
def test_the_whole_tree_is_gone_within_a_second(bubblewrap: Sandbox, launch: Launch) -> None:
    """Of instances that fork, daemonise, ignore signals and spin, all at once."""
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    write(
        launch,
        """
        import os, signal, sys
        for number in range(1, 65):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        for _ in range(20):
            if os.fork() == 0:
                os.setsid()
                if os.fork():
                    os._exit(0)
                break
        else:
            print("ready", flush=True)
        while True:
            pass
        """,
    )
    marked = replace(launch, command=("python", "bot.py", mark))

    async def main() -> float:
        processes = [await started(bubblewrap, marked) for _ in range(4)]
        for process in processes:
            await line(process, "ready")
        async with asyncio.timeout(SECONDS):
            while len(alive(mark)) < 80:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        before = time.monotonic()
        await asyncio.gather(*(process.kill() for process in processes))
        took = time.monotonic() - before
        assert alive(mark) == []
        return took

    assert measure_median(lambda: asyncio.run(main())) < 1.0
