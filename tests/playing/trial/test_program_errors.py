"""What is read of the errors that bots' programs print."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mazzo_server.model.trial_report import ErrorFrame, ProgramError
from mazzo_server.play.trial.program_errors import ErrorReader, read_sdk_line

PYTHON = """hello
Traceback (most recent call last):
  File "/bot/bot.py", line 14, in <module>
    run(Tested)
  File "/mazzo/lib/mazzo/program.py", line 69, in run
    asyncio.run(play(player, address, token, capacity=capacity))
  File "/usr/lib/python3.11/asyncio/runners.py", line 190, in run
    return runner.run(main)
           ^^^^^^^^^^^^^^^^
  File "/bot/bot.py", line 9, in act
    return look(view)
           ^^^^^^^^^^
  File "/bot/eyes/far.py", line 3, in look
    return {}[view.hand[0]]
           ~~^^^^^^^^^^^^^^^
KeyError: Ad
"""
NODE = """node:internal/modules/cjs/loader:1228
  throw err;
  ^

Error: Cannot find module '@grpc/grpc-js'
Require stack:
- /bot/mazzo.js
- /bot/bot.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)
    at Object.<anonymous> (/bot/mazzo.js:3:14)
    at act (/bot/bot.js:12:11)
    at /bot/node_modules/x/index.js:1:1
    at node:internal/main/run_main_module:36:49 {
  code: 'MODULE_NOT_FOUND',
}

Node.js v20.19.2
"""
# Each line many times over.
HOSTILE = (
    *("    at x:1:1\n", "    at x (/", "    at x:1", "x:1", "/bot/x:1\n"),
    *("Error\n", '  File "/bot/a", line 1\n', "\x85\n", "  | ", "+-"),
)


def read(log: str, folder: Path = Path("/home/ann/my-bot")) -> ProgramError | None:
    return ErrorReader(folder).read_error(log)


def python_says(folder: Path, program: str, **files: str) -> ProgramError | None:
    """What is read of what this Python really says of a program that fails."""
    for name, text in {"bot": program, **files}.items():
        (folder / f"{name}.py").write_text(text)
    done = subprocess.run(
        [sys.executable, "bot.py"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    return read(done.stderr, folder)


def test_the_own_frames_of_a_traceback_come_first_and_ours_not_at_all() -> None:
    """Promise: where it was raised comes first; what led to `run` is nobody's error."""
    assert read(PYTHON) == ProgramError(
        text="KeyError: Ad",
        frames=(
            ErrorFrame(file="eyes/far.py", line=3, function="look", code="return {}[view.hand[0]]"),
            ErrorFrame(file="bot.py", line=9, function="act", code="return look(view)"),
        ),
    )
    assert read(PYTHON.replace("/bot/", "/home/ann/my-bot/")) == read(PYTHON)


def test_the_last_of_several_errors_counts() -> None:
    """As of errors that are raised while another is handled, or that a bot only prints."""
    first = "Traceback (most recent call last):\nOSError: gone\n\n"
    during = "During handling of the above exception, another exception occurred:\n\n"
    assert read(first + during + PYTHON) == read(PYTHON)


def test_the_direct_cause_of_an_error_is_told_with_it(tmp_path: Path) -> None:
    program = "try:\n    {}['x']\nexcept KeyError as e:\n    raise ValueError('no') from e\n"
    found = python_says(tmp_path, program)
    assert found is not None
    assert found.text == "ValueError: no (caused by KeyError: 'x')"
    assert [frame.line for frame in found.frames] == [4, 2]


def test_of_a_group_of_errors_the_last_one_is_told(tmp_path: Path) -> None:
    program = (
        "def fail():\n    raise KeyError('x')\n"
        "try:\n    fail()\nexcept KeyError as e:\n    raise ExceptionGroup('many', [e])\n"
    )
    found = python_says(tmp_path, program)
    assert found is not None
    assert found.text == "KeyError: 'x'"
    assert found.frames[0] == ErrorFrame(
        file="bot.py", line=2, function="fail", code="raise KeyError('x')"
    )


def test_an_error_on_the_way_to_run_keeps_its_frames(tmp_path: Path) -> None:
    found = python_says(tmp_path, "import eyes\n", eyes="import torch\n")
    assert found is not None
    assert found.text == "ModuleNotFoundError: No module named 'torch'"
    assert [(frame.file, frame.line, frame.function) for frame in found.frames] == [
        ("eyes.py", 1, ""),
        ("bot.py", 1, ""),
    ]


