"""The arguments of bwrap that confine a bot."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from mazzo_server.errors import IsolationError
from mazzo_server.sandbox.base import Launch
from mazzo_server.sandbox.namespaces.userns import UserNamespace
from mazzo_server.sandbox.runtime import (
    INNER_PACKAGES,
    INNER_SCRATCH,
    INNER_SOCKET,
    find_package,
    list_bot_packages,
    make_inner_environment,
)

__all__ = [
    "list_bot_options",
    "list_namespace_options",
    "list_runtime_options",
    "list_sealing_options",
    "list_system_options",
]

_NOBODY = 65534


def list_namespace_options(user: UserNamespace | None) -> Iterator[str]:
    """Return the options for new namespaces, in `user` if it is given; no name, no rights."""
    if user is None:
        yield from ("--unshare-user", "--disable-userns")
    else:
        # The bot would inherit this descriptor, but one for synchronisation is closed before it
        # starts.
        yield from ("--userns", str(user.descriptor), "--sync-fd", str(user.descriptor))
    for kind in ("pid", "net", "ipc", "uts", "cgroup"):
        yield f"--unshare-{kind}"
    bot = str(user.id if user else _NOBODY)
    yield from ("--uid", bot, "--gid", bot, "--hostname", "bot")
    yield from ("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv")


def list_system_options(scratch_bytes: int, proc_files: Mapping[str, int]) -> Iterator[str]:
    """Return the options for the part of the file system that is the same for every bot.

    `proc_files` are descriptors from which the files of `/proc` can be read once, by their paths.
    """
    yield from ("--size", str(scratch_bytes), "--tmpfs", INNER_SCRATCH)
    yield from ("--dir", "/proc", "--dev", "/dev")
    for path, descriptor in proc_files.items():
        yield from ("--perms", "0444", "--file", str(descriptor), path)
    yield from ("--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts")  # no terminals
    yield from ("--ro-bind", "/usr", "/usr")
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        folder = Path("/", name)
        if folder.is_symlink():
            yield from ("--symlink", os.readlink(folder), str(folder))
        elif folder.is_dir():
            yield from ("--ro-bind", str(folder), str(folder))
    yield from ("--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache")


def list_runtime_options(name: str) -> Iterator[str]:
    """Return the options for what a runtime needs; block. Raises IsolationError."""
    match name:
        case "python":
            yield from _list_python_options()
        case "node":
            yield from _list_node_options()
        case "binary":
            pass
        case _:
            raise IsolationError(f"expected a runtime among python, node, binary, got {name!r}")
    platform = find_package("mazzo_server")
    bound = [Path("/usr"), *([_find_python_folder()] if name == "python" else [])]
    if platform and any(platform.is_relative_to(folder) for folder in bound):
        yield from ("--tmpfs", str(platform), "--remount-ro", str(platform))


def _find_python_folder() -> Path:
    return Path(sys.base_prefix).resolve()


def _list_python_options() -> Iterator[str]:
    base = _find_python_folder()
    interpreter = Path(getattr(sys, "_base_executable", None) or sys.executable).resolve()
    yield from _bind_installation("Python", base)
    for name in ("python", "python3"):
        yield from ("--symlink", str(interpreter), f"/mazzo/bin/{name}")
    for inner, place in list_bot_packages().items():
        yield from ("--ro-bind", str(place), f"/mazzo/lib/{inner}")


def _list_node_options() -> Iterator[str]:
    program = _find_node()
    prefix = program.parents[1]
    if (prefix / "include" / "node").is_dir():  # the layout of Node's own archives
        yield from _bind_installation("Node", prefix)
    else:
        yield from ("--ro-bind", str(program), str(program))
    yield from ("--symlink", str(program), "/mazzo/bin/node")


def _bind_installation(what: str, folder: Path) -> Iterator[str]:
    if folder.is_relative_to("/usr"):
        return
    if folder in (Path("/"), Path.home()):
        raise IsolationError(
            f"expected {what} to be installed in a folder of its own, got {folder}; "
            "bots could read all of it"
        )
    yield from ("--ro-bind", str(folder), str(folder))


@functools.cache
def _find_node() -> Path:
    """Return the real place of Node: the program on PATH may be a script that chooses a version."""
    found = shutil.which("node")
    try:
        if found is None:
            raise FileNotFoundError("expected the program node on PATH, got none")
        asked = subprocess.run(  # noqa: S603
            [found, "-p", "process.execPath"], capture_output=True, check=True, timeout=20
        )
        return Path(os.fsdecode(asked.stdout).strip()).resolve(strict=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise IsolationError(
            f"bots of the runtime node cannot be run on this machine: {error}; install Node.js"
        ) from error


def list_bot_options(launch: Launch) -> Iterator[str]:
    """Return the options for an instance's own bundle, socket and environment variables."""
    yield from ("--ro-bind", str(launch.bundle.resolve()), "/bot", "--chdir", "/bot")
    # Node and others look for their own program here.
    yield from ("--symlink", _find_program(launch), "/proc/self/exe")
    yield from ("--ro-bind", str(launch.socket.resolve()), str(INNER_SOCKET))
    if launch.packages:
        yield from ("--ro-bind", str(launch.packages.resolve()), str(INNER_PACKAGES))
    for name, value in make_inner_environment(launch).items():
        yield from ("--setenv", name, value)


def _find_program(launch: Launch) -> str:
    """Return the place, seen from inside, of the program that the bot's command starts."""
    name = launch.command[0]
    return str(Path("/bot", name)) if "/" in name else f"/mazzo/bin/{name}"


def list_sealing_options() -> Iterator[str]:
    """Return the last options: they seal what bwrap had to write to, and a bot could fill up."""
    yield from ("--remount-ro", "/dev", "--remount-ro", "/")
