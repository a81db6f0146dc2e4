"""Standard input, output and error, as a command finds them."""

from __future__ import annotations

import errno
import io
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import BinaryIO, TextIO

import typer

from mazzo_server.cli.text.output import error_console
from mazzo_server.errors import InvalidInputError, PlatformError

__all__ = [
    "drop_output",
    "is_output_error",
    "keep_output_apart",
    "open_binary_output",
    "open_output",
    "prepare_streams",
    "read_lines",
]

_OUTPUT, _ERROR = 1, 2  # file descriptors
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def prepare_streams() -> None:
    """Make all three usable: a closed one is empty, and unprintable characters become "?".

    The descriptors of closed ones are filled in order, so that no file gets them.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 - open to the end
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def keep_output_apart() -> None:
    """Let only what is printed with `sys.stdout` be output from now on.

    What others write to its descriptor, such as a bot's own processes, goes to standard error.
    """
    stdout = sys.stdout
    if not isinstance(stdout, io.TextIOWrapper) or _find_number(stdout) != _OUTPUT:
        return
    buffering = 1 if stdout.line_buffering else -1
    # A debugger goes on with the old one, which nobody flushes in the end.
    stdout.reconfigure(line_buffering=True)
    own = os.dup(_OUTPUT)
    os.dup2(_ERROR, _OUTPUT)
    sys.stdout = open(  # noqa: SIM115 - open to the end
        own,
        "w",
        encoding=stdout.encoding,
        errors=stdout.errors,
        buffering=buffering,
    )


def _find_number(stream: io.TextIOWrapper) -> int | None:
    try:
        return stream.fileno()
    except OSError:  # not of a file, as in tests
        return None


def read_lines(file: str, *, longest: int) -> Iterator[str]:
    """Return the lines of a file or of stdin ("-"); end the process if it cannot be read.

    A line of more than `longest` bytes is cut.
    """
    try:
        with nullcontext(sys.stdin.buffer) if file == "-" else Path(file).open("rb") as source:
            yield from _read_lines(source, longest)
    except OSError as error:
        error_console.print(f"mazzo: cannot read {file}: {error.strerror}", soft_wrap=True)
        raise typer.Exit(2) from None


def _read_lines(source: BinaryIO, longest: int) -> Iterator[str]:
    while data := source.readline(longest):
        rest = data
        while len(rest) == longest and not rest.endswith(b"\n"):
            rest = source.readline(longest)
        yield data.decode(errors="replace")


@contextmanager
def open_output(path: Path | None) -> Iterator[TextIO]:
    """Open a file that will exist whole or not at all, or standard output.

    Raises `InvalidInputError` for a path that is wrong, `PlatformError` when writing fails.
    """
    if path is None:
        yield sys.stdout
        return
    if not path.name:
        raise InvalidInputError(f"--output: expected a file, got {str(path)!r}")
    with open_binary_output(path) as binary:
        file = io.TextIOWrapper(binary, encoding="utf-8", write_through=True)
        yield file
        file.detach()


@contextmanager
def open_binary_output(path: Path) -> Iterator[BinaryIO]:
    """Open a file for bytes that will exist whole or not at all; see `open_output`."""
    if not path.name:
        raise InvalidInputError(f"expected a file to write, got {str(path)!r}")
    path = Path(os.path.realpath(path))  # what a link leads to is replaced, not the link
    # Its name is short, however long the file's own is; nobody else writes to it.
    beside = path.parent / f".mazzo-{secrets.token_hex(8)}"
    is_special = False
    try:
        if path.is_symlink():
            raise InvalidInputError(f"cannot write {path}: it is a link that leads to itself")
        is_special = path.exists() and not path.is_file()  # a pipe, or a device
        with (path if is_special else beside).open("wb") as file:
            yield file
        if not is_special:
            beside.replace(path)
    except OSError as error:
        # An error that names no file came from writing: the given file is not wrong.
        kind = PlatformError if error.filename is None else InvalidInputError
        raise kind(f"cannot write {path}: {error.strerror}") from error
    finally:
        if not is_special:
            with suppress(OSError):
                beside.unlink()


def is_output_error(error: OSError) -> bool:
    """Tell whether an error came from the output; errors of other files name their file."""
    return error.filename is None and error.errno in _FULL


def drop_output() -> None:
    """Forget unwritten output, since Python would try to write it again at the end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
