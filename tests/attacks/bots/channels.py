"""Leaves a mark in the state of files and of the kernel, and looks whether another one did.

Each channel has three places. An instance looks at all, leaves its mark at the first one, and
looks again. What another instance of the same bot then sees at the first place, and not at the
other two, is a message.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
import socket
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from attacks.bots.attempt import PLAN, is_planned, outcome_of, say
from attacks.bots.kernel import LIBC, NUMBERS, call
from mazzo import Action, Bot, View, run

NUMBERS |= {"io_setup": (206, 0), "pidfd_open": (434, 434), "statx": (332, 291)}
PLACES = range(3)
MARKED = 0  # the place at which a mark is left
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")
OWN = ["/bot/place0", "/bot/place1", "/bot/place2"]  # of the bundle; the test plants them
COLD: list[str] = PLAN["cold"]  # files of the system that nobody has read for long
F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW = 36, 37, 38
F_GET_RW_HINT, F_SET_RW_HINT, F_GET_FILE_RW_HINT, F_SET_FILE_RW_HINT = range(1035, 1039)
GET_EXTENT_STATUS, EXTENT_MAP, PRECACHE_EXTENTS = 0xC020662A, 0xC020660B, 0x6612
GET_FLAGS, SET_FLAGS = 0x80086601, 0x40086602
GET_VERSION, SET_VERSION = 0x80087601, 0x40087602
NOATIME = 0x80
KEPT: list[object] = []  # open for as long as the instance lives


@dataclass(frozen=True, slots=True)
class Channel:
    """`look` tells what can be seen at a place; `leave` changes it."""

    leave: Callable[[int], object]
    look: Callable[[int], object]


def opened(path: str, flags: int = os.O_RDONLY) -> int:
    descriptor = os.open(path, flags)
    KEPT.append(descriptor)
    return descriptor


def record(kind: int, place: int) -> bytes:
    """One byte of a file, at a place where nobody else would look."""
    return struct.pack("hhqqi4x", kind, os.SEEK_SET, 1 << 20 | place, 1, 0)


def in_child(look: Callable[[], object]) -> object:
    """What another process of the instance sees: nobody's own locks stand in his way."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(2)
        os.write(writing, outcome_of(look).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        outcome = told.read()
    os.waitpid(child, 0)
    return outcome or "waits"


def lock(command: int, path: str, place: int, kind: int = fcntl.F_WRLCK) -> object:
    way = os.O_RDONLY if kind == fcntl.F_RDLCK else os.O_RDWR
    fcntl.fcntl(opened(path, way), command, record(kind, place))
    return "taken"


def ask_lock(command: int, path: str, place: int) -> object:
    """The kind of the lock that stands in the way, and whose it is."""
    told = fcntl.fcntl(opened(path), command, record(fcntl.F_WRLCK, place))
    return struct.unpack("hhqqi4x", told)[0]


def device_locks(path: str) -> Iterator[tuple[str, Channel]]:
    for name, command in (("record", fcntl.F_SETLK), ("open file", F_OFD_SETLK)):
        take = partial(lock, command, path)
        yield f"{name} lock of {path}", Channel(take, from_outside(take))


def from_outside(look: Callable[[int], object]) -> Callable[[int], object]:
    return lambda place: in_child(partial(look, place))


def lock_whole(paths: list[str], place: int) -> object:
    fcntl.flock(opened(paths[place]), fcntl.LOCK_EX | fcntl.LOCK_NB)
    return "taken"


def lock_to_read(command: int, paths: list[str], place: int) -> object:
    return lock(command, paths[place], place, fcntl.F_RDLCK)


def ask_about(command: int, paths: list[str], place: int) -> object:
    return ask_lock(command, paths[place], place)


def read_mark(path: str) -> object:
    with open(path, "rb") as file:
        return len(file.read())


def map_extents(command: int, path: str) -> object:
    """The extents of a file that the kernel tells, and how: with `GET_EXTENT_STATUS`, from memory.

    `struct fiemap`: the first byte, the length, the flags, the extents that are told, the room.
    """
    room = bytearray(struct.pack("<QQIIII", 0, 2**64 - 1, 0, 0, 8, 0) + bytes(8 * 56))
    fcntl.ioctl(opened(path), command, room, True)
    return struct.unpack_from("<II", room, 16)


def change_number(command: int, path: str) -> object:
    return fcntl.ioctl(opened(path), command, struct.pack("<Q", NOATIME))


def read_number(command: int, path: str) -> object:
    return fcntl.ioctl(opened(path), command, bytes(8))


def times(path: str) -> object:
    status = os.stat(path)
    return status.st_atime_ns, status.st_mtime_ns, status.st_ctime_ns


def hint(command: int, path: str) -> object:
    return fcntl.fcntl(opened(path), command, struct.pack("<Q", 5))


def read_hint(command: int, path: str) -> object:
    return fcntl.fcntl(opened(path), command, bytes(8))


def attribute(path: str) -> None:
    os.setxattr(path, "user.mark", b"a card")


def read_attribute(path: str) -> object:
    return os.listxattr(path)


def by_path(
    paths: list[str], leave: Callable[[str], object], look: Callable[[str], object]
) -> Channel:
    return Channel(lambda place: leave(paths[place]), lambda place: look(paths[place]))


def list_channels() -> Iterator[tuple[str, Channel]]:
    """Every way that was thought of in which a mark may be left; many are shut by the kernel."""
    for device in DEVICES:
        yield from device_locks(device)
    for name, paths in {"own": OWN, "the system's": COLD, "devices": list(DEVICES[:3])}.items():
        yield from ((f"{kind}: {name}", channel) for kind, channel in marks(paths))
    yield "extents in memory", by_path(COLD, read_mark, partial(map_extents, GET_EXTENT_STATUS))


def marks(paths: list[str]) -> Iterator[tuple[str, Channel]]:
    """What can be done to any file."""
    whole = partial(lock_whole, paths)
    yield "lock of whole files", Channel(whole, from_outside(whole))
    for command, ask in ((fcntl.F_SETLK, fcntl.F_GETLK), (F_OFD_SETLK, F_OFD_GETLK)):
        take = partial(lock_to_read, command, paths)
        yield f"read lock {command}", Channel(take, from_outside(partial(ask_about, ask, paths)))
    for change, read in (
        (F_SET_RW_HINT, F_GET_RW_HINT),
        (F_SET_FILE_RW_HINT, F_GET_FILE_RW_HINT),
        (fcntl.F_SETLEASE, fcntl.F_GETLEASE),
    ):
        yield f"fcntl {change}", by_path(paths, partial(hint, change), partial(read_hint, read))
    for change, read in ((SET_FLAGS, GET_FLAGS), (SET_VERSION, GET_VERSION)):
        yield (
            f"ioctl {change:x}",
            by_path(paths, partial(change_number, change), partial(read_number, read)),
        )
    yield "dates", by_path(paths, os.utime, times)
    yield "attribute", by_path(paths, attribute, read_attribute)
    yield "rights", by_path(paths, lambda path: os.chmod(path, 0o600), os.stat)


def statx_number(wish: int) -> int:
    """The number of a mount."""
    room = ctypes.create_string_buffer(256)
    call("statx", -100, b"/tmp", 0, wish, room)
    return int(struct.unpack_from("<Q", room, 0x90)[0])


def eventfd_number() -> str:
    """The lowest number that no event of the machine has."""
    descriptor = opened_event()
    lines = Path(f"/proc/self/fdinfo/{descriptor}").read_text().splitlines()
    return next(line for line in lines if line.startswith("eventfd-id"))


def opened_event() -> int:
    descriptor = int(LIBC.eventfd(0, 0))
    KEPT.append(descriptor)
    return descriptor


def socket_number(option: int) -> bytes:
    """The number of a socket, or a handle of the process at its other end."""
    one, other = socket.socketpair()
    KEPT.extend((one, other))
    return one.getsockopt(socket.SOL_SOCKET, option, 8)


def sysinfo() -> bytes:
    """Free and shared memory, and processes, of the whole machine."""
    room = ctypes.create_string_buffer(128)
    if LIBC.sysinfo(room) < 0:
        raise OSError(ctypes.get_errno(), "sysinfo")
    return room.raw


def ask_namespace(command: int) -> int:
    return int(fcntl.ioctl(opened("/proc/self/ns/mnt"), command, bytes(8))[0])


# What the kernel counts for the whole machine, where an instance may change it and others see it.
COUNTERS: dict[str, Callable[[], object]] = {
    "asynchronous calls": lambda: call("io_setup", 1, ctypes.create_string_buffer(8)),
    "terminals": lambda: opened("/dev/ptmx", os.O_RDWR),
    "processes so far": lambda: os.fstat(call("pidfd_open", os.getpid(), 0)).st_ino,
    "process at the other end": partial(socket_number, 77),
    "sockets so far": partial(socket_number, 57),
    "mounts so far": partial(statx_number, 0x4000),
    "mounts": partial(statx_number, 0x1000),
    "events": eventfd_number,
    "memory and processes": sysinfo,
    "the disk": lambda: os.statvfs("/bot").f_bfree,
    "the disk of the socket": lambda: os.statvfs("/run/mazzo.sock").f_bfree,
    "number of the namespace": partial(ask_namespace, 0x8008B705),
    **{
        path: partial(Path(path).read_bytes)
        for path in (
            "/proc/buddyinfo", "/proc/cgroups", "/proc/diskstats", "/proc/interrupts",
            "/proc/key-users", "/proc/loadavg", "/proc/locks", "/proc/net/sockstat",
            "/proc/pressure/cpu", "/proc/self/cgroup", "/proc/self/mountinfo", "/proc/softirqs",
            "/proc/sys/fs/aio-nr", "/proc/sys/fs/dentry-state", "/proc/sys/fs/file-nr",
            "/proc/sys/fs/inode-nr", "/proc/sys/kernel/pty/nr", "/proc/vmstat", "/proc/zoneinfo",
        )
    },
}  # fmt: skip


def see(channel: Channel) -> str:
    return repr([outcome_of(partial(channel.look, place)) for place in PLACES])


class Teller(Bot):
    told = False

    def act(self, view: View) -> Action:
        if not Teller.told:
            Teller.told = True
            say("began", str(time.monotonic()))
            for name, channel in list_channels():
                if not is_planned(name):
                    continue
                say(f"before {name}", see(channel))
                say(f"leave {name}", outcome_of(partial(channel.leave, MARKED)))
                say(f"after {name}", see(channel))
            for name, count in COUNTERS.items():
                if is_planned(name):
                    say(f"count {name}", outcome_of(count))
        return view.random.choice(view.legal)


if __name__ == "__main__":
    run(Teller)
