"""Claims as locked files, for processes that share a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from filelock import FileLock, Timeout

from mazzo_server.errors import StoreError
from mazzo_server.storage.base import Claim

__all__ = ["Claims", "FileClaims"]

_PATIENCE: Final = 1.0  # seconds; who asks whether a claim is free holds it for a moment


class Claims(Protocol):
    """What `Store.claim` and `Store.is_claimed` need; asked about tournaments that are there.

    The claim of `Store.claim_hooks` has a number that no tournament has.
    """

    def claim(self, tournament_id: int) -> Claim | None:
        """Take the right to play a tournament; return None while somebody has it."""
        ...

    def is_claimed(self, tournament_id: int) -> bool:
        """Tell whether some process has the right to play the tournament."""
        ...

    def close(self) -> None:
        """Close what is needed to make claims; claims that were made stay."""
        ...


@dataclass(frozen=True, slots=True)
class _FileClaim:
    lock: FileLock
    path: Path
    identity: tuple[int, int]  # device and inode of the locked file

    def is_lost(self) -> bool:
        """Tell whether the file is gone; the kernel keeps the lock while the process lives.

        Another process would lock the next file of that name.
        """
        try:
            found = self.path.stat()
        except OSError:
            return True
        return (found.st_dev, found.st_ino) != self.identity

    def release(self) -> None:
        self.lock.release()


class FileClaims:
    """`Claims` as locked files in a folder, which the first claim makes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def claim(self, tournament_id: int) -> Claim | None:
        return self._claim(tournament_id, timeout=_PATIENCE)

    def is_claimed(self, tournament_id: int) -> bool:
        claim = self._claim(tournament_id, timeout=0)
        if claim is not None:
            claim.release()
        return claim is None

    def close(self) -> None:
        """Do nothing: every claim has its own file."""

    def _claim(self, tournament_id: int, *, timeout: float) -> Claim | None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            path = self._folder / f"tournament-{tournament_id}.lock"
            path.touch()
        except OSError as error:
            raise StoreError(f"cannot write to {self._folder}: {error}") from error
        lock = FileLock(path, thread_local=False)
        try:
            lock.acquire(timeout=timeout)
        except Timeout:
            return None
        try:
            found = path.stat()
        except OSError as error:
            lock.release()
            raise StoreError(f"cannot read {path}: {error}") from error
        return _FileClaim(lock, path, (found.st_dev, found.st_ino))
