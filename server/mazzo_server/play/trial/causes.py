"""Recognises the usual causes for which a bot's program ends, and says what to mend.

They are recognised by what Python, Node.js, `env` and the system say, and by how the process ended.
"""

from __future__ import annotations

import ast
import platform
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath

from mazzo.version import VERSION
from mazzo_server.model import ProgramError
from mazzo_server.sandbox import Limits

__all__ = ["Program", "find_cause"]

_MIB = 1024 * 1024
_WHERE = "docs/reference/settings.md, limits of bots"
_ASKED = "which the organiser gives, or bot.toml asks for"
_GUARD = 'if __name__ == "__main__":'
_PYTHON = "python"
_PLATFORM_PACKAGES = {"mazzo", "numpy", "grpc", "google", "typing_extensions"}
_MOST_SOURCE = 1024 * 1024  # bytes of a program that are looked through
_MOST_SAID = 2000  # characters of what it wrote

# Of an error's text, from its beginning.
_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
_NO_NAME = re.compile(r"ImportError: cannot import name '(\w+)' from '(mazzo[\w.]*)'")
_NO_LIBRARY = re.compile(r"ImportError: (\S+\.so\S*): cannot open shared object file")
_NO_NODE_MODULE = re.compile(r"\w*Error(?: \[\w+\])?: Cannot find (?:module|package) '([^']+)'")
_SYNTAX = re.compile(r"(?:SyntaxError|IndentationError|TabError): ")
_NO_FILE = re.compile(r"FileNotFoundError: .*No such file or directory: '(/[^']*)'")
_MEMORY = re.compile(r"MemoryError|[\w.]+\._ArrayMemoryError|\w+: \[Errno 12\]|RangeError: Array b")
_THREADS = re.compile(r"RuntimeError: can't start new thread")
_AGAIN = re.compile(r"\w+: \[Errno 11\]|Error: spawn \S+ EAGAIN")
_STARTS_PROCESS = re.compile(r"fork|Popen|Process|subprocess|Pool|Executor|spawn|Thread")
_OPEN_FILES = re.compile(r"\w+: \[Errno 24\]|Error: EMFILE")
_FILE_SIZE = re.compile(r"\w+: \[Errno 27\]|Error: EFBIG")
_SCRATCH = re.compile(r"\w+: \[Errno 28\]|Error: ENOSPC")
_READ_ONLY = re.compile(r"\w+: \[Errno 30\]|Error: EROFS")
_NETWORK = re.compile(
    r"[\w.]+: (?:<urlopen error )?\[Errno (?:97|101|-2|-3|-5)\]|\w*Error: .*"
    r"(?:ENOTFOUND|EAI_AGAIN|EAFNOSUPPORT|ENETUNREACH)"
)
# In the log, of programs that end without an error that can be read.
_SECOND_PROCESS = re.compile(
    r"finished its bootstrapping phase|expected one stream with this session's token"
)
_MEMORY_SAID = re.compile(
    r"JavaScript heap out of memory|std::bad_alloc|memory allocation of \d+ bytes failed"
)
_NO_COMMAND = re.compile(r"(?:^|\n)\S*env: .(.{1,300}?).: (No such file|Permission denied)")
_NO_SCRIPT = re.compile(
    r"can't open file '([^']+)'|can't find '__main__' module in '([^']+)'"
    r"|(?:^|\n)\S*sh: (?:line \d+: )?(.+?): No such file"
)
_NO_MAIN_MODULE = re.compile(r"(?:^|\n)\S*python\S*: No module named (\S+)")
_NO_FORMAT = re.compile(r"Exec format error")


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A bot's program, and the limits under which it runs."""

    folder: Path
    packages: Path | None  # of its wheels
    command: tuple[str, ...]
    runtime: str
    limits: Limits | None  # None: it runs without isolation, and nothing bounds it


def find_cause(
    program: Program, *, reason: str, log: str, error: ProgramError | None, joined: bool
) -> str:
    """Return what to mend in a program that ended too early; "" where the cause is unknown.

    `reason` says how it ended, `log` is what it wrote, `error` what of it could be read; `joined`
    tells whether it had joined before.
    """
    limits, said = program.limits, log[-_MOST_SAID:]
    if limits is not None and ("ran out of memory" in reason or _MEMORY_SAID.search(said)):
        return _explain_memory(limits)
    if limits is not None and "SIGXFSZ" in reason:
        return _explain_file_size(limits)
    if _SECOND_PROCESS.search(log):  # what it said need not be the last error
        return (
            f"a second process ran the whole program: put `{_GUARD}` before `run(...)`, as what "
            "multiprocessing starts loads the file again"
        )
    if error is not None:
        return _find_broken_code(program, error) or (
            "" if limits is None else _find_passed_limit(limits, error)
        )
    return "" if joined else _find_false_start(program, said, reason)


