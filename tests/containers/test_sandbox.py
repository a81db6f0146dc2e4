"""What `docker` owes beside the contract: what is seen, used up, frozen, told and left behind."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import replace
from statistics import median

import pytest
from docker.models.containers import Container

import docker
from mazzo_server.errors import IsolationError
from mazzo_server.sandbox import Exit, Launch, Limits, Sandbox, open_sandbox
from mazzo_server.sandbox.cgroup import BorrowedGroup
from mazzo_server.sandbox.containers.engine import Engine
from mazzo_server.settings import Isolation
from support.sandboxed_runs import MIB, SECONDS, alive, line, reported, run, started, write
from support.timings import measure_median

KILLED = Exit(code=None, signal=signal.SIGKILL)


def test_nothing_is_written_but_scratch(sandbox: Sandbox, launch: Launch) -> None:
    """Of all folders of the file system; and scratch is bounded, in bytes and files."""
    code = """
        import json, os
        writable = [folder for folder, _, _ in os.walk("/")
                    if not folder.startswith("/proc/") and os.access(folder, os.W_OK)]
        def fill(size):
            made = 0
            try:
                while True:
                    with open(f"/tmp/{made}", "wb", buffering=0) as file:
                        file.write(bytes(size))
                    made += 1
            except OSError as error:
                for number in range(made + 1):
                    os.path.exists(f"/tmp/{number}") and os.unlink(f"/tmp/{number}")
                return made, error.strerror
        print(json.dumps([writable, fill(1 << 20), fill(0)]))
        """
    writable, (sizes, why), (files, _) = reported(
        sandbox, launch, code, Limits(scratch_bytes=8 * MIB)
    )
    assert writable == ["/tmp"]
    assert (sizes, why) == (8, "No space left on device")
    assert files < 70_000


def test_nobody_else_is_seen(sandbox: Sandbox, launch: Launch) -> None:
    """Itself and its own first process, which it cannot enter; no rights, no network."""
    code = """
        import json, os, socket
        status = dict(line.split(":", 1) for line in open("/proc/self/status"))
        def tried(path, mode):
            try:
                with open(path, mode):
                    return "opened"
            except OSError as error:
                return type(error).__name__
        print(json.dumps([
            [name for name in os.listdir("/proc") if name.isdigit()],
            [tried("/proc/1/environ", "rb"), tried("/proc/1/mem", "r+b")],
            [os.getuid(), os.geteuid(), os.getgid(), os.getegid(), *os.getgroups()],
            [int(status[name], 16) for name in ("CapPrm", "CapEff", "CapInh", "CapAmb", "CapBnd")],
            [status["NoNewPrivs"].strip(), status["Seccomp_filters"].strip()],
            socket.gethostname(),
            [line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line],
        ]))
        """
    processes, first, ids, rights, locked, host, interfaces = reported(sandbox, launch, code)
    assert len(processes) == 2
    assert first == ["PermissionError", "PermissionError"]
    assert set(ids) == {10001}
    assert set(rights) == {0}
    assert locked == ["1", "2"]
    assert (host, interfaces) == ("bot", ["lo"])


def test_memory_is_bound_as_a_whole_and_told(sandbox: Sandbox, launch: Launch) -> None:
    """Many small processes are as bad as a large one; the kernel's verdict reaches the referee."""
    code = """
        import os
        for _ in range(4):
            os.fork()
        held = []
        while True:  # until the first of them is killed, too, whom the kernel may spare for long
            held.append(bytearray(1 << 20))
        """
    limits = Limits(memory_bytes=100 * MIB, scratch_bytes=MIB)
    exit, _ = run(sandbox, launch, code, limits)
    assert exit == replace(KILLED, out_of_memory=True)


@pytest.mark.timing
def test_cores_are_bound(sandbox: Sandbox, launch: Launch) -> None:
    """All processes of an instance share what it may use."""
    code = """
        import json, os, time
        other = os.fork()
        until = time.monotonic() + 2
        while time.monotonic() < until:
            pass
        if other:
            os.waitpid(other, 0)
            used = os.times()
            print(json.dumps(used.user + used.system + used.children_user + used.children_system))
        """

    def used() -> float:
        return float(reported(sandbox, launch, code, Limits(cores=0.25)))

    assert measure_median(used) < 2 * 0.25 * 1.6


