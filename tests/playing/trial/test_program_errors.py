"""What is read of the errors that bots' programs print."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mazzo_server.model.trial_report import ErrorFrame, ProgramError
from mazzo_server.play.trial.program_errors import read_program_error

FOLDERS = ("/bot", "/home/ann/my-bot")

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
           ~~^^^^^^^^^^^^^^
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
HOSTILE = (
    *("    at x:1:1\n", "    at x (/", "    at x:1", "x:1"),
    *("Error\n", '  File "/bot/a", line 1\n', "\x85\n"),
)


def test_the_own_frames_of_a_traceback_come_first_and_ours_not_at_all() -> None:
    """Promise: where it was raised comes first; what led to `run` is nobody's error."""
    assert read_program_error(PYTHON, FOLDERS) == ProgramError(
        text="KeyError: Ad",
        frames=(
            ErrorFrame(file="eyes/far.py", line=3, function="look", code="return {}[view.hand[0]]"),
            ErrorFrame(file="bot.py", line=9, function="act", code="return look(view)"),
        ),
    )
    at_home = PYTHON.replace("/bot/", "/home/ann/my-bot/")
    assert read_program_error(at_home, FOLDERS) == read_program_error(PYTHON, FOLDERS)


def test_the_last_of_several_errors_counts() -> None:
    """As of errors that are raised while another is handled, or that a bot only prints."""
    first = "Traceback (most recent call last):\nOSError: gone\n\n"
    found = read_program_error(
        f"{first}During handling of the above exception, another exception occurred:\n\n{PYTHON}",
        FOLDERS,
    )
    assert found == read_program_error(PYTHON, FOLDERS)


def test_an_error_in_the_way_to_run_keeps_its_frames() -> None:
    log = """Traceback (most recent call last):
  File "/bot/bot.py", line 3, in <module>
    import torch
ModuleNotFoundError: No module named 'torch'
"""
    assert read_program_error(log, FOLDERS) == ProgramError(
        text="ModuleNotFoundError: No module named 'torch'",
        frames=(ErrorFrame(file="bot.py", line=3, code="import torch"),),
    )


def test_a_text_of_several_lines_is_one_and_a_long_one_is_cut() -> None:
    log = (
        f"Traceback (most recent call last):\nValueError: one\n  two\nthree\n\nmazzo: no\n{'x' * 9}"
    )
    assert read_program_error(log, FOLDERS) == ProgramError(text="ValueError: one two three")
    long = read_program_error(f"Traceback (most recent call last):\nE: {'x' * 9999}", FOLDERS)
    assert long is not None
    assert len(long.text) == 500


@pytest.mark.parametrize("text", ["def act(:\n    pass\n", "if True:\npass\n"])
def test_a_syntax_error_has_its_line(tmp_path: Path, text: str) -> None:
    """Python prints it without the word "Traceback", in the program itself."""
    (tmp_path / "bot.py").write_text(f"import os\n{text}")
    done = subprocess.run(
        [sys.executable, "bot.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    found = read_program_error(done.stderr, (str(tmp_path),))
    assert found is not None
    assert found.text.partition(":")[0] in ("SyntaxError", "IndentationError")
    assert found.frames[0].file == "bot.py"
    assert found.frames[0].line in (2, 3)
    assert found.frames[0].code in text


def test_a_stack_of_node_is_read() -> None:
    assert read_program_error(NODE, FOLDERS) == ProgramError(
        text="Error: Cannot find module '@grpc/grpc-js' Require stack: - /bot/mazzo.js - "
        "/bot/bot.js",
        frames=(
            ErrorFrame(file="mazzo.js", line=3),
            ErrorFrame(file="bot.js", line=12, function="act"),
        ),
    )
    module = "TypeError: no\n    at act (file:///bot/bot.mjs:4:1)\n"
    assert read_program_error(module, FOLDERS) == ProgramError(
        text="TypeError: no", frames=(ErrorFrame(file="bot.mjs", line=4, function="act"),)
    )


def test_a_line_of_the_sdk_is_an_error_where_there_is_no_other() -> None:
    said = "a note\nmazzo: Tested.act: expected one of Ad Ab, got '2d'\nmore\n"
    assert read_program_error(said, FOLDERS) == ProgramError(
        text="Tested.act: expected one of Ad Ab, got '2d'"
    )
    assert read_program_error(said + PYTHON, FOLDERS) == read_program_error(PYTHON, FOLDERS)


@pytest.mark.parametrize(
    "log",
    [
        "",
        "nothing of the kind",
        "Traceback (most recent call last):",
        "    at act (/bot/bot.js:12:11)\n",
        "Error: one\n" + "\n" * 9,
        '  File "' + "x" * 99,
    ],
)
def test_what_is_no_error_is_none(log: str) -> None:
    assert read_program_error(log, FOLDERS) is None


def test_a_hostile_log_is_read_in_time_that_grows_with_it() -> None:
    """Bug guarded against: a bot holds the game master up by what it writes.

    Each is read within the time-out of the tests; squared, it would take minutes.
    """
    for line in (
        "    at x:1:1\n",
        "Error\n",
        '  File "/bot/a", line 1\n',
        "x:1",
        "    at x (/",
        "    at x:1",
        "\x85\n",
    ):
        for text in (f"Error: x\n{line * 60000}", line * 60000 + "Traceback"):
            read_program_error(text[:300_000] + text[-20:], FOLDERS)


def test_files_elsewhere_are_not_the_bots_own() -> None:
    log = """Traceback (most recent call last):
  File "/bot/../etc/x.py", line 9, in a
  File "/botany/x.py", line 1, in b
  File "<string>", line 1, in c
  File "relative.py", line 99999999999999999999, in d
E
"""
    found = read_program_error(log, FOLDERS)
    assert found is not None
    assert [(frame.file, frame.line) for frame in found.frames] == [("relative.py", 999999999)]
