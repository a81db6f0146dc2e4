"""The arguments of bwrap that confine a bot."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from mazzo_server.errors import IsolationError
from mazzo_server.sandbox.base import Launch
from mazzo_server.sandbox.runtime import bot_environment, bot_packages, package_path
from mazzo_server.sandbox.userns import UserNamespace

__all__ = ["bot", "namespaces", "sealed", "system"]

_SOCKET = Path("/run/mazzo.sock")
_SCRATCH = "/tmp"  # noqa: S108
_NOBODY = 65534


def namespaces(user: UserNamespace | None) -> Iterator[str]:
    """New namespaces of every kind, entering `user` if it is there; no name, no rights."""
    if user is None:
        yield from ("--unshare-user", "--disable-userns")
    else:
        yield from ("--userns", str(user.descriptor))
    for kind in ("pid", "net", "ipc", "uts", "cgroup"):
        yield f"--unshare-{kind}"
    bot = str(user.id if user else _NOBODY)
    yield from ("--uid", bot, "--gid", bot, "--hostname", "bot")
    yield from ("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv")


def system(scratch_bytes: int) -> Iterator[str]:
    """The part of the file system that is the same for every bot."""
    yield from ("--size", str(scratch_bytes), "--tmpfs", _SCRATCH)
    yield from ("--proc", "/proc", "--dev", "/dev")
    yield from ("--ro-bind", "/usr", "/usr")
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        folder = Path("/", name)
        if folder.is_symlink():
            yield from ("--symlink", os.readlink(folder), str(folder))
        elif folder.is_dir():
            yield from ("--ro-bind", str(folder), str(folder))
    yield from ("--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache")
    yield from _python()


def _python() -> Iterator[str]:
    base = Path(sys.base_prefix).resolve()
    interpreter = Path(getattr(sys, "_base_executable", None) or sys.executable).resolve()
    if not base.is_relative_to("/usr"):
        if base in (Path("/"), Path.home()):
            raise IsolationError(
                f"expected Python to be installed in a folder of its own, got {base}; "
                "bots could read all of it"
            )
        yield from ("--ro-bind", str(base), str(base))
    for name in ("python", "python3"):
        yield from ("--symlink", str(interpreter), f"/mazzo/bin/{name}")
    for inner, place in bot_packages().items():
        yield from ("--ro-bind", str(place), f"/mazzo/lib/{inner}")
    platform = package_path("mazzo_server")
    if platform and (platform.is_relative_to(base) or platform.is_relative_to("/usr")):
        yield from ("--tmpfs", str(platform), "--remount-ro", str(platform))


def bot(launch: Launch) -> Iterator[str]:
    """One instance's own: its bundle, its socket, its environment variables."""
    yield from ("--ro-bind", str(launch.bundle.resolve()), "/bot", "--chdir", "/bot")
    yield from ("--ro-bind", str(launch.socket.resolve()), str(_SOCKET))
    variables = bot_environment(
        socket=_SOCKET,
        token=launch.token,
        scratch=_SCRATCH,
        path=["/mazzo/bin", "/usr/local/bin", "/usr/bin", "/bin"],
        python_path=["/mazzo/lib"],
    )
    for name, value in variables.items():
        yield from ("--setenv", name, value)


def sealed() -> Iterator[str]:
    """Last of all: what bwrap had to write to until here, and what a bot could fill up."""
    yield from ("--remount-ro", "/dev", "--remount-ro", "/")
