"""Folders for temporary files, which the next platform clears if this one is killed."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = ["ScratchFolder", "clear_dead_folders"]

_PREFIX: Final = "mazzo-s-"  # short, since the path of a socket in it may have 107 bytes
_WRITABLE_BY_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH


class ScratchFolder(tempfile.TemporaryDirectory[str]):
    """A folder for temporary files, for its user alone, with a lock on it while it is in use.

    The kernel frees the lock when the process dies, in whatever way: a folder without a lock
    belongs to nobody that lives.
    """

    def __init__(self, *, ignore_cleanup_errors: bool = False) -> None:
        while True:
            super().__init__(prefix=_PREFIX, ignore_cleanup_errors=ignore_cleanup_errors)
            with suppress(FileNotFoundError):
                lock = _open_folder(Path(self.name))
                self._unlock = weakref.finalize(self, os.close, lock)
                fcntl.flock(lock, fcntl.LOCK_EX)
                if _is_same(Path(self.name), lock):
                    return
            # Another platform took it for a dead one's, before the lock was there.
            self.cleanup()

    def cleanup(self) -> None:
        """Remove the folder with its contents, then free the lock; any number of times."""
        try:
            super().cleanup()
        finally:
            if hasattr(self, "_unlock"):
                self._unlock()


def clear_dead_folders(root: Path | None = None) -> int:
    """Remove the scratch folders that killed platforms left behind; return how many there were.

    Without `root` they are those of the folder for temporary files. A folder is removed only if it
    has a name of ours, belongs to our user, may be written by nobody else, and is locked by
    nobody. Whatever cannot be removed stays.
    """
    cleared = 0
    with suppress(OSError), os.scandir(root or tempfile.gettempdir()) as entries:
        names = [Path(entry.path) for entry in entries if entry.name.startswith(_PREFIX)]
        for path in names:
            with suppress(OSError):
                cleared += _clear_folder(path)
    return cleared


def _clear_folder(path: Path) -> bool:
    lock = _open_folder(path)
    try:
        found = os.fstat(lock)
        if found.st_uid != os.geteuid() or found.st_mode & _WRITABLE_BY_OTHERS:
            return False
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not _is_same(path, lock):
            return False
        shutil.rmtree(path)
    finally:
        os.close(lock)
    return True


def _open_folder(path: Path) -> int:
    """Open a folder, and no link to one: whoever may write beside it may have put one there."""
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)


def _is_same(path: Path, descriptor: int) -> bool:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return False
    return os.path.samestat(found, os.fstat(descriptor))