@pytest.mark.timing
def test_what_is_frozen_does_nothing_until_it_is_thawed(sandbox: Sandbox, launch: Launch) -> None:
    """Whoever asks for it does not wait; a frozen instance is killed like any other."""
    write(launch, "import time\nwhile True: print(time.monotonic(), flush=True)")

    waits = []

    async def main() -> float:
        process = await started(sandbox, launch, Limits(cores=1.0, output_bytes=1000))
        await line(process, ".")

        async def stands_still() -> bool:
            before = process.read_log()
            await asyncio.sleep(0.05)
            return process.read_log() == before

        async with asyncio.timeout(SECONDS):
            start = time.monotonic()
            process.freeze()
            waits.append(time.monotonic() - start)
            while not await stands_still():
                pass
            process.thaw()
            while await stands_still():
                pass
            process.freeze()
            while not await stands_still():
                pass
        start = time.monotonic()
        await process.kill()
        process.thaw()
        assert await process.wait() == KILLED
        return time.monotonic() - start

    took = measure_median(lambda: asyncio.run(main()))
    assert median(waits) < 0.01
    assert took < 1  # 0.2 s where nobody else keeps the machine busy


@pytest.mark.parametrize(
    ("command", "status"), [(("sh", "-c", "exit 7"), 7), (("no-such-command",), 127)]
)
def test_a_bot_that_ends_at_once_is_no_fault_of_the_engine(
    sandbox: Sandbox,
    launch: Launch,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
    status: int,
) -> None:
    """Where it may be frozen, what can be frozen is found before it begins."""
    find = Engine.group

    def find_slowly(self: Engine, container: str) -> BorrowedGroup | None:
        time.sleep(1)
        return find(self, container)

    monkeypatch.setattr(Engine, "group", find_slowly)

    async def main() -> Exit:
        process = await started(sandbox, replace(launch, command=command), Limits(cores=1.0))
        try:
            async with asyncio.timeout(SECONDS):
                return await process.wait()
        finally:
            await process.kill()

    assert asyncio.run(main()) == Exit(code=status, signal=None)


def test_the_engine_s_users_do_not_see_the_token(
    sandbox: Sandbox, launch: Launch, engine: docker.DockerClient
) -> None:
    """Nor is it on a command line; nothing that is written is kept by the engine."""
    write(launch, "import time; print('ready', flush=True); time.sleep(600)")
    token = secrets.token_hex()

    async def main() -> tuple[str, list[int]]:
        process = await started(sandbox, replace(launch, token=token))
        await line(process, "ready")
        (container,) = engine.containers.list()
        seen = json.dumps(engine.api.inspect_container(str(container.id))), alive(token)
        await process.kill()
        return seen

    inspected, commands = asyncio.run(main())
    assert token not in inspected
    assert commands == []
    assert json.loads(inspected)["HostConfig"]["LogConfig"]["Type"] == "none"


@pytest.mark.parametrize(
    "end",
    [
        lambda container: container.kill(),
        lambda container: container.stop(timeout=0),
        lambda container: container.remove(force=True),
        lambda container: os.kill(container.attrs["State"]["Pid"], signal.SIGKILL),
    ],
    ids=["kill", "stop", "remove", "by the host"],
)
def test_a_container_ended_from_outside_is_the_platform_s(
    sandbox: Sandbox,
    launch: Launch,
    engine: docker.DockerClient,
    end: Callable[[Container], None],
) -> None:
    """Only what the bot cannot have done itself is told apart from its own doing."""
    write(launch, "import time; print('ready', flush=True); time.sleep(600)")

    async def main() -> Exit:
        process = await started(sandbox, launch)
        await line(process, "ready")
        (container,) = engine.containers.list()
        await asyncio.to_thread(end, container)
        async with asyncio.timeout(SECONDS):
            return await process.wait()

    assert asyncio.run(main()) == replace(KILLED, platform=True)


@pytest.mark.parametrize("status", [0, 1, 128, 137, 193, 194, 255])
def test_no_status_makes_it_the_platform_s(sandbox: Sandbox, launch: Launch, status: int) -> None:
    """A bot cannot buy a match that is played again by exiting as its first process would."""
    exit, _ = run(sandbox, launch, f"import os; os._exit({status})")
    assert not exit.platform
    assert exit == (KILLED if status in (137, 193) else Exit(code=status, signal=None))