def _find_broken_code(program: Program, error: ProgramError) -> str:
    if found := _NO_MODULE.match(error.text):
        return _explain_module(program, found[1])
    if found := _NO_NAME.match(error.text):
        return f"the platform has Mazzo {VERSION}, and there is no {found[1]} in {found[2]}"
    if found := _NO_LIBRARY.match(error.text):
        return (
            f"the platform's machine has no library {found[1]}: choose a wheel that brings it "
            "along, one for manylinux"
        )
    is_of_file = bool(error.frames) and not error.frames[0].function
    if _SYNTAX.match(error.text) and is_of_file and program.runtime == _PYTHON:
        return f"the platform cannot read that line: it runs Python {platform.python_version()}"
    if (found := _NO_NODE_MODULE.match(error.text)) and program.runtime == "node":
        return _explain_node_module(found[1])
    return ""


def _explain_module(program: Program, module: str) -> str:
    top, _, rest = module.partition(".")
    if top == "mazzo":
        return f"the platform has Mazzo {VERSION}, and there is no {module} in it"
    places = [program.folder, *(program.folder / word for word in program.command)]
    beside = [place if place.is_dir() else place.parent for place in places]
    folders = [*beside, *([program.packages] if program.packages else [])]
    is_there = any(_is_module(folder / top) for folder in folders)
    if rest and (top in sys.stdlib_module_names | _PLATFORM_PACKAGES or is_there):
        return f"there is no {rest} in {top}"
    inside = next(_find_in_folder(program.folder, top), None)
    if inside is not None and not is_there:
        return (
            f"{top} is in the bot's folder as {inside}, but not beside the program: move it "
            "there, or add its folder to sys.path before the import"
        )
    return (
        f"the platform has no package {top}, only Mazzo and NumPy beside Python's own library: "
        "put its wheel into the folder wheels/ of the bot (`pip download --only-binary=:all: "
        f"--dest wheels {top}`, if that is its name there too; docs/reference/bot-toml.md), or "
        f"the file {top}.py beside the program if it is yours"
    )


def _is_module(path: Path) -> bool:
    return path.with_name(f"{path.name}.py").is_file() or any(path.glob("*.py"))


def _find_in_folder(folder: Path, name: str) -> Iterator[Path]:
    """Yield where a module of that name lies in a folder."""
    for path in sorted(folder.rglob(f"{name}*")):
        if path.name == f"{name}.py" or (path.name == name and any(path.glob("*.py"))):
            yield path.relative_to(folder)


def _explain_node_module(name: str) -> str:
    if name.startswith(("/", ".", "file:")):
        return (
            f"the file {_clean_path(name)} is not in the bot's folder: `command` of bot.toml "
            "and every import name files by their paths there"
        )
    return (
        f"the package {name} is not in node_modules: the platform installs nothing, so run "
        "`npm install --no-bin-links` in the bot's folder, and hand it in with node_modules"
    )


def _clean_path(path: str) -> str:
    return path.removeprefix("file://").removeprefix("/bot/")


def _find_passed_limit(limits: Limits, error: ProgramError) -> str:
    """Return a sentence about the limit that was passed, with its value."""
    text = error.text
    if found := _NO_FILE.match(text):
        return (
            f"the bot finds its own folder and nothing else of your machine, so not {found[1]}: "
            "put the file there, and open Path(__file__).with_name(...)"
        )
    if _MEMORY.match(text):
        return _explain_memory(limits)
    starts = any(_STARTS_PROCESS.search(frame.code) for frame in error.frames)
    if _THREADS.match(text) or (starts and _AGAIN.match(text)):
        return (
            f"it may have {limits.processes} processes and threads at a time (processes, {_ASKED}; "
            f"{_WHERE}); the stack of each thread also counts as memory"
        )
    if _OPEN_FILES.match(text):
        return f"a process may have {limits.open_files} files open (open_files in {_WHERE})"
    if _FILE_SIZE.match(text):
        return _explain_file_size(limits)
    if _SCRATCH.match(text):
        most = limits.scratch_bytes // _MIB
        return f"all of /tmp may hold {most} MiB (disk_mib, {_ASKED}; {_WHERE})"
    if _READ_ONLY.match(text):
        return (
            "it may write to /tmp alone, which is empty at every start: docs/reference/isolation.md"
        )
    if _NETWORK.match(text):
        return (
            "there is no network but the connection to the game master: bring what the bot needs "
            "in its folder"
        )
    return ""