@pytest.mark.parametrize("text", ["def act(:\n    pass\n", "if True:\npass\n"])
@pytest.mark.parametrize("module", [False, True])
def test_a_syntax_error_has_its_line(tmp_path: Path, text: str, module: bool) -> None:
    """Python prints it without the word "Traceback", in the program itself."""
    broken = f"import os\n{text}"
    found = python_says(tmp_path, "import eyes\n" if module else broken, eyes=broken)
    assert found is not None
    assert found.text.partition(":")[0] in ("SyntaxError", "IndentationError")
    assert found.frames[0].file == ("eyes.py" if module else "bot.py")
    assert found.frames[0].line in (2, 3)
    assert found.frames[0].code in text


def test_what_was_compiled_elsewhere_is_not_the_bots_own(tmp_path: Path) -> None:
    """As NumPy's own code, whose tracebacks have relative paths, and generated code has no line."""
    program = (
        "import numpy\n"
        "exec(compile('def make():\\n  numpy.random.default_rng().choice([])', 'gen.py', 'exec'))\n"
        "make()\n"
    )
    found = python_says(tmp_path, program)
    assert found is not None
    assert found.text.startswith("ValueError: ")
    assert found.frames == (ErrorFrame(file="bot.py", line=3, code="make()"),)


def test_a_text_of_several_lines_is_one_and_a_long_one_is_cut() -> None:
    log = "Traceback (most recent call last):\nValueError: one\n  two\nthree\n\nmazzo: no\nxx"
    assert read(log) == ProgramError(text="ValueError: one two three")
    long = read(f"Traceback (most recent call last):\nE: {'x' * 9999}")
    assert long is not None
    assert len(long.text) == 500


def test_a_stack_of_node_is_read() -> None:
    assert read(NODE) == ProgramError(
        text="Error: Cannot find module '@grpc/grpc-js' Require stack: - /bot/mazzo.js - "
        "/bot/bot.js",
        frames=(
            ErrorFrame(file="mazzo.js", line=3),
            ErrorFrame(file="bot.js", line=12, function="act"),
        ),
    )
    module = "MyError [Error]: no\n    at act (file:///bot/bot.mjs:4:1) {\n"
    assert read(module) == ProgramError(
        text="MyError [Error]: no", frames=(ErrorFrame(file="bot.mjs", line=4, function="act"),)
    )
    rejected = '[UnhandledPromiseRejection: it was rejected with the reason "x".] {\n'
    assert read(f"node:internal/process/promises:394\n\n{rejected}") == ProgramError(
        text=rejected.strip()
    )


def test_a_syntax_error_of_node_has_its_place() -> None:
    """Its stack has none of the bot's files: the place stands above."""
    log = """file:///bot/eyes.mjs:7
function f( {

SyntaxError: Unexpected end of input
    at wrapSafe (node:internal/modules/cjs/loader:1464:18)

Node.js v20.19.2
"""
    assert read(log) == ProgramError(
        text="SyntaxError: Unexpected end of input",
        frames=(ErrorFrame(file="eyes.mjs", line=7, code="function f( {"),),
    )


def test_a_line_of_the_sdk_is_an_error_where_there_is_no_other() -> None:
    said = "a note\nmazzo: Tested.act: expected one of Ad Ab, got '2d'\nmore\n"
    line = ProgramError(text="Tested.act: expected one of Ad Ab, got '2d'")
    assert read(said) == read_sdk_line(said) == read_sdk_line(said + PYTHON) == line
    assert read(said + PYTHON) == read(PYTHON)
    assert read_sdk_line(PYTHON) is None


@pytest.mark.parametrize(
    "log",
    [
        "",
        "nothing of the kind",
        "Traceback (most recent call last):",
        "    at act (/bot/bot.js:12:11)\n",
        "no error\n    at act (/bot/bot.js:12:11)\n",
        "Error: one\n" + "\n" * 9,
        '  File "' + "x" * 99,
    ],
)
def test_what_is_no_error_is_none(log: str) -> None:
    assert read(log) is None


def test_a_hostile_log_is_read_in_time_that_grows_with_it() -> None:
    """Bug guarded against: a bot holds the game master up by what it writes.

    Each takes milliseconds; if it grew with the square, they would take longer than a test may.
    """
    for line in HOSTILE:
        for text in (f"Error: x\n{line * 60000}", line * 60000 + "Traceback"):
            read(text[:300_000] + text[-20:])


def test_files_elsewhere_are_not_the_bots_own(tmp_path: Path) -> None:
    (tmp_path / "relative.py").write_text("")
    log = """Traceback (most recent call last):
  File "/bot/../etc/x.py", line 9, in a
  File "/botany/x.py", line 1, in b
  File "<string>", line 1, in c
  File "elsewhere.pyx", line 1, in d
  File "relative.py", line 99999999999999999999, in d
E
"""
    found = read(log, tmp_path)
    assert found is not None
    assert [(frame.file, frame.line) for frame in found.frames] == [("relative.py", 999999999)]
