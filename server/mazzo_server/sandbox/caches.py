"""What files were read and what names were looked up: the kernel remembers it, and time tells it.

A bot that looked up a name, be it of a file that is not there, makes the next look at it faster,
also in another instance. So it could tell the next seating of the same deals what it saw.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = ["clear_caches", "has_cache_access"]

_DROP_CACHES: Final = Path("/proc/sys/vm/drop_caches")
# See the kernel's Documentation/admin-guide/sysctl/vm.rst. Each is a write of its own, as some
# kernels take no sum of them.
_NO_LOG: Final = "4"  # it changes nothing else
_ALL: Final = "3"  # the contents of files, and the names and files that nobody has open


def has_cache_access() -> bool:
    """Tell whether this process may do so: as root on the machine, and in few containers."""
    try:
        _DROP_CACHES.write_text(_NO_LOG)
    except OSError:
        return False
    return True


async def clear_caches() -> None:
    """Make the kernel forget them, where it may be asked to; some hundredths of a second mostly."""
    await asyncio.to_thread(_clear)


def _clear() -> None:
    if has_cache_access():
        with suppress(OSError):  # it was allowed a moment ago
            _DROP_CACHES.write_text(_ALL)
