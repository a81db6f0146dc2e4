"""Reads the error that ended a bot's program out of what it wrote.

These forms are known: a traceback of Python, the stack of Node.js, and a line of the SDK. What a
bot writes is its own; a false error misleads its author alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from mazzo_server.model import ErrorFrame, ProgramError

__all__ = ["ErrorReader", "read_sdk_line"]

_MOST_LOG = 64 * 1024  # characters that are looked through
_MOST_TEXT = 500  # characters of an error's own text
_MOST_CODE = 200  # characters of a line of code
_MOST_FRAMES = 8
_INNER_FOLDER = "/bot"  # the bot's folder in every sandbox
_SDK_LINE = "mazzo: "
_TRACEBACK = "Traceback (most recent call last):"
_GROUP = "Exception Group Traceback"
_IN_GROUP = re.compile(r"^ *(?:\| |\+[-+ ]*)")  # before the lines of an exception group
_CAUSE = "The above exception was the direct cause of the following exception:"
_PYTHON_FRAME = re.compile(r'  File "(?P<file>[^"]+)", line (?P<line>\d+)(?:, in (?P<name>.+))?')
_CODE = "    "  # before the line of code of a frame
_NODE_FRAME = re.compile(
    r"\s+at (?:(?P<name>.+?) \()?(?:file://)?(?P<file>/[^()]+?):(?P<line>\d+):\d+\)?"
)
_ANY_NODE_FRAME = re.compile(r"\s+at .+:\d+:\d+\)?(?: \{)?")
_NODE_PLACE = re.compile(r"(?:file://)?(?P<file>/[^:]+):(?P<line>\d+)")  # of a syntax error
_NODE_ERROR = re.compile(r"[\w$.]+(?: \[\w+\])?(?::|$)")
_NODE_REJECTION = "[UnhandledPromiseRejection: "
_RUN = re.compile(r".*/mazzo/program\.py")  # the function of the SDK that a program ends in


class ErrorReader:
    """Reads the errors of one bot's programs."""

    def __init__(self, folder: Path) -> None:
        """`folder` is the bot's: files in it are its own."""
        self._folder = folder
        self._places = (_INNER_FOLDER, str(folder), str(folder.resolve()))

    def read_error(self, log: str) -> ProgramError | None:
        """Return the last error in the output; None where there is none of a known form.

        Its frames are those of the bot's own files that the SDK called, or all of them where it did
        not come to that; those of the error's direct cause follow.
        """
        lines = log[-_MOST_LOG:].splitlines()
        if any(_GROUP in line for line in lines):
            lines = [_IN_GROUP.sub("", line) for line in lines]
        starts = [number for number, line in enumerate(lines) if line.strip() == _TRACEBACK]
        if starts:
            return self._read_tracebacks(lines, starts)
        # A syntax error of the program itself has no traceback above it.
        alone = [number for number, line in enumerate(lines) if _PYTHON_FRAME.fullmatch(line)]
        if alone:
            return self._read_python(lines[alone[-1] :])
        return self._read_node(lines) or read_sdk_line(log)

    def _read_tracebacks(self, lines: Sequence[str], starts: Sequence[int]) -> ProgramError | None:
        found = self._read_python(lines[starts[-1] + 1 :])
        if found is None or len(starts) == 1 or _CAUSE not in lines[starts[-2] : starts[-1]]:
            return found
        cause = self._read_python(lines[starts[-2] + 1 : starts[-1]])
        if cause is None:
            return found
        return _make_error(f"{found.text} (caused by {cause.text})", (*found.frames, *cause.frames))

    def _read_python(self, lines: Sequence[str]) -> ProgramError | None:
        frames: list[ErrorFrame] = []
        for number, line in enumerate(lines):
            found = _PYTHON_FRAME.fullmatch(line)
            if found is not None:
                if _RUN.fullmatch(found["file"]):
                    frames.clear()  # those before only led to `run`
                if file := self._find_own_file(found["file"]):
                    code = lines[number + 1] if number + 1 < len(lines) else ""
                    function = found["name"] or ""
                    frames.append(
                        _make_frame(
                            file,
                            found["line"],
                            "" if function.startswith("<") else function,
                            code.strip() if code.startswith(_CODE) else "",
                        )
                    )
            elif line and not line.startswith(" "):
                text = " ".join((line, *_take_message(lines[number + 1 :])))
                return _make_error(text, frames[::-1])
        return None

    def _read_node(self, lines: Sequence[str]) -> ProgramError | None:
        for stack in reversed(range(1, len(lines))):
            if _is_stack(lines, stack):
                break
        else:
            said = [line for line in lines if line.startswith(_NODE_REJECTION)]
            return _make_error(said[-1], ()) if said else None
        first = stack
        while first and lines[first - 1].strip() and stack - first < _MOST_FRAMES:
            first -= 1
        if not _NODE_ERROR.match(lines[first]):
            return None
        frames = []
        for line in lines[stack:]:
            if not _ANY_NODE_FRAME.fullmatch(line):
                break
            found = _NODE_FRAME.fullmatch(line.removesuffix(" {"))
            if found is not None and (file := self._find_own_file(found["file"])):
                name = found["name"] or ""
                function = "" if "<anonymous>" in name else name
                frames.append(_make_frame(file, found["line"], function, ""))
        text = " ".join(line.strip() for line in lines[first:stack])
        return _make_error(text, frames or self._find_node_place(lines[:first]))

    def _find_node_place(self, lines: Sequence[str]) -> list[ErrorFrame]:
        """Return the place that Node.js names above an error without frames in the bot's files."""
        for number in reversed(range(len(lines))):
            found = _NODE_PLACE.fullmatch(lines[number])
            if found is not None and (file := self._find_own_file(found["file"])):
                code = lines[number + 1].strip() if number + 1 < len(lines) else ""
                return [_make_frame(file, found["line"], "", code)]
        return []

    def _find_own_file(self, file: str) -> str:
        """Return the path of a file in the bot's folder, "" if it lies elsewhere."""
        path = PurePosixPath(file)
        if path.is_absolute():
            inside = [place for place in self._places if path.is_relative_to(place)]
            if not inside:
                return ""
            path = path.relative_to(inside[-1])
        elif not self._has_file(path):  # what was compiled elsewhere
            return ""
        return "" if {"..", "node_modules"} & set(path.parts) else str(path)

    def _has_file(self, path: PurePosixPath) -> bool:
        try:
            return (self._folder / path).is_file()
        except (OSError, ValueError):
            return False


