"""Gives memory that is no longer used back to the machine.

After 40 uploads at once 53 MiB stayed for good: 37 MiB that the allocator of the C library keeps
until it is told to give them back, and 13 MiB in cycles of calls that ended, for which Python's
garbage collector comes late in a process of many objects and few allocations.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import resource
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

__all__ = ["keep_memory_small"]

_INTERVAL = 4.0  # seconds
_PATIENCE = 12  # looks: so often in a row, and once in so many that find nothing
_GROWTH = 8 * 1024 * 1024  # bytes from which on it is worth the work
_MMAP_THRESHOLD, _LARGE = -3, 64 * 1024  # glibc's parameter, and bytes


def _measure_memory() -> int:
    """Return the resident bytes of this process."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:  # no Linux
        return 0
    return pages * resource.getpagesize()


@asynccontextmanager
async def keep_memory_small(
    *,
    interval: float = _INTERVAL,
    patience: int = _PATIENCE,
    measure: Callable[[], int] = _measure_memory,
    trim: Callable[[], None] | None = None,
) -> AsyncIterator[None]:
    """Look at the process's memory while the context lasts, and trim it when it has grown.

    What is still there after as many trims in a row as the `patience` is in use: from then on
    that is the usual size. A trim takes 50 ms or so of a large process.
    """
    _return_large_blocks()
    task = asyncio.create_task(_keep_small(interval, patience, measure, trim or _find_trim()))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _keep_small(
    interval: float, patience: int, measure: Callable[[], int], trim: Callable[[], None]
) -> None:
    usual = measure()
    looks = vain = 0
    while True:
        await asyncio.sleep(interval)
        looks += 1
        now = measure()
        has_grown = now >= usual + _GROWTH
        if has_grown or looks % patience == 0:
            await asyncio.to_thread(trim)
            now = measure()
        vain = vain + 1 if has_grown else 0
        if vain == patience:  # it is in use
            usual, vain = now, 0
        usual = min(usual, now)


def _return_large_blocks() -> None:
    """Have every large block given back to the machine as soon as it is free.

    glibc does so at first, but raises its idea of large to 32 MiB by itself. A flood of headers
    from a bot took 260 MiB by that, and 8 without.
    """
    with suppress(AttributeError, OSError):  # another C library
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)


def _find_trim() -> Callable[[], None]:
    malloc_trim: Callable[[int], object]
    try:
        malloc_trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError):  # another C library

        def malloc_trim(_: int) -> None:
            pass

    def trim() -> None:
        gc.collect()
        malloc_trim(0)

    return trim
