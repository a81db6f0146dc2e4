"""Recognises the usual causes for which a bot's program ends, and says what to mend.

They are recognised by what Python, Node.js, `env` and the system say, and by the exit status.
"""

from __future__ import annotations

import errno
import os
import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mazzo.version import VERSION
from mazzo_server.model import ProgramError
from mazzo_server.sandbox import Limits

__all__ = ["Program", "find_cause"]

_MIB = 1024 * 1024
_WHERE = "docs/reference/settings.md, limits of one instance"
_GUARD = 'if __name__ == "__main__":'
_PYTHON = "python"
_MOST_SAID = 2000  # characters of what it wrote
_MOST_SOURCE = 1024 * 1024  # bytes of a program that are looked through

_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
_NO_NAME = re.compile(r"ImportError: cannot import name '(\w+)' from '(mazzo[\w.]*)'")
_NO_LIBRARY = re.compile(r"ImportError: (\S+\.so\S*): cannot open shared object file")
_NO_NODE_MODULE = re.compile(r"Cannot find (?:module|package) '([^']+)'")
_NO_COMMAND = re.compile(r"(?:^|\n)\S*env: .(.{1,300}?).: (No such file|Permission denied)")
_NO_SCRIPT = re.compile(r"can't open file '([^']+)'")
_NO_FORMAT = re.compile(r"Exec format error")
_SYNTAX = re.compile(r"(?:SyntaxError|IndentationError|TabError): ")
_NO_FILE = re.compile(r"FileNotFoundError: .*No such file or directory: '(/[^']*)'")
_SECOND_PROCESS = re.compile(
    r"finished its bootstrapping phase|expected one stream with this session's token"
)
_MEMORY = re.compile(
    r"MemoryError|heap out of memory|std::bad_alloc|Cannot allocate memory|ran out of memory"
    r"|ENOMEM|memory allocation of \d+ bytes failed"
)
_PROCESSES = re.compile(r"can't start new thread|Resource temporarily unavailable|EAGAIN")
_OPEN_FILES = re.compile(r"Too many open files|EMFILE")
_FILE_SIZE = re.compile(rf"{os.strerror(errno.EFBIG)}|EFBIG|SIGXFSZ")
_SCRATCH = re.compile(rf"{os.strerror(errno.ENOSPC)}|ENOSPC")
_READ_ONLY = re.compile(rf"{os.strerror(errno.EROFS)}|EROFS")
_NETWORK = re.compile(
    r"Address family not supported|Name or service not known|name resolution|"
    r"Network is unreachable|ENOTFOUND|EAI_AGAIN|EAFNOSUPPORT|ENETUNREACH"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A bot's program, and the limits under which it runs."""

    folder: Path
    command: tuple[str, ...]
    runtime: str
    limits: Limits


def find_cause(
    program: Program, *, reason: str, log: str, error: ProgramError | None, joined: bool
) -> str:
    """Return what to mend in a program that ended too early; "" where the cause is unknown.

    `reason` says how it ended, `log` is what it wrote, `error` what of it could be read; `joined`
    tells whether it had joined before.
    """
    said = log[-_MOST_SAID:] if error is None else error.text
    if _SECOND_PROCESS.search(log):  # what it said need not be the last error
        return (
            f"a second process ran the whole program: put `{_GUARD}` before `run(...)`, as what "
            "multiprocessing starts loads the file again"
        )
    advice = _find_broken_code(program, said) or _find_passed_limit(
        program.limits, f"{reason}\n{said}"
    )
    if advice or joined:
        return advice
    return _find_false_start(program, log, reason)


def _find_broken_code(program: Program, said: str) -> str:
    if found := _NO_MODULE.search(said):
        return _explain_module(program, found[1])
    if found := _NO_NAME.search(said):
        return f"the platform has Mazzo {VERSION}, and there is no {found[1]} in {found[2]}"
    if found := _NO_LIBRARY.search(said):
        return (
            f"the platform's machine has no library {found[1]}: choose a wheel that brings it "
            "along, one for manylinux"
        )
    if _SYNTAX.search(said) and program.runtime == _PYTHON:
        return f"the platform cannot read that line: it runs Python {platform.python_version()}"
    if (found := _NO_NODE_MODULE.search(said)) and program.runtime == "node":
        return _explain_node_module(found[1])
    if found := _NO_FILE.search(said):
        return (
            f"the bot finds its own folder and nothing else of your machine, so not {found[1]}: "
            "put the file there, and open Path(__file__).with_name(...)"
        )
    return ""


def _explain_module(program: Program, module: str) -> str:
    top = module.partition(".")[0]
    if top == "mazzo":
        return f"the platform has Mazzo {VERSION}, and there is no {module} in it"
    inside = next(_find_in_folder(program.folder, top), None)
    if inside is not None:
        return (
            f"{top} is in the bot's folder as {inside}, but not beside the program: move it "
            "there, or add its folder to sys.path before the import"
        )
    return (
        f"the platform has no package {top}, only Mazzo and NumPy beside Python's own library: "
        "put its wheel into the folder wheels/ of the bot (`pip download --only-binary=:all: "
        f"--dest wheels {top}`; docs/reference/bot-toml.md), or the file {top}.py beside the "
        "program if it is yours"
    )


def _find_in_folder(folder: Path, name: str) -> Iterator[Path]:
    """Yield where a module of that name lies in a folder."""
    for path in sorted(folder.rglob(f"{name}*")):
        if path.name == f"{name}.py" or (path.name == name and path.is_dir()):
            yield path.relative_to(folder)


def _explain_node_module(name: str) -> str:
    if name.startswith(("/", ".", "file:")):
        return (
            f"the file {name.removeprefix('/bot/')} is not in the bot's folder: `command` of "
            "bot.toml and every import name files by their paths there"
        )
    return (
        f"the package {name} is not in node_modules: the platform installs nothing, so run "
        "`npm install --no-bin-links` in the bot's folder, and hand it in with node_modules"
    )


def _find_passed_limit(limits: Limits, said: str) -> str:
    """Return which limit was passed, its value, and where it is set."""
    if _MEMORY.search(said):
        return (
            f"it needs more memory than it may have: {limits.memory_bytes // _MIB} MiB "
            f"(memory_bytes in {_WHERE})"
        )
    if _PROCESSES.search(said):
        return (
            f"it may have {limits.processes} processes and threads at a time (processes in "
            f"{_WHERE}); the stack of each thread also counts as memory"
        )
    if _OPEN_FILES.search(said):
        return f"a process may have {limits.open_files} files open (open_files in {_WHERE})"
    if _FILE_SIZE.search(said):
        most = limits.file_bytes // _MIB
        return f"a file that it writes may have {most} MiB (file_bytes in {_WHERE})"
    if _SCRATCH.search(said):
        most = limits.scratch_bytes // _MIB
        return f"all of /tmp may hold {most} MiB (scratch_bytes in {_WHERE})"
    if _READ_ONLY.search(said):
        return (
            "it may write to /tmp alone, which is empty at every start: docs/reference/isolation.md"
        )
    if _NETWORK.search(said):
        return (
            "there is no network but the connection to the game master: bring what the bot needs "
            "in its folder"
        )
    return ""


def _find_false_start(program: Program, log: str, reason: str) -> str:
    """Return what to mend in a program that never joined and that told no error of its own."""
    command = " ".join(program.command)
    if found := _NO_COMMAND.search(log):
        return _explain_command(program, found[1], found[2])
    if found := _NO_SCRIPT.search(log):
        name = found[1].rpartition("/")[2]
        return f"`command` of bot.toml is `{command}`, but there is no {name} in the bot's folder"
    if _NO_FORMAT.search(log):
        return (
            f"`command` of bot.toml is `{command}`, which is no program for this machine "
            f"({platform.machine()}, Linux); a script needs a first line such as #!/usr/bin/env "
            "python"
        )
    if "exited with status 0" in reason and program.runtime == _PYTHON:
        return _explain_quiet_end(program)
    return ""


def _explain_command(program: Program, name: str, what: str) -> str:
    told = f"`command` of bot.toml starts with {name}"
    if what != "No such file":
        return f"{told}, which is not executable: chmod +x, before it is handed in"
    if (program.folder / name).is_file():
        return (
            f"{told}, and what its first line names, or the system's loader that it needs, is not "
            "on the platform's machine: link it statically"
        )
    there = {"python": "`python`", "node": "`node`"}.get(program.runtime)
    runtime = f"{there}, which runtime {program.runtime} has, or " if there else ""
    return (
        f"{told}, which is not there: expected {runtime}a program of the bot's folder such as "
        "`./bot`"
    )


def _explain_quiet_end(program: Program) -> str:
    calls = any(re.search(r"\brun\(", source) for source in _read_sources(program))
    if calls:
        return (
            f"the program ended without joining, so it never came to its `run(...)`: check that "
            f"the line before it is exactly `{_GUARD}`"
        )
    return (
        f"the program ended without joining, for it has no `run(...)`: end it with `{_GUARD}` and "
        "below that, indented, `run(MyBot)`"
    )


def _read_sources(program: Program) -> Iterator[str]:
    """Yield the Python files that the command names."""
    for word in program.command:
        path = program.folder / word
        if word.endswith(".py") and path.is_file():
            with path.open("rb") as file:
                yield file.read(_MOST_SOURCE).decode(errors="replace")