def read_sdk_line(log: str) -> ProgramError | None:
    """Return what the SDK said last of the bot; None where it said nothing."""
    said = [line for line in log[-_MOST_LOG:].splitlines() if line.startswith(_SDK_LINE)]
    return _make_error(said[-1].removeprefix(_SDK_LINE), ()) if said else None


def _take_message(lines: Iterable[str]) -> Iterator[str]:
    """Yield the further lines of an error's text; an empty one ends it."""
    for line in lines:
        if not line.strip() or line.startswith(_SDK_LINE) or _IN_GROUP.match(line):
            return
        yield line.strip()


def _is_stack(lines: Sequence[str], number: int) -> bool:
    """Tell whether the stack of an error begins in this line."""
    return bool(
        _ANY_NODE_FRAME.fullmatch(lines[number])
        and not _ANY_NODE_FRAME.fullmatch(lines[number - 1])
    )


def _make_error(text: str, frames: Sequence[ErrorFrame]) -> ProgramError:
    """Return an error; the place where it was raised stands first in `frames`."""
    shown = text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 1]}…"
    return ProgramError(text=shown, frames=tuple(frames[:_MOST_FRAMES]))


def _make_frame(file: str, line: str, function: str, code: str) -> ErrorFrame:
    return ErrorFrame(
        file=file, line=int(line[:9]), function=function[:_MOST_CODE], code=code[:_MOST_CODE]
    )
