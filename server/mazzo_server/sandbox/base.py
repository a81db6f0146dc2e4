"""What the platform asks of every way of running a bot, and the values that pass between."""

from __future__ import annotations

import signal as signals
from abc import abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

__all__ = ["Exit", "Launch", "Limits", "Sandbox", "SandboxedProcess"]

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one instance of a bot may use. All sizes are in bytes."""

    memory_bytes: int = 512 * _MIB  # private memory of each process
    # and, with `scratch_bytes`, all that the instance uses, where there are control groups
    processes: int = 64  # processes and threads at one time
    open_files: int = 256  # of each process
    file_bytes: int = 64 * _MIB  # of each file that is written
    scratch_bytes: int = 64 * _MIB  # the private folder for temporary files, in all
    output_bytes: int = 256 * 1024  # how much of the end of its output is kept
    cores: float | None = None  # processors that it may keep busy, in all; None: every one


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One instance to start.

    `command` runs with `bundle`, an unpacked bot, as working directory, and finds what
    `runtime` promises: "python", "node" or "binary". `packages` is a folder of Python packages
    of its own. `socket` is the instance's only way out: a Unix socket that listens already,
    for this instance alone.
    """

    bundle: Path
    command: tuple[str, ...]
    runtime: str = "python"
    packages: Path | None = None
    socket: Path
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    """How an instance ended: with a status or by a signal, one of the two."""

    code: int | None
    signal: int | None
    platform: bool = False
    # The sandbox itself failed or was ended from outside: provably not the bot's doing.
    out_of_memory: bool = False
    # The kernel ended it: the memory that it may use ran out, or if `platform`, the machine's.

    def describe(self) -> str:
        """To follow the bot's name: "exited with status 1"."""
        if self.out_of_memory:
            whose = "the machine" if self.platform else "it"
            return f"was killed by the kernel, as {whose} ran out of memory"
        what = "lost its sandbox, which " if self.platform else ""
        if self.signal is None:
            return f"{what}exited with status {self.code}"
        try:
            name = f" ({signals.Signals(self.signal).name})"
        except ValueError:
            name = ""
        return f"{what}was killed by signal {self.signal}{name}"


class SandboxedProcess(Protocol):
    """A running instance of a bot.

    Its output is read all the time, so that a full pipe never stops it. Whoever started
    it calls `wait` or `kill` before the event loop ends.
    """

    @property
    def log(self) -> str:
        """The end of what it wrote to standard output and standard error, in one stream."""

    @abstractmethod
    def freeze(self) -> None:
        """Give it no processor time until `thaw`; where `Limits.cores` was set, else nothing."""

    @abstractmethod
    def thaw(self) -> None:
        """Let it go on; any number of times, and when it has ended too."""

    @abstractmethod
    def run_on(self, processor: int) -> None:
        """Let it use this processor alone, of those that the platform may use, by its number.

        Where `Limits.cores` was set and the machine can, else nothing; when it has ended too.
        """

    async def wait(self) -> Exit:
        """How it ended; by then every process that it started is gone too."""

    async def kill(self) -> None:
        """End it with all that it started, and wait for that; any number of times."""


class Sandbox(Protocol):
    """One way of running bots. It may be used for any number of instances at once."""

    name: str
    bounds_cores: bool = False
    # Whether it keeps to `Limits.cores`, and its instances can be frozen, on this machine.

    async def start(self, launch: Launch, limits: Limits) -> SandboxedProcess:
        """Start an instance, its limits in force before its first instruction.

        Raises IsolationError when the sandbox itself cannot start, or cannot keep to the limits
        (`cores` needs a control group), or has no such runtime; a command that does not exist is
        a bot that exits at once. Call it in a thread that lives as long as the instance: the
        kernel ends the instance with the thread.
        """
