"""Reads what is not its own, and writes where nothing is its own."""

from __future__ import annotations

import errno
import importlib.util
import os
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from attacks.bots.attempt import PLAN, attempt, play, say

MARK = PLAN["mark"].encode()
SYSTEM = ("/proc", "/sys", "/usr", "/lib", "/lib64", "/dev/fd", *PLAN["python"])
TOUCHED = (
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/hostname",
    "/proc/sys/kernel/modprobe",
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/vm/drop_caches",
    "/proc/sys/fs/file-max",
    "/proc/sysrq-trigger",
    "/proc/self/exe",
    "/proc/1/exe",
    "/sys/fs/cgroup/cgroup.procs",
    "/sys/fs/cgroup/release_agent",
    "/sys/fs/cgroup/memory/cgroup.procs",
    "/sys/fs/cgroup/memory/release_agent",
    "/sys/kernel/uevent_helper",
    "/dev/kmsg",
    "/dev/mem",
    "/dev/sda",
    "/dev/vda",
    "/bot/bot.py",
    "/bot/plan.json",
    "/usr/bin/env",
    "/etc/ld.so.preload",
    "/etc/passwd",
)


# What several instances see, and not from a file system of their own.
SHARED = ("/dev/null", "/dev/urandom", "/proc/1/exe", "/proc/self/exe", "/bot", "/usr/bin/env")


def read(path: str) -> bytes:
    """Of a file its beginning, of a folder the names."""
    if stat.S_ISDIR(os.stat(path).st_mode):
        return b" ".join(os.fsencode(name) for name in os.listdir(path))
    with open(path, "rb", buffering=0) as file:
        return file.read(65_536)


def walk() -> Iterator[Path]:
    """Every file that can be seen, but for the system's."""
    for folder, folders, files in os.walk("/"):
        folders[:] = [name for name in folders if os.path.join(folder, name) not in SYSTEM]
        yield from (Path(folder, name) for name in (*folders, *files))


def mount_points() -> list[str]:
    try:
        with open("/proc/self/mountinfo") as mounts:
            return [line.split()[4] for line in mounts]
    except FileNotFoundError:
        return []


def holds_secret(path: Path) -> bool:
    if PLAN["secret"] in path.name:
        return True
    try:
        if not path.is_file() or str(path) == "/bot/plan.json":
            return False
        return PLAN["secret"].encode() in read(str(path))
    except OSError:
        return False


def search_processes() -> list[str]:
    """Every process that can be seen: environment, command line, folder, root, descriptors."""
    found = []
    own = {str(os.getpid()), "self", "thread-self"}
    for pid in {name for name in os.listdir("/proc") if name.isdigit()} - own:
        for what in ("environ", "cmdline", "mem", "maps", "cwd", "root", "fd", "root/proc/1/root"):
            try:
                if PLAN["secret"].encode() in read(f"/proc/{pid}/{what}"):
                    found.append(f"{what} of {pid}")
            except OSError:
                continue
    return found


def write_into(folder: str) -> str:
    path = os.path.join(folder, MARK.decode())
    with open(path, "x") as file:
        file.write("written")
    return os.path.realpath(folder)


def open_to_write(path: str) -> None:
    """No more than that: where it is allowed, nothing comes of it."""
    os.close(os.open(path, os.O_WRONLY))


def date(path: str) -> str:
    """As of now, which everybody may who may write to it."""
    before = os.stat(path).st_mtime_ns
    os.utime(path)
    if os.stat(path).st_mtime_ns == before:
        raise PermissionError(errno.EPERM, "nothing came of it")
    return "dated"


def main() -> None:
    for name, path in PLAN["paths"].items():
        attempt(f"read {name}", partial(read, path))
        for way in ("/proc/self/root", "/proc/1/root", "/proc/self/cwd/../../../..", "/bot/../.."):
            attempt(f"read {name} by {way}", partial(read, way + path))
    say("the platform's package", str(importlib.util.find_spec("mazzo_server")))
    attempt("search for the secret", lambda: [str(path) for path in walk() if holds_secret(path)])
    attempt("search processes", search_processes)
    folders = {"/", "/bot", "/usr", "/etc", "/dev", "/dev/shm", "/run", "/var/tmp", "/home"}
    for folder in sorted(folders | set(mount_points()) | {PLAN["folder"]}):
        if folder != os.environ["TMPDIR"]:
            attempt(f"write into {folder}", partial(write_into, folder))
    for path in TOUCHED:
        attempt(f"open {path} to write", partial(open_to_write, path))
    attempt("rename /bot", lambda: os.rename("/bot", "/bot2"))
    attempt("remove its plan", lambda: os.unlink("plan.json"))
    for path in (*SHARED, "plan.json"):
        attempt(f"change the rights of {path}", partial(os.chmod, path, 0o755))
        attempt(f"mark {path}", partial(os.setxattr, path, "user.mark", MARK))
        attempt(f"date {path}", partial(date, path))
    say("descriptors", str(descriptors()))
    play()


def descriptors() -> list[str]:
    """What it was handed, by kind."""
    found = []
    for number in range(256):
        try:
            mode = os.fstat(number).st_mode
        except OSError:
            continue
        kinds = {stat.S_IFCHR: "device", stat.S_IFIFO: "pipe"}
        found.append(kinds.get(stat.S_IFMT(mode), oct(mode)))
    return found


if __name__ == "__main__":
    main()
