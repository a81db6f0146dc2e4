"""Sandboxes: what a hostile bot sees and reaches, and what it does not."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import mazzo_server
from mazzo_server import sandbox
from mazzo_server.errors import IsolationError
from mazzo_server.sandbox import Exit, Launch, Limits, Sandbox, open_sandbox
from mazzo_server.settings import Isolation, list_usable_processors
from support.sandboxed_runs import MIB, reported, run, started

pytestmark = pytest.mark.alone


def test_the_door() -> None:
    """The package's names are what its users may rely on."""
    order = sorted(sandbox.__all__, key=lambda name: (not name.isupper(), name))
    assert sandbox.__all__ == order
    assert all(hasattr(sandbox, name) for name in sandbox.__all__)


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
    module = sys.modules["mazzo_server.sandbox.namespaces.bubblewrap"]
    monkeypatch.setattr(module, "_list_candidates", lambda: iter([str(broken)]))
    with pytest.raises(IsolationError, match=r"(?s)no namespaces today.*--isolation none"):
        open_sandbox(Isolation.BUBBLEWRAP)


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
        given = dict(os.environ)
        import google.protobuf, grpc, grpc.aio, mazzo
        from google.protobuf.internal import api_implementation
        with socket.socket(socket.AF_UNIX) as door:
            door.connect(os.environ["MAZZO_ADDRESS"].removeprefix("unix:"))
            door.send(os.environ["MAZZO_TOKEN"].encode())
        open(os.environ["TMPDIR"] + "/mine", "w").close()
        print(json.dumps([given, os.listdir(), api_implementation.Type()]))
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


def test_a_bot_runs_on_its_share_of_the_processors(any_sandbox: Sandbox, launch: Launch) -> None:
    """From its first instruction on, and with all that it starts."""
    code = (
        "import json, os, subprocess, sys;"
        "ask = 'import os; print(sorted(os.sched_getaffinity(0)))';"
        "started = subprocess.run([sys.executable, '-c', ask], capture_output=True).stdout;"
        "print(json.dumps([started.decode().strip(), str(sorted(os.sched_getaffinity(0)))]))"
    )
    of_all = reported(any_sandbox, launch, code)
    assert of_all == [str(list_usable_processors())] * 2
    of_half = reported(any_sandbox, launch, code, Limits(processor_share=0.5))
    assert of_half == [str(list_usable_processors(0.5))] * 2


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
        return await process.wait(), process.read_log()

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
    assert len(process.read_log()) == 1000
    assert process.read_log().endswith("x\ufffd the end")
    assert len(process._output._tail) <= 2 * 1000 + 2 * 256 * 1024  # type: ignore[attr-defined]


def test_none_empties_its_scratch_folder(launch: Launch) -> None:
    """What an instance wrote is wiped with it."""
    code = """
        import json, os
        open(os.environ["TMPDIR"] + "/left", "w").close()
        print(json.dumps(os.environ["TMPDIR"]))
        """
    assert not Path(reported(open_sandbox(Isolation.NONE), launch, code)).exists()


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
                reach(socket.AF_INET, {server.getsockname()!r}),
                reach(socket.AF_INET, ("1.1.1.1", 53)),
                reach(socket.AF_UNIX, {name!r}),
                sorted(os.listdir("/run")),
            ]))
            """
        # The same code outside reaches them, or this test would say nothing.
        loopback, _, hidden, _ = reported(open_sandbox(Isolation.NONE), launch, code)
        assert (loopback, hidden) == ("reached", "reached")
        loopback, world, hidden, doors = reported(bubblewrap, launch, code)
    assert loopback == world == "OSError"  # no such family of addresses
    assert hidden == "ConnectionRefusedError"
    assert doors == ["mazzo.sock"]


def test_nobody_else_is_seen(bubblewrap: Sandbox, launch: Launch) -> None:
    """Its own first process and itself, of which it learns no host's secret; nobody's rights."""
    code = """
        import ctypes, json, os, socket, stat, struct
        kernel = ctypes.CDLL(None)
        def there(number):
            try:
                os.kill(number, 0)
            except ProcessLookupError:
                return False
            except PermissionError:
                pass
            return True
        def kind(number):
            try:
                mode = os.fstat(number).st_mode
            except OSError:
                return ""
            return "pipe" if stat.S_ISFIFO(mode) else "device" if stat.S_ISCHR(mode) else "other"
        header, rights = struct.pack("II", 0x20080522, 0), ctypes.create_string_buffer(24)
        assert kernel.capget(header, rights) == 0
        print(json.dumps([
            [number for number in range(1, 1 << 15) if there(number)],
            [os.getuid(), os.geteuid(), os.getgid(), os.getegid(), os.getgroups()],
            struct.unpack("6I", rights.raw),
            kernel.prctl(39, 0, 0, 0, 0), socket.gethostname(),
            os.system("unshare --user true 2>/dev/null"),
            [kind(number) for number in range(256) if kind(number)],
        ]))
        """
    processes, ids, rights, locked, host, nested, open_files = reported(bubblewrap, launch, code)
    assert processes == [1, 2]
    bot = ids[0]
    assert bot == 65534 if os.geteuid() else 61184 <= bot < 65520
    assert ids[:4] == [bot] * 4
    assert set(ids[4]) <= {bot, 65534}
    assert rights == [0] * 6
    assert (locked, host) == (1, "bot")  # PR_GET_NO_NEW_PRIVS
    assert nested != 0
    assert open_files == ["device", "pipe", "pipe"]


def test_proc_tells_of_the_instance_alone(bubblewrap: Sandbox, launch: Launch) -> None:
    """What runtimes look for is there, and nothing that changes or that another one changes."""
    code = """
        import json, os
        print(json.dumps([
            sorted(os.path.join(folder, name) for folder, _, names in os.walk("/proc")
                   for name in names),
            dict(line.split(":") for line in open("/proc/meminfo")),
            "MHz" in open("/proc/cpuinfo").read(),
            len([line for line in open("/proc/stat") if line[3].isdigit()]), os.cpu_count(),
            os.path.realpath("/proc/self/exe") == os.path.realpath("/mazzo/bin/python"),
            os.access("/proc/self/exe", os.X_OK),
        ]))
        """
    files, memory, fast, counted, processors, own, runs = reported(
        bubblewrap, launch, code, Limits(memory_bytes=64 * MIB)
    )
    expected = ["/proc/cpuinfo", "/proc/meminfo", "/proc/self/exe", "/proc/stat"]
    assert files == expected
    assert memory["MemAvailable"].split() == ["65536", "kB"]
    assert int(memory["MemTotal"].split()[0]) > 65536
    assert (fast, counted, own, runs) == (False, processors, True, True)


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
    assert reported(open_sandbox(Isolation.NONE), launch, code)[0] == list(paths)
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
    own = {"google", "grpc", "mazzo", "numpy", "typing_extensions.py"}
    assert set(packages) - {"numpy.libs"} == own  # which only NumPy's wheels have
    assert google == ["_upb", "protobuf"]


def test_nothing_is_written_but_scratch(bubblewrap: Sandbox, launch: Launch) -> None:
    """`/tmp` alone can be written to, no more than the limit, and it starts empty."""
    code = """
        import json, os
        before = os.listdir("/tmp")
        written = []
        for folder, folders, _ in os.walk("/"):
            if folder.count("/") > 4:
                folders.clear()
                continue
            try:
                open(folder + "/trial", "x").close()
                written.append(folder)
            except OSError:
                pass
        for file in ("/bot/bot.py", "/proc/meminfo"):
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
