"""Sandboxes: what a hostile bot sees, reaches and uses up, and how it ends."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mazzo_server
from mazzo_server import sandbox
from mazzo_server.errors import InvalidInputError, IsolationError
from mazzo_server.sandbox import Exit, Launch, Limits, Sandbox, SandboxedProcess, open_sandbox

SECONDS = 60.0  # no wait in these tests is longer, even on a busy machine
MIB = 1024 * 1024


@pytest.fixture(scope="module")
def bubblewrap() -> Sandbox:
    try:
        return open_sandbox("bubblewrap")
    except IsolationError as error:
        pytest.skip(str(error))


@pytest.fixture(params=["bubblewrap", "none"])
def any_sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return (
        open_sandbox("none") if request.param == "none" else request.getfixturevalue("bubblewrap")
    )


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(tmp_path / "s"))
        made.listen()
        made.settimeout(SECONDS)
        yield made


@pytest.fixture
def launch(tmp_path: Path, listener: socket.socket) -> Launch:
    (tmp_path / "bundle").mkdir()
    return Launch(
        bundle=tmp_path / "bundle",
        command=("python", "bot.py"),
        socket=Path(listener.getsockname()),
        token="the-token",
    )


def write(launch: Launch, code: str) -> None:
    (launch.bundle / "bot.py").write_text(textwrap.dedent(code))


async def started(way: Sandbox, launch: Launch, limits: Limits | None = None) -> SandboxedProcess:
    async with asyncio.timeout(SECONDS):
        return await way.start(launch, limits or Limits())


def run(
    way: Sandbox, launch: Launch, code: str, limits: Limits | None = None
) -> tuple[Exit, SandboxedProcess]:
    """Run a bot to its end."""

    async def main() -> tuple[Exit, SandboxedProcess]:
        process = await started(way, launch, limits)
        try:
            async with asyncio.timeout(SECONDS):
                return await process.wait(), process
        finally:
            await process.kill()

    write(launch, code)
    return asyncio.run(main())


def reported(way: Sandbox, launch: Launch, code: str, limits: Limits | None = None) -> Any:
    """What a bot that ends well prints last, as JSON."""
    exit, process = run(way, launch, code, limits)
    assert exit == Exit(code=0, signal=None), process.log
    return json.loads(process.log.splitlines()[-1])


async def line(process: SandboxedProcess, text: str) -> str:
    """Wait for a line of the log that holds `text`."""
    async with asyncio.timeout(SECONDS):
        while True:
            for found in process.log.splitlines(True):
                if text in found and found.endswith("\n"):
                    return found.strip()
            await asyncio.sleep(0.01)


def alive(mark: str) -> list[int]:
    """The processes of this machine with `mark` in their command line."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if mark.encode() in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue
    return found


def test_the_door() -> None:
    """The package's names are what its users may rely on."""
    assert sandbox.__all__ == sorted(sandbox.__all__)
    assert all(hasattr(sandbox, name) for name in sandbox.__all__)


def test_an_unknown_way_is_refused() -> None:
    """The message lists the ways that there are."""
    with pytest.raises(InvalidInputError, match="among bubblewrap, none, got 'chroot'"):
        open_sandbox("chroot")


@pytest.fixture
def world_readable() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_a_machine_that_cannot_isolate_says_so(
    monkeypatch: pytest.MonkeyPatch, world_readable: Path
) -> None:
    """A bwrap that does not work is found out at once, with what to do."""
    broken = world_readable / "bwrap"
    broken.write_text("#!/bin/sh\necho no namespaces today >&2\nexit 1\n")
    broken.chmod(0o755)
    module = sys.modules["mazzo_server.sandbox.bubblewrap"]
    monkeypatch.setattr(module, "_candidates", lambda: iter([str(broken)]))
    with pytest.raises(IsolationError, match=r"(?s)no namespaces today.*--isolation none"):
        open_sandbox("bubblewrap")


@pytest.mark.parametrize(
    ("exit", "words"),
    [
        (Exit(code=1, signal=None), "exited with status 1"),
        (Exit(code=None, signal=9), "was killed by signal 9 (SIGKILL)"),
        (Exit(code=None, signal=40), "was killed by signal 40"),
        (Exit(code=None, signal=9, platform=True), "lost its sandbox, which was killed by sig"),
    ],
)
def test_an_exit_is_described(exit: Exit, words: str) -> None:
    """The words follow a bot's name."""
    assert exit.describe().startswith(words)


def test_the_token_is_in_no_repr(launch: Launch) -> None:
    """Secrets never show in logs."""
    assert "the-token" not in repr(launch)


# What every way of running bots owes