PLATFORM = """
    import asyncio, sys
    from pathlib import Path
    from mazzo_server.sandbox import Launch, Limits, open_sandbox
    from mazzo_server.settings import Isolation
    async def main():
        launch = Launch(bundle=Path(sys.argv[1]), command=("python", "bot.py", sys.argv[3]),
                        socket=Path(sys.argv[2]), token="t")
        process = await open_sandbox(Isolation.DOCKER).start(launch, Limits(cores=1.0))
        while "ready" not in process.read_log():
            await asyncio.sleep(0.01)
        if sys.argv[4] == "frozen":
            process.freeze()
        print("ready", flush=True)
        await asyncio.sleep(600)
    asyncio.run(main())
    """


@pytest.mark.parametrize("state", ["running", "frozen"])
def test_a_killed_platform_leaves_nothing_to_the_next(
    sandbox: Sandbox, launch: Launch, engine: docker.DockerClient, state: str
) -> None:
    """The bot ends, whatever it ignores; what is frozen or dead goes at the next start."""
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    write(
        launch,
        """
        import os, signal, time
        for number in (1, 2, 13, 15):
            signal.signal(number, signal.SIG_IGN)
        if os.fork() == 0:
            os.setsid()
        print("ready", flush=True)
        while True:
            time.sleep(600)
        """,
    )

    async def of_another() -> None:
        process = await started(sandbox, launch)
        await line(process, "ready")
        platform = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-c", textwrap.dedent(PLATFORM)),
            *(str(launch.bundle), str(launch.socket), mark, state),
            stdout=asyncio.subprocess.PIPE,
        )
        assert platform.stdout is not None
        assert await platform.stdout.readline() == b"ready\n"
        assert len(alive(mark)) >= 3
        platform.kill()
        await platform.wait()
        async with asyncio.timeout(SECONDS):
            while state == "running" and alive(mark) and await asyncio.sleep(0.01, True):
                pass
        assert len(engine.containers.list(all=True)) == 2
        open_sandbox(Isolation.DOCKER)
        # That of a platform that lives is left alone.
        (mine,) = engine.containers.list(all=True)
        assert mine.status == "running"
        assert process.read_log().count("ready") == 2
        await process.kill()
        assert alive(mark) == []

    asyncio.run(of_another())


def test_bots_in_javascript_run(sandbox: Sandbox, launch: Launch) -> None:
    """In an image of their own, as which they see no Python."""
    (launch.bundle / "bot.js").write_text(
        "const fs = require('fs');"
        "console.log(JSON.stringify([process.cwd(), fs.existsSync('/mazzo/lib')]));"
    )

    async def main() -> str:
        javascript = replace(launch, command=("node", "bot.js"), runtime="node")
        process = await started(sandbox, javascript)
        await process.wait()
        return process.read_log()

    assert json.loads(asyncio.run(main())) == ["/bot", False]


@pytest.mark.parametrize("runtime", ["python", "node"])
def test_a_missing_image_is_told_with_how_to_build_it(
    launch: Launch, monkeypatch: pytest.MonkeyPatch, runtime: str
) -> None:
    """At the start, or, where not everybody needs it, when a bot does."""
    monkeypatch.setenv(f"MAZZO_DOCKER_{runtime.upper()}_IMAGE", "my-own:7")
    told = f"docker build -f docker/bot-{runtime}.Dockerfile -t my-own:7"
    with pytest.raises(IsolationError, match=told):
        asyncio.run(
            open_sandbox(Isolation.DOCKER).start(replace(launch, runtime=runtime), Limits())
        )


def test_an_image_without_the_first_process_is_the_platform_s_fault(
    launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of it is left, and no bot is blamed."""
    monkeypatch.setenv("MAZZO_DOCKER_PYTHON_IMAGE", "mazzo-base-python")
    with pytest.raises(IsolationError, match=r"does not start the container.*mazzo/init"):
        asyncio.run(open_sandbox(Isolation.DOCKER).start(launch, Limits()))


@pytest.mark.timing
def test_fifty_instances_start_in_time(sandbox: Sandbox, launch: Launch) -> None:
    """All at once, and all are gone together."""
    write(launch, "import time; print('ready', flush=True); time.sleep(600)")

    async def main() -> float:
        start = time.monotonic()
        processes = await asyncio.gather(*(started(sandbox, launch) for _ in range(50)))
        await asyncio.gather(*(line(process, "ready") for process in processes))
        took = time.monotonic() - start
        await asyncio.gather(*(process.kill() for process in processes))
        return took

    assert measure_median(lambda: asyncio.run(main())) < 30
