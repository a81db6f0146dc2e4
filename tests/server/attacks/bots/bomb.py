"""Starts processes, or threads, that start more, until nothing more starts."""

from __future__ import annotations

import os
import threading
import time

from server.attacks.bots.attempt import PLAN, play, say
from server.attacks.bots.kernel import SIGCHLD, call


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


if __name__ == "__main__":
    play({"processes": forks, "threads": threads}[PLAN["way"]])
