"""Reads the error that ended a bot's program out of what it wrote.

These forms are known: a traceback of Python, the stack of Node.js, and a line of the SDK. What a
bot writes is its own; a false error misleads its author alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from mazzo_server.model import ErrorFrame, ProgramError

__all__ = ["read_program_error"]

_MOST_LOG = 64 * 1024  # characters that are looked through
_MOST_TEXT = 500  # characters of an error's own text
_MOST_CODE = 200  # characters of a line of code
_MOST_FRAMES = 8
_SDK_LINE = "mazzo: "
_TRACEBACK = "Traceback (most recent call last):"
_PYTHON_FRAME = re.compile(r'  File "(?P<file>[^"]+)", line (?P<line>\d+)(?:, in (?P<name>.+))?')
_NODE_FRAME = re.compile(
    r"\s+at (?:(?P<name>.+?) \()?(?:file://)?(?P<file>/[^()]+?):(?P<line>\d+):\d+\)?"
)
_ANY_NODE_FRAME = re.compile(r"\s+at .+:\d+:\d+\)?")
_NODE_ERROR = re.compile(r"(?:Uncaught )?\w*Error\b.*")
_RUN = re.compile(r".*/mazzo/program\.py")  # the function of the SDK that a program ends in


def read_program_error(log: str, folders: Sequence[str]) -> ProgramError | None:
    """Return the last error in a bot's output; None where there is none of a known form.

    `folders` are the names under which the bot's folder may stand there. Its frames are those of
    the bot's own files that the SDK called, or all of them where it did not come to that.
    """
    lines = log[-_MOST_LOG:].splitlines()
    starts = [number for number, line in enumerate(lines) if line.strip() == _TRACEBACK]
    if starts:
        return _read_python(lines[starts[-1] + 1 :], folders)
    # A syntax error of the program itself has no traceback above it.
    alone = [number for number, line in enumerate(lines) if _PYTHON_FRAME.match(line)]
    if alone:
        return _read_python(lines[alone[-1] :], folders)
    return _read_node(lines, folders) or _read_sdk_line(lines)


def _read_python(lines: Sequence[str], folders: Sequence[str]) -> ProgramError | None:
    frames: list[ErrorFrame] = []
    text: list[str] = []
    for number, line in enumerate(lines):
        found = _PYTHON_FRAME.fullmatch(line)
        if found is not None:
            if _RUN.fullmatch(found["file"]):
                frames.clear()  # those before only led to `run`
            if file := _find_own_file(found["file"], folders):
                code = lines[number + 1].strip() if number + 1 < len(lines) else ""
                frames.append(_make_frame(file, found["line"], _read_function(found["name"]), code))
        elif line and not line.startswith(" "):
            text = [line, *_take_message(lines[number + 1 :])]
            break
    return _make_error(" ".join(text), frames) if text else None


def _read_function(name: str | None) -> str:
    return "" if name is None or name.startswith("<") else name


def _take_message(lines: Iterable[str]) -> Iterator[str]:
    """Yield the further lines of an error's text; an empty one ends it."""
    for line in lines:
        if not line.strip() or line.startswith(_SDK_LINE):
            return
        yield line.strip()


def _read_node(lines: Sequence[str], folders: Sequence[str]) -> ProgramError | None:
    errors = [number for number, line in enumerate(lines) if _NODE_ERROR.match(line)]
    stacks = [number for number in range(1, len(lines)) if _is_stack(lines, number)]
    if not errors or not stacks or stacks[-1] < errors[0]:
        return None
    stack = stacks[-1]
    frames = []
    for line in lines[stack:]:
        if not _ANY_NODE_FRAME.fullmatch(line):
            break
        found = _NODE_FRAME.fullmatch(line)
        if found is not None and (file := _find_own_file(found["file"], folders)):
            name = found["name"] or ""
            frames.append(
                _make_frame(file, found["line"], "" if "<anonymous>" in name else name, "")
            )
    first = max(number for number in errors if number < stack)
    text = " ".join(line.strip() for line in lines[first:stack] if line.strip())
    return _make_error(text, frames[::-1])


def _is_stack(lines: Sequence[str], number: int) -> bool:
    """Tell whether the stack of an error begins in this line."""
    return bool(
        _ANY_NODE_FRAME.fullmatch(lines[number])
        and not _ANY_NODE_FRAME.fullmatch(lines[number - 1])
    )


def _read_sdk_line(lines: Sequence[str]) -> ProgramError | None:
    said = [line for line in lines if line.startswith(_SDK_LINE)]
    return _make_error(said[-1].removeprefix(_SDK_LINE), ()) if said else None


def _make_error(text: str, frames: Sequence[ErrorFrame]) -> ProgramError:
    """Return an error; `frames` have the place where it was raised last."""
    shown = text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 1]}…"
    return ProgramError(text=shown, frames=tuple(frames[::-1][:_MOST_FRAMES]))


def _make_frame(file: str, line: str, function: str, code: str) -> ErrorFrame:
    return ErrorFrame(
        file=file, line=int(line[:9]), function=function[:_MOST_CODE], code=code[:_MOST_CODE]
    )


def _find_own_file(file: str, folders: Sequence[str]) -> str:
    """Return the path of a file in the bot's folder, "" if it lies elsewhere."""
    path = PurePosixPath(file)
    if file.startswith("<") or ".." in path.parts:
        return ""
    if not path.is_absolute():
        return str(path)
    for folder in folders:
        if path.is_relative_to(folder):
            inner = path.relative_to(folder)
            return "" if inner.parts[:1] == ("node_modules",) else str(inner)
    return ""
