"""What files were read and what names were looked up: the kernel remembers it, and time tells it.

A bot that looked up a name, be it of a file that is not there, makes the next look at it faster,
also in another instance. So it could tell the next seating of the same deals what it saw.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = ["clear_caches", "has_cache_access"]

_DROP_CACHES: Final = Path("/proc/sys/vm/drop_caches")
# Names and files that nobody has open now, and with them their contents; 4: do not log it. See
# the kernel's Documentation/admin-guide/sysctl/vm.rst.
_NAMES_AND_FILES: Final = "6"


def has_cache_access() -> bool:
    """Tell whether this process may do so: as root on the machine, and in few containers."""
    return os.access(_DROP_CACHES, os.W_OK)


async def clear_caches() -> None:
    """Make the kernel forget them, where it may be asked to; a hundredth of a second as a rule."""
    if has_cache_access():
        with suppress(OSError):
            await asyncio.to_thread(_DROP_CACHES.write_text, _NAMES_AND_FILES)
