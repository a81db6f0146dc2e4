"""Which causes are recognised in what bots say, and what is only like one."""

from __future__ import annotations

from pathlib import Path

import pytest

from mazzo_server.model.trial_report import ErrorFrame, ProgramError
from mazzo_server.play.trial.causes import Program, find_cause
from mazzo_server.sandbox import Limits

STATUS = "its process exited with status 1"
QUIET = "its process exited with status 0"


def make_program(folder: Path, *command: str, runtime: str = "python") -> Program:
    return Program(
        folder=folder,
        packages=None,
        command=command or ("python", "bot.py"),
        runtime=runtime,
        limits=Limits(),
    )


def advise(
    program: Program, text: str = "", *, code: str = "", reason: str = STATUS, log: str = ""
) -> str:
    frame = ErrorFrame(file="bot.py", line=3, function="act", code=code)
    error = ProgramError(text=text, frames=(frame,)) if text else None
    return find_cause(program, reason=reason, log=log, error=error, joined=False)


@pytest.mark.parametrize(
    ("text", "code", "advice"),
    [
        ("ModuleNotFoundError: No module named 'torch'", "", "no package torch, only"),
        ("ModuleNotFoundError: No module named 'sklearn.svm'", "", "no package sklearn, only"),
        ("ModuleNotFoundError: No module named 'numpy.foo'", "", "there is no foo in numpy"),
        ("ModuleNotFoundError: No module named 'os.foo'", "", "there is no foo in os"),
        ("ModuleNotFoundError: No module named 'eyes.far'", "", "there is no far in eyes"),
        ("ModuleNotFoundError: No module named 'deep'", "", "as lib/deep.py, but not beside"),
        ("ModuleNotFoundError: No module named 'data'", "", "no package data, only"),
        ("MemoryError", "", "512 MiB (memory_mib,"),
        ("OSError: [Errno 12] Cannot allocate memory", "", "512 MiB (memory_mib,"),
        ("numpy._core._exceptions._ArrayMemoryError: Unable to", "", "512 MiB (memory_mib,"),
        ("RuntimeError: can't start new thread", "", "64 processes and threads"),
        ("BlockingIOError: [Errno 11] Resource", "pid = os.fork()", "64 processes and threads"),
        ("OSError: [Errno 28] No space left on device", "", "all of /tmp may hold 64 MiB"),
        ("OSError: [Errno 97] Address family not supported", "", "there is no network"),
        ("socket.gaierror: [Errno -3] Temporary failure in name", "", "there is no network"),
        # What is only like one.
        ("BlockingIOError: [Errno 11] Resource", "os.read(pipe, 1)", ""),
        ("ValueError: what of ENOSPC and MemoryError", "", ""),
        ("SyntaxError: invalid syntax", "ast.literal_eval('1 +')", ""),
    ],
)
def test_an_error(tmp_path: Path, text: str, code: str, advice: str) -> None:
    for name in ("eyes/__init__.py", "lib/deep.py", "data/numbers.txt", "bot.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    found = advise(make_program(tmp_path), text, code=code)
    assert advice in found
    assert bool(found) == bool(advice)


@pytest.mark.parametrize(
    ("log", "reason", "advice"),
    [
        ("", "its process was killed by the kernel, as it ran out of memory", "memory_mib,"),
        ("FATAL ERROR: JavaScript heap out of memory", "was killed by signal 6", "memory_mib,"),
        ("", "its process was killed by signal 25 (SIGXFSZ)", "disk_mib,"),
        ("MemoryError? no, EAGAIN, ENOSPC", STATUS, ""),
        ("/usr/bin/env: ‘pyhton’: No such file or directory", STATUS, "pyhton, which is not there"),
        ("/usr/bin/env: ‘node’: No such file or directory", STATUS, 'say runtime = "node"'),
        ("/usr/bin/env: ‘./sub’: Permission denied", STATUS, "./sub, which is a folder"),
        ("/usr/bin/env: ‘./bot’: Permission denied", STATUS, "not executable: chmod +x"),
        ("python: can't open file '/bot/src/bot.py': [Errno 2]", STATUS, "no program src/bot.py"),
        ("python: can't find '__main__' module in '/bot/sub'", STATUS, "no program sub in"),
        ("bash: run.sh: No such file or directory", STATUS, "no program run.sh in"),
        ("/mazzo/bin/python: No module named bott", STATUS, "no module bott in the bot's folder"),
        ("./bot: Exec format error", STATUS, "no program for this machine"),
    ],
)
def test_an_end_without_an_error(tmp_path: Path, log: str, reason: str, advice: str) -> None:
    (tmp_path / "sub").mkdir()
    found = advise(make_program(tmp_path), log=log, reason=reason)
    assert advice in found
    assert bool(found) == bool(advice)


@pytest.mark.parametrize(
    ("source", "calls"),
    [
        ("from mazzo import Bot, run\nif __name__ == 'main':\n    run(Bot)\n", True),
        ("from mazzo import run as go\ngo(1)\n", True),
        ("from mazzo import *\nrun(1)\n", True),
        ("import mazzo\ndef main():\n    mazzo.run(1)\n", True),
        ("import asyncio\nasyncio.run(main())\n", False),
        ("# run(MyBot)\ndef run(x): pass\nrun(1)\n", False),
        ("from mazzo import Bot, run\n", False),
    ],
)
@pytest.mark.parametrize("command", [("python", "bot.py"), ("python", "-m", "bot")])
def test_a_program_that_only_ends(
    tmp_path: Path, source: str, calls: bool, command: tuple[str, ...]
) -> None:
    (tmp_path / "bot.py").write_text(source)
    found = advise(make_program(tmp_path, *command), reason=QUIET)
    assert ("never came to its `run(...)`" in found) == calls
    assert ("it has no `run(...)`" in found) != calls


def test_where_nobody_can_say_whether_it_calls_run_it_is_not_said(tmp_path: Path) -> None:
    found = advise(make_program(tmp_path, "bash", "-c", "python bot.py"), reason=QUIET)
    assert found == "the program ended without joining: it has to come to `run(MyBot)` of the SDK"


def test_without_isolation_no_limit_is_named(tmp_path: Path) -> None:
    program = Program(
        folder=tmp_path, packages=None, command=("python",), runtime="python", limits=None
    )
    for text in ("MemoryError", "OSError: [Errno 28] No space", "OSError: [Errno 97] Address"):
        assert advise(program, text) == ""
