"""Locks that all platforms of a user on one host share, and that no death leaves behind."""

from __future__ import annotations

import fcntl
import os
import stat
import struct
from pathlib import Path
from typing import Final

__all__ = ["LockTable"]

_FLOCK: Final = "hhqqi0q"  # struct flock: type, whence, start, length, process


class LockTable:
    """A file whose bytes stand for things of which there is one, such as a processor.

    A byte is locked by one table, or shared by several; the tables may be of different processes.
    The kernel frees the locks of a process when it ends, in whatever way. Linux alone has such
    locks ("open file description locks" in fcntl(2)).
    """

    def __init__(self, path: Path) -> None:
        """Open the file, and make it if it is not there; raise OSError."""
        self._path = path
        self._descriptor = _open(path)

    @classmethod
    def of_host(cls, name: str) -> LockTable:
        """Return a table that all processes of this user on this host find by its name.

        It is where nobody else can put a file in its place, or at least never unnoticed. Raises
        OSError.
        """
        if os.geteuid() == 0 and os.access("/run", os.W_OK):
            return cls(Path("/run") / f"mazzo-{name}")
        return cls(Path("/tmp") / f"mazzo-{os.geteuid()}-{name}")  # noqa: S108

    def lock(self, number: int, count: int = 1, *, shared: bool = False) -> bool:
        """Lock `count` bytes if no other table has locked one; return whether this one has them.

        A shared lock excludes those that are not shared.
        """
        asked = _pack(fcntl.F_RDLCK if shared else fcntl.F_WRLCK, number, count)
        if not self._lock(asked):
            return False
        os.utime(self._descriptor)  # or what clears the folder of old files might remove it
        if os.fstat(self._descriptor).st_nlink:
            return True
        new = _open(self._path)  # somebody has: what was locked is lost
        os.dup2(new, self._descriptor, inheritable=False)
        os.close(new)
        return self._lock(asked)

    def _lock(self, asked: bytes) -> bool:
        try:
            fcntl.fcntl(self._descriptor, fcntl.F_OFD_SETLK, asked)
        except (BlockingIOError, PermissionError):  # POSIX allows both
            return False
        return True

    def unlock(self, number: int, count: int = 1) -> None:
        """Free `count` bytes, which need not be locked."""
        fcntl.fcntl(self._descriptor, fcntl.F_OFD_SETLK, _pack(fcntl.F_UNLCK, number, count))

    def is_locked(self, first: int, count: int) -> bool:
        """Return whether another table has locked one of `count` bytes, shared or not."""
        asked = _pack(fcntl.F_WRLCK, first, count)
        told = fcntl.fcntl(self._descriptor, fcntl.F_OFD_GETLK, asked)
        kind: int = struct.unpack(_FLOCK, told)[0]
        return kind != fcntl.F_UNLCK

    def read(self, number: int) -> bool:
        """Return what was marked on a byte; nothing is marked on a new one."""
        return os.pread(self._descriptor, 1, number) == b"\1"

    def mark(self, number: int, *, value: bool) -> None:
        """Mark a byte, for whoever locks it next; the mark outlives the process."""
        os.pwrite(self._descriptor, b"\1" if value else b"\0", number)

    def close(self) -> None:
        """Free all locks."""
        os.close(self._descriptor)


def _open(path: Path) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    found = os.fstat(descriptor)
    if found.st_uid != os.geteuid() or not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise PermissionError(
            f"expected a file of the user {os.geteuid()} at {path}, got one of the user "
            f"{found.st_uid}: remove it"
        )
    return descriptor


def _pack(kind: int, first: int, count: int) -> bytes:
    return struct.pack(_FLOCK, kind, os.SEEK_SET, first, count, 0)