def test_a_bot_gets_its_environment_and_nothing_else(
    any_sandbox: Sandbox, launch: Launch, listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten variables, the bundle as working directory, the SDK, and a way to the platform."""
    monkeypatch.setenv("HOST_SECRET", "hush")
    code = """
        import json, os, socket
        import google.protobuf, grpc, grpc.aio, mazzo
        from google.protobuf.internal import api_implementation
        with socket.socket(socket.AF_UNIX) as door:
            door.connect(os.environ["MAZZO_ADDRESS"].removeprefix("unix:"))
            door.send(os.environ["MAZZO_TOKEN"].encode())
        open(os.environ["TMPDIR"] + "/mine", "w").close()
        print(json.dumps([dict(os.environ), os.listdir(), api_implementation.Type()]))
        """
    environment, files, protobuf = reported(any_sandbox, launch, code)
    environment.pop("LC_CTYPE", None)
    assert sorted(environment) == [
        "HOME", "LANG", "MAZZO_ADDRESS", "MAZZO_TOKEN", "OPENBLAS_NUM_THREADS", "PATH",
        "PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONUNBUFFERED", "TMPDIR",
    ]  # fmt: skip
    assert environment["LANG"] == "C.UTF-8"
    assert files == ["bot.py"]
    assert protobuf == "upb"
    with listener.accept()[0] as connection:
        assert connection.recv(100) == b"the-token"


def test_a_bot_finds_numpy(any_sandbox: Sandbox, launch: Launch) -> None:
    """It computes, compiled parts and the libraries beside them and all."""
    code = "import numpy; print(round(float(numpy.linalg.det(numpy.eye(3) * 2))))"
    assert reported(any_sandbox, launch, code) == 8


def test_a_bot_finds_its_own_packages_after_the_sdk(launch: Launch, tmp_path: Path) -> None:
    """What it brings is there, and hides nothing that the platform promises."""
    packages = tmp_path / "packages"
    (packages / "mazzo").mkdir(parents=True)
    (packages / "mazzo" / "__init__.py").write_text("raise ImportError")
    (packages / "extra.py").write_text("WORD = 'found'")
    code = "import json, mazzo, extra; print(json.dumps(extra.WORD))"
    assert reported(open_sandbox("none"), replace(launch, packages=packages), code) == "found"


@pytest.mark.parametrize(
    ("code", "exit"),
    [
        ("raise SystemExit(3)", Exit(code=3, signal=None)),
        ("import os; os.abort()", Exit(code=None, signal=signal.SIGABRT)),
        ("import os; os.kill(os.getpid(), 9)", Exit(code=None, signal=signal.SIGKILL)),
    ],
)
def test_how_it_ended_is_known(any_sandbox: Sandbox, launch: Launch, code: str, exit: Exit) -> None:
    """Status and signal come through whatever stands in between."""
    assert run(any_sandbox, launch, code)[0] == exit


def test_a_command_that_is_not_there_is_the_bot_s_fault(
    any_sandbox: Sandbox, launch: Launch
) -> None:
    """It starts, and ends at once with a log that says why."""

    async def main() -> tuple[Exit, str]:
        missing = Launch(
            bundle=launch.bundle, command=("no-such",), socket=launch.socket, token="t"
        )
        process = await started(any_sandbox, missing)
        return await process.wait(), process.log

    exit, log = asyncio.run(main())
    assert exit == Exit(code=127, signal=None)
    assert "no-such" in log


def test_a_flood_of_output_neither_blocks_nor_piles_up(
    any_sandbox: Sandbox, launch: Launch
) -> None:
    """Everything is read, and only the end is kept, of both streams."""
    code = """
        import os, sys
        for number in range(1000):
            os.write(1 + number % 2, b"x" * 65536)
        os.write(2, b"\\xff the end")
        """
    exit, process = run(any_sandbox, launch, code, Limits(output_bytes=1000))
    assert exit.code == 0
    assert len(process.log) == 1000
    assert process.log.endswith("x\ufffd the end")
    assert len(process._output._tail) <= 2 * 1000 + 2 * 256 * 1024  # type: ignore[attr-defined]


DAEMON = """
    import os, subprocess, sys, time
    mark = sys.argv[1]
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", mark])
    if os.fork() == 0:
        {session}
        if os.fork() == 0:
            os.execv(sys.executable, ["python", "-c", "import time; time.sleep(600)", mark])
        os._exit(0)
    print("ready", flush=True)
    {then}
    """


@pytest.mark.parametrize("then", ["time.sleep(600)", "time.sleep(0.3)"], ids=["killed", "ended"])
def test_nothing_is_left_behind(
    any_sandbox: Sandbox, launch: Launch, then: str, request: pytest.FixtureRequest
) -> None:
    """Killing it, any number of times, and its own end take all its descendants along."""
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    confined = any_sandbox.name == "bubblewrap"
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


def test_none_empties_its_scratch_folder(launch: Launch) -> None:
    """What an instance wrote is wiped with it."""
    code = """
        import json, os
        open(os.environ["TMPDIR"] + "/left", "w").close()
        print(json.dumps(os.environ["TMPDIR"]))
        """
    assert not Path(reported(open_sandbox("none"), launch, code)).exists()


# What bubblewrap owes


def test_no_way_out_but_the_socket(bubblewrap: Sandbox, launch: Launch) -> None:
    """No interface but its own loopback, no host's port, no host's abstract socket."""
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        name = f"\0mazzo-test-{os.getpid()}"
        abstract.bind(name)
        abstract.listen()
        code = f"""
            import json, os, socket
            def reach(family, address):
                try:
                    with socket.socket(family) as way:
                        way.settimeout(5)
                        way.connect(address)
                    return "reached"
                except OSError as error:
                    return type(error).__name__
            print(json.dumps([
                [name for _, name in socket.if_nameindex()],
                reach(socket.AF_INET, {server.getsockname()!r}),
                reach(socket.AF_INET, ("1.1.1.1", 53)),
                reach(socket.AF_UNIX, {name!r}),
                sorted(os.listdir("/run")),
            ]))
            """
        # The same code outside reaches them, or this test would say nothing.
        for way, expected in ((open_sandbox("none"), "reached"), (bubblewrap, "Refused")):
            interfaces, loopback, world, hidden, doors = reported(way, launch, code)
            assert expected in loopback
            assert expected in hidden
    assert interfaces == ["lo"]
    assert world != "reached"
    assert doors == ["mazzo.sock"]


def test_nobody_else_is_seen(bubblewrap: Sandbox, launch: Launch) -> None:
    """Its own first process and itself, of which it learns no host's secret; nobody's rights."""
    code = """
        import json, os, socket
        status = dict(line.split(":", 1) for line in open("/proc/self/status"))
        def text(path):
            try:
                return open(path).read()
            except OSError:
                return ""
        print(json.dumps([
            [name for name in os.listdir("/proc") if name.isdigit()],
            text("/proc/1/environ"), text("/proc/1/cmdline"),
            [os.getuid(), os.geteuid(), os.getgid(), os.getegid(), os.getgroups()],
            [int(status[name], 16) for name in ("CapPrm", "CapEff", "CapInh", "CapAmb")],
            status["NoNewPrivs"].strip(), socket.gethostname(),
            os.system("unshare --user true 2>/dev/null"),
            sorted(os.readlink(f"/proc/self/fd/{fd}").split(":")[0]
                   for fd in os.listdir("/proc/self/fd")
                   if os.path.lexists(f"/proc/self/fd/{fd}")),
        ]))
        """
    processes, environ, cmdline, ids, rights, locked, host, nested, open_files = reported(
        bubblewrap, launch, code
    )
    assert set(processes) == {"1", "2"}
    assert environ == ""
    assert "the-token" not in cmdline
    assert str(launch.bundle) not in cmdline
    bot = ids[0]
    assert bot == 65534 if os.geteuid() else 61184 <= bot < 65520
    assert ids[:4] == [bot] * 4
    assert set(ids[4]) <= {bot, 65534}
    assert rights == [0, 0, 0, 0]
    assert (locked, host) == ("1", "bot")
    assert nested != 0
    # As root, bwrap leaves the bot a descriptor of the bot's own user namespace.
    assert set(open_files) <= {"/dev/null", "pipe", "user"}


def test_no_file_of_the_platform_is_read(
    bubblewrap: Sandbox, launch: Launch, tmp_path: Path
) -> None:
    """Not a secret beside the bundle, not the store's folder, not the server, no home."""
    (tmp_path / "secret").write_text("hush")
    package = Path(str(mazzo_server.__file__)).parent
    paths = {
        "secret": tmp_path / "secret",
        "store": tmp_path,
        "bundle by its own path": launch.bundle,
        "socket by its own path": launch.socket,
        "server": package / "__init__.py",
        "project": package.parent.parent / "pyproject.toml",
        "passwords": Path("/etc/passwd"),
        "variables": Path(f"/proc/{os.getpid()}/environ"),
    }
    code = f"""
        import importlib.util, json, os
        paths = { ({name: str(path) for name, path in paths.items()})!r}
        home = {str(Path.home())!r}
        print(json.dumps([
            [name for name, path in paths.items() if os.path.exists(path)],
            importlib.util.find_spec("mazzo_server") is not None,
            sorted(os.listdir(home)) if os.path.exists(home) else [],
            *(sorted(os.listdir(folder)) if os.path.exists(folder) else []
              for folder in ("/", "/etc", "/mazzo/lib", "/mazzo/lib/google")),
        ]))
        """
    assert reported(open_sandbox("none"), launch, code)[0] == list(paths)
    found, server, home, root, etc, packages, google = reported(bubblewrap, launch, code)
    assert found == []
    assert not server
    python = Path(sys.base_prefix).resolve()
    if python.is_relative_to(Path.home()):
        assert home == [python.relative_to(Path.home()).parts[0]]
        assert python.parts[1] in root
        root.remove(python.parts[1])
    else:
        assert home == []
    allowed = "bin bot dev etc home lib lib32 lib64 libx32 mazzo opt proc run sbin tmp usr"
    assert set(root) <= set(allowed.split())
    assert set(etc) <= {"ld.so.cache"}
    assert packages == ["google", "grpc", "mazzo", "typing_extensions.py"]
    assert google == ["_upb", "protobuf"]


def test_nothing_is_written_but_scratch(bubblewrap: Sandbox, launch: Launch) -> None:
    """`/tmp` alone can be written to, no more than the limit, and it starts empty."""
    code = """
        import json, os
        before = os.listdir("/tmp")
        written = []
        for folder, folders, _ in os.walk("/"):
            if folder == "/proc" or folder.count("/") > 4:
                folders.clear()
                continue
            try:
                open(folder + "/trial", "x").close()
                written.append(folder)
            except OSError:
                pass
        limit = "/proc/sys/user/max_user_namespaces"
        for file in ("/bot/bot.py", "/proc/sys/kernel/hostname", limit):
            try:
                open(file, "r+").close()
                written.append(file)
            except OSError:
                pass
        total = 0
        try:
            for number in range(100):
                with open(f"/tmp/{number}", "wb", buffering=0) as file:
                    for _ in range(8):
                        total += file.write(bytes(1 << 17))
        except OSError as error:
            print(error)
        print(json.dumps([before, written, total]))
        """
    for _ in range(2):
        before, written, total = reported(bubblewrap, launch, code, Limits(scratch_bytes=4 * MIB))
        assert before == []
        assert written == ["/tmp"]
        assert 3 * MIB < total <= 4 * MIB
    assert sorted(path.name for path in launch.bundle.iterdir()) == ["bot.py"]


def test_limits_hold_from_the_first_instruction(bubblewrap: Sandbox, launch: Launch) -> None:
    """Memory, files, their number and size: each bound, each hard."""
    code = """
        import json, os, resource
        limits = [resource.getrlimit(getattr(resource, "RLIMIT_" + name))
                  for name in ("DATA", "NPROC", "NOFILE", "FSIZE", "CORE")]
        def fails(action):
            try:
                action()
            except (MemoryError, OSError) as error:
                return type(error).__name__
        def hoard():
            files = [open("/dev/null") for _ in range(100)]
        def grow():
            with open("/tmp/big", "wb", buffering=0) as file:
                for _ in range(10):
                    file.write(bytes(1 << 18))
        import signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        print(json.dumps([limits, fails(lambda: bytearray(200 << 20)), fails(hoard), fails(grow)]))
        """
    limits = Limits(memory_bytes=100 * MIB, processes=20, open_files=50, file_bytes=MIB)
    found, memory, files, size = reported(bubblewrap, launch, code, limits)
    assert found == [[n, n] for n in (100 * MIB, 20, 50, MIB, 0)]
    assert (memory, files, size) == ("MemoryError", "OSError", "OSError")


def test_forks_are_bounded_for_each_instance(bubblewrap: Sandbox, launch: Launch) -> None:
    """Also where the platform is root; one instance's processes do not count for another."""
    write(
        launch,
        """
        import os, time
        made = 0
        try:
            for _ in range(200):
                if os.fork() == 0:
                    time.sleep(600)
                made += 1
        except OSError:
            pass
        print("made", made, flush=True)
        time.sleep(600)
        """,
    )

    async def main() -> list[str]:
        limits = Limits(processes=30)
        both = [await started(bubblewrap, launch, limits) for _ in range(2)]
        try:
            return [await line(process, "made") for process in both]
        finally:
            for process in both:
                await process.kill()

    # The others of the 30 are the bot itself, its first process and, as root, bwrap outside.
    assert set(asyncio.run(main())) <= {"made 27", "made 28"}


def test_the_platform_s_end_is_the_bot_s(
    bubblewrap: Sandbox, launch: Launch, tmp_path: Path
) -> None:
    """A platform that is killed with SIGKILL leaves no bot behind."""
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    write(launch, DAEMON.format(session="os.setsid()", then="time.sleep(600)"))
    platform = f"""
        import asyncio
        from pathlib import Path
        from mazzo_server.sandbox import Launch, Limits, open_sandbox
        async def main():
            launch = Launch(bundle=Path({str(launch.bundle)!r}),
                            command=("python", "bot.py", {mark!r}),
                            socket=Path({str(launch.socket)!r}), token="t")
            process = await open_sandbox("bubblewrap").start(launch, Limits())
            while "ready" not in process.log:
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

    monkeypatch.setattr("mazzo_server.sandbox.bubblewrap._limit", fail)

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
