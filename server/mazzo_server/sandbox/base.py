"""The interface of every sandbox, and the values that it takes and returns."""

from __future__ import annotations

import os
import signal as signals
from abc import abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from mazzo_server.settings import list_usable_processors

__all__ = ["CORE_BYTES", "Exit", "Launch", "Limits", "MemoryPeak", "Sandbox", "SandboxedProcess"]

_MIB = 1024 * 1024
# With 0 the kernel would still hand the memory of a crashed process to a program of the host, if
# `core_pattern` names one. With 1 byte it writes no core at all.
CORE_BYTES = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one instance of a bot. All sizes are in bytes."""

    memory_bytes: int = 512 * _MIB  # private memory of each process
    # with control groups also, together with `scratch_bytes`, the whole memory of the instance
    processes: int = 64  # processes and threads at one time
    open_files: int = 256  # of each process
    file_bytes: int = 64 * _MIB  # of each file that is written
    scratch_bytes: int = 64 * _MIB  # the private folder for temporary files, as a whole
    output_bytes: int = 256 * 1024  # the size of the end of its output that is kept
    cores: float | None = None  # processors that it may keep busy, as a whole; None: all
    processor_share: float = 1.0  # the part of the platform's processors on which it may run

    def list_processors(self) -> list[int]:
        """Return the numbers of the processors of this machine on which it may run.

        An empty list means all of them, as always off Linux.
        """
        if self.processor_share == 1.0 or not hasattr(os, "sched_setaffinity"):
            return []
        return list_usable_processors(self.processor_share)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPeak:
    """The most memory that an instance has held."""

    used_bytes: int = 0  # 0: it cannot be told
    in_all: bool = False  # of all its processes and its scratch folder; False: of the largest one

    def compute_limit(self, limits: Limits) -> int:
        """Return how many bytes the instance may hold of what was counted."""
        return limits.memory_bytes + (limits.scratch_bytes if self.in_all else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One instance to start.

    `command` runs with `bundle`, an unpacked bot, as working directory, and finds what `runtime`
    provides: "python", "node" or "binary". `packages` is a folder of Python packages of its own.
    `socket` is the instance's only way out: a Unix socket that already listens, for this instance
    alone.
    """

    bundle: Path
    command: tuple[str, ...]
    runtime: str = "python"
    packages: Path | None = None
    socket: Path
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    """The end of an instance: either with a status or by a signal."""

    code: int | None
    signal: int | None
    platform: bool = False
    # The sandbox itself failed, or was ended from outside: provably not the bot's fault.
    out_of_memory: bool = False
    # The kernel ended it: the memory that it may use ran out, or if `platform`, the machine's.

    def describe(self) -> str:
        """Return words to follow the bot's name: "exited with status 1"."""
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

    Its output is read all the time, so that a full pipe never stops it. Its starter must call
    `wait` or `kill` before the event loop ends.
    """

    @property
    def log_size(self) -> int:
        """The bytes of its output so far: standard output and standard error, in one stream."""

    @abstractmethod
    def read_log(self, since: int = 0) -> str:
        """Return the end of its output after the first `since` bytes; also after its end."""

    def read_memory_peak(self) -> MemoryPeak:
        """Return the most memory that it held until now, where that can be told."""
        return MemoryPeak()

    @abstractmethod
    def freeze(self) -> None:
        """Give it no processor time until `thaw`; does nothing unless `Limits.cores` was set."""

    @abstractmethod
    def thaw(self) -> None:
        """Let it run again; any number of times, also after its end."""

    @abstractmethod
    def run_on(self, processor: int) -> None:
        """Restrict it to one of the processors that the platform may use, by number.

        Does nothing unless `Limits.cores` was set and the machine supports it. It may have ended.
        """

    async def wait(self) -> Exit:
        """Wait for its end and return it; by then every process that it started is gone too."""

    async def kill(self) -> None:
        """End it with all that it started, and wait for that; may be called any number of times."""


class Sandbox(Protocol):
    """One way to run bots. It can run any number of instances at once."""

    name: str
    has_limits: bool = True
    # Whether it keeps to limits that a bot cannot set aside, beside that of the output.
    bounds_cores: bool = False
    # Whether it keeps to `Limits.cores`, and its instances can be frozen, on this machine.

    async def start(self, launch: Launch, limits: Limits) -> SandboxedProcess:
        """Start an instance, with its limits in force before its first instruction.

        Raises IsolationError when the sandbox itself cannot start, cannot keep to the limits
        (`cores` needs a control group), or lacks the runtime. A command that does not exist is a
        bot that exits at once. Call it in a thread that lives as long as the instance: the kernel
        ends the instance with the thread.
        """

    async def forget(self) -> None:
        """Make the machine forget what instances that have ended read or looked up, if it can.

        Another instance could learn of it by how fast it finds the same.
        """
