"""The part that is common to bots' processes in different sandboxes."""

from __future__ import annotations

import asyncio
import os
import re
from abc import ABC, abstractmethod
from asyncio.subprocess import Process
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from pathlib import Path
from typing import TypeVar

from mazzo_server.sandbox.base import Exit, Limits, MemoryPeak
from mazzo_server.sandbox.capture import Capture

__all__ = ["WatchedProcess", "bind_process", "call_in_full"]

_LAST_OUTPUT_SECONDS = 2.0
_MOST_PROCESSES = 256  # of which the memory is read
_PEAK = re.compile(rb"^VmHWM:\s+(\d+) kB$", re.MULTILINE)

T = TypeVar("T")


class WatchedProcess(ABC):
    """A process with a task that watches it, its descendants and its output until their end."""

    def __init__(self, process: Process, output: Capture) -> None:
        self._process = process
        self._output = output
        self._ending = asyncio.create_task(self._watch())

    @property
    def pid(self) -> int:
        """The process that we started, which leads a group of its own."""
        return self._process.pid

    @property
    def log_size(self) -> int:
        return self._output.size

    def read_log(self, since: int = 0) -> str:
        return self._output.read(since)

    def read_memory_peak(self) -> MemoryPeak:
        return MemoryPeak(used_bytes=max(_list_peaks(self.pid), default=0))

    async def wait(self) -> Exit:
        # Shielded: a time-out of the caller must not leave the process unwatched.
        return await asyncio.shield(self._ending)

    async def kill(self) -> None:
        if not self._ending.done():
            self._kill_tree()
        await asyncio.shield(self._ending)

    async def _watch(self) -> Exit:
        code = await self._process.wait()
        self._kill_tree()
        await self._tree_ended()
        await self._output.finish(seconds=_LAST_OUTPUT_SECONDS)
        return await self._exit(code)

    @abstractmethod
    def _kill_tree(self) -> None:
        """Send SIGKILL to all that still lives; called any number of times."""

    @abstractmethod
    async def _tree_ended(self) -> None:
        """Wait until the descendants are gone as well, where we can know that."""

    async def _exit(self, code: int) -> Exit:
        """Return the exit for the status of the process; negative numbers are signals."""
        if code < 0:
            return Exit(code=None, signal=-code)
        return Exit(code=code, signal=None)


def _list_peaks(pid: int) -> Iterator[int]:
    """Yield the bytes that a process, and those below it, had in memory at most."""
    left = [pid]
    for _ in range(_MOST_PROCESSES):
        if not left:
            return
        process = left.pop()
        try:
            children = Path(f"/proc/{process}/task/{process}/children").read_bytes().split()
            status = Path(f"/proc/{process}/status").read_bytes()  # with a name of any bytes
        except OSError:  # it has ended, or the kernel does not tell
            continue
        if peak := _PEAK.search(status):
            yield int(peak[1]) * 1024
        left += map(int, children)


async def call_in_full(call: Callable[[], T], threads: Executor | None = None) -> T:
    """Call it in a thread, to its end even when cancelled: its result must not be forgotten."""
    future = asyncio.get_running_loop().run_in_executor(threads, call)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        await asyncio.wait((future,))
        raise


def bind_process(pid: int, limits: Limits) -> None:
    """Bind a process, and all that it will start, to the processors on which it may run."""
    if processors := limits.list_processors():
        os.sched_setaffinity(pid, processors)
