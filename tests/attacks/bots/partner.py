"""Signals to its partner, another instance of itself that plays at the same time.

Both have the same files, of which neither may change a byte. The one in the lower seats takes
locks on them and opens them; the other one looks whether it can tell.
"""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import struct
from collections.abc import Callable

from attacks.bots.attempt import attempt, say
from attacks.bots.kernel import LIBC, NUMBERS, call
from mazzo import Action, Bot, View, run

NUMBERS |= {"cachestat": (451, 451), "fadvise64": (221, 223), "preadv2": (327, 286)}
FILE = "/bot/signal"
TAKE_TURNS = 2  # decisions after which the one that looks can be sure that the other has acted
F_OFD_GETLK, F_OFD_SETLK = 36, 37
IN_OPEN = 0x20
RWF_NOWAIT = 8
HELD = os.open(FILE, os.O_RDONLY)
SYSTEMS = os.open("/usr/bin/env", os.O_RDONLY)


def record(kind: int) -> bytes:
    return struct.pack("hhqqi4x", kind, os.SEEK_SET, 0, 1, 0)


def watch() -> int:
    """A descriptor that tells when the file is opened."""
    descriptor = int(LIBC.inotify_init1(os.O_NONBLOCK))
    if descriptor < 0 or LIBC.inotify_add_watch(descriptor, FILE.encode(), IN_OPEN) < 0:
        raise OSError(ctypes.get_errno(), "inotify")
    return descriptor


def cached() -> object:
    """Whether the kernel has the file in memory: what one read, the other finds there."""
    buffer = ctypes.create_string_buffer(1)
    vector = struct.pack("<QQ", ctypes.addressof(buffer), 1)
    return call("preadv2", HELD, vector, 1, 0, 0, RWF_NOWAIT)


def resident() -> int:
    """The same, as one who maps it into memory is told."""
    LIBC.mmap.restype = ctypes.c_void_p
    page = ctypes.c_void_p(LIBC.mmap(None, 4096, mmap.PROT_READ, mmap.MAP_SHARED, HELD, 0))
    if LIBC.mincore(page, 4096, ctypes.create_string_buffer(1)) < 0:
        raise OSError(ctypes.get_errno(), "mincore")
    return 0


# Whatever takes hold of a file in a way that another process can tell.
TAKE: dict[str, Callable[[], object]] = {
    "flock": lambda: fcntl.flock(HELD, fcntl.LOCK_SH | fcntl.LOCK_NB),
    "flock of the system's": lambda: fcntl.flock(SYSTEMS, fcntl.LOCK_SH | fcntl.LOCK_NB),
    "open file": lambda: fcntl.fcntl(HELD, F_OFD_SETLK, record(fcntl.F_RDLCK)),
    "lease": lambda: fcntl.fcntl(HELD, fcntl.F_SETLEASE, fcntl.F_RDLCK),
    "notice": lambda: fcntl.fcntl(os.open("/bot", os.O_RDONLY), fcntl.F_NOTIFY, 1),
    "watch": watch,
}
# Whatever tells of a file more than what is in it.
TELL: dict[str, Callable[[], object]] = {
    "flock": lambda: fcntl.flock(HELD, fcntl.LOCK_EX | fcntl.LOCK_NB),
    "record": lambda: fcntl.fcntl(HELD, fcntl.F_GETLK, record(fcntl.F_WRLCK)),
    "open file": lambda: fcntl.fcntl(HELD, F_OFD_GETLK, record(fcntl.F_WRLCK)),
    "cached": cached,
    "resident": resident,
    "cachestat": lambda: call("cachestat", HELD, struct.pack("<QQ", 0, 4096), bytes(40), 0),
    "forget": lambda: call("fadvise64", HELD, 0, 4096, 4),
}


class Partner(Bot):
    asked = 0

    def act(self, view: View) -> Action:
        Partner.asked += 1
        if view.seat < 2 and Partner.asked == 1:
            for name, action in TAKE.items():
                attempt(f"take by {name}", action)
            os.close(os.open(FILE, os.O_RDONLY))
        elif view.seat >= 2 and Partner.asked == TAKE_TURNS:
            for name, action in TELL.items():
                attempt(f"tell by {name}", action)
            say("opened by the other", str(len(events())))
        return view.random.choice(view.legal)


def events() -> bytes:
    try:
        return os.read(WATCH, 4096)
    except OSError:
        return b""


try:
    WATCH = watch()
except OSError:
    WATCH = -1

if __name__ == "__main__":
    run(Partner)