def _explain_memory(limits: Limits) -> str:
    return (
        f"it needs more memory than it may have: {limits.memory_bytes // _MIB} MiB "
        f"(memory_mib, {_ASKED}; {_WHERE})"
    )


def _explain_file_size(limits: Limits) -> str:
    most = limits.file_bytes // _MIB
    return f"a file that it writes may have {most} MiB (disk_mib, {_ASKED}; {_WHERE})"


def _find_false_start(program: Program, said: str, reason: str) -> str:
    """Return what to mend in a program that never joined and that told no error of its own."""
    command = f"`command` of bot.toml is `{' '.join(program.command)}`"
    if found := _NO_COMMAND.search(said):
        return _explain_command(program, found[1], found[2])
    if found := _NO_SCRIPT.search(said):
        name = _clean_path(found[1] or found[2] or found[3])
        return f"{command}, but there is no program {name} in the bot's folder"
    if found := _NO_MAIN_MODULE.search(said):
        return f"{command}, but there is no module {found[1]} in the bot's folder"
    if _NO_FORMAT.search(said):
        return (
            f"{command}, which is no program for this machine ({platform.machine()}, Linux); a "
            "script needs a first line such as #!/usr/bin/env python"
        )
    if "exited with status 0" in reason and program.runtime == _PYTHON:
        return _explain_quiet_end(program)
    return ""


def _explain_command(program: Program, name: str, what: str) -> str:
    told = f"`command` of bot.toml starts with {name}"
    file = program.folder / name
    if file.is_dir():
        return f"{told}, which is a folder: name the program in it"
    if what != "No such file":
        return f"{told}, which is not executable: chmod +x, before it is handed in"
    if file.is_file():
        return (
            f"{told}, and what its first line names, or the system's loader that it needs, is not "
            "on the platform's machine: link it statically"
        )
    if name in (_PYTHON, "python3", "node"):
        needed = "node" if name == "node" else _PYTHON
        return f'{told}, which runtime {program.runtime} does not have: say runtime = "{needed}"'
    there = program.runtime if program.runtime in (_PYTHON, "node") else ""
    runtime = f"`{there}`, which runtime {there} has, or " if there else ""
    return (
        f"{told}, which is not there: expected {runtime}a program of the bot's folder such as "
        "`./bot`"
    )


def _explain_quiet_end(program: Program) -> str:
    calls = [_has_run_call(source) for source in _read_sources(program)]
    if not calls:
        return "the program ended without joining: it has to come to `run(MyBot)` of the SDK"
    if any(calls):
        return (
            "the program ended without joining, so it never came to its `run(...)`: check that "
            f"the line before it is exactly `{_GUARD}`, and that nothing ends the program earlier"
        )
    return (
        f"the program ended without joining, for it has no `run(...)`: end it with `{_GUARD}` and "
        "below that, indented, `run(MyBot)`"
    )


def _read_sources(program: Program) -> Iterator[str]:
    """Yield the Python files that the command names, also as a module."""
    words = program.command
    names = [*words, *(f"{after}.py" for word, after in pairwise(words) if word == "-m")]
    for name in names:
        path = program.folder / PurePosixPath(name)
        if name.endswith(".py") and path.is_file():
            with path.open("rb") as file:
                yield file.read(_MOST_SOURCE).decode(errors="replace")


def _has_run_call(source: str) -> bool:
    """Tell whether a program calls the `run` of the SDK anywhere."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True  # nobody can say
    names = {
        alias.asname or alias.name
        for node in nodes
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "mazzo"
        for alias in node.names
        if alias.name in ("run", "*")
    }
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        match node.func:
            case ast.Name(id=name) if name in names or (name == "run" and "*" in names):
                return True
            case ast.Attribute(value=ast.Name(id="mazzo"), attr="run"):
                return True
    return False
