"""Looks for what an earlier instance of itself left, and leaves something in every way it can."""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from attacks.bots.attempt import PLAN, attempt, play, say
from attacks.bots.kernel import NUMBERS, SESSION_KEYRING, call

MARK: str = PLAN["mark"]
KEY = sum(MARK.encode()) + 0x0B075
FOLDERS = (
    os.environ["TMPDIR"], "/tmp", "/bot", "/dev/shm", "/dev/mqueue", "/var/tmp", "/run", "/mazzo",
    "/run/lock", "/var/lock", "/home", "/usr/local", *PLAN["folders"],
)  # fmt: skip
KEYRINGS = {"session": SESSION_KEYRING, "user": -4, "user's session": -5, "process": -2}
NUMBERS |= {"shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186)}
CREATE = os.O_CREAT | os.O_RDWR


def marked(folder: str) -> str:
    return os.path.join(folder, MARK)


def leave_file(folder: str) -> str:
    with open(marked(folder), "x") as file:
        file.write("a card")
    return folder


def look_for_key(keyring: int) -> int:
    return call("keyctl", 10, keyring, b"user", MARK.encode(), 0)  # KEYCTL_SEARCH


def leave_key(keyring: int) -> int:
    return call("add_key", b"user", MARK.encode(), b"a card", 6, keyring)


def leave_process() -> str:
    """One that holds an abstract socket, and stays for longer than any battle takes."""
    door = socket.socket(socket.AF_UNIX)
    door.bind("\0" + MARK)
    door.listen()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)
    os.wait()
    return "left"


def call_process() -> str:
    with socket.socket(socket.AF_UNIX) as way:
        way.connect("\0" + MARK)
        return "answered"


LOOK: dict[str, Callable[[], object]] = {
    **{f"file in {folder}": partial(os.stat, marked(folder)) for folder in FOLDERS},
    **{f"key of the {name}": partial(look_for_key, ring) for name, ring in KEYRINGS.items()},
    "message queue": lambda: call("mq_open", MARK.encode(), os.O_RDONLY, 0, None),
    "shared memory": lambda: call("shmget", KEY, 0, 0),
    "semaphores": lambda: call("semget", KEY, 0, 0),
    "messages": lambda: call("msgget", KEY, 0),
    "process": call_process,
    "attribute": lambda: os.getxattr("/bot/plan.json", "user.mark"),
}
LEAVE: dict[str, Callable[[], object]] = {
    **{f"file in {folder}": partial(leave_file, folder) for folder in FOLDERS},
    **{f"key of the {name}": partial(leave_key, ring) for name, ring in KEYRINGS.items()},
    "message queue": lambda: call("mq_open", MARK.encode(), CREATE, 0o600, None),
    "shared memory": lambda: call("shmget", KEY, ctypes.c_long(4096).value, 0o1666),
    "semaphores": lambda: call("semget", KEY, 1, 0o1666),
    "messages": lambda: call("msgget", KEY, 0o1666),
    "process": leave_process,
    "attribute": lambda: os.setxattr("/bot/plan.json", "user.mark", b"a card"),
}


def others() -> list[int]:
    """Processes with its mark that are not itself."""
    found = []
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if name.isdigit() and MARK.encode() in Path("/proc", name, "cmdline").read_bytes():
                found.append(int(name))
    return sorted(set(found) - {os.getpid(), os.getppid(), 1})


def main() -> None:
    for name, action in LOOK.items():
        attempt(f"look for {name}", action)
    say("processes", str(others()))
    for name, action in LEAVE.items():
        attempt(f"leave {name}", action)
    for name, action in LOOK.items():
        attempt(f"look again for {name}", action)
    play()


if __name__ == "__main__":
    main()
