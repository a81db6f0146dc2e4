"""The uids of bots: each is leased to one instance at a time among all platforms of a host."""

from __future__ import annotations

import secrets
import threading
from functools import cache
from pathlib import Path
from typing import Final

from mazzo_server.errors import IsolationError
from mazzo_server.sandbox.lock_table import LockTable

__all__ = ["FIRST_UID", "Uids", "is_own_id", "open_uids"]

# The uids that systemd gives to services without an account: they own no file.
_IDS = range(61184, 65520)
FIRST_UID: Final = _IDS.start


def is_own_id(number: int) -> bool:
    """Tell whether the uid is one of those that instances get for themselves."""
    return number in _IDS


class Uids:
    """Leases the uids of bots, each to one instance at a time among all platforms of the host."""

    def __init__(self, table: LockTable, uids: range = _IDS) -> None:
        """The bytes of the table are the places of the `uids`."""
        self._table = table
        self._uids = uids
        self._next = secrets.randbelow(len(uids))
        self._ours: set[int] = set()  # of the table, whose locks do not exclude each other
        self._choosing = threading.Lock()

    def take(self) -> int:
        """Lease one, the longest unused of this platform if possible; raise `IsolationError`."""
        uids = self._uids
        with self._choosing:
            for offset in range(len(uids)):
                number = (self._next + offset) % len(uids)
                if number not in self._ours and self._take(number):
                    self._next = number + 1
                    return uids[number]
        raise IsolationError(
            f"expected one of the uids {uids.start} to {uids.stop - 1} to be free, got none: wait "
            "until other bots have ended"
        )

    def _take(self, number: int) -> bool:
        if not self._table.lock(number):
            return False
        # A mark without a lock was left by a platform that was killed. Its bots die with it, but
        # perhaps not yet.
        if self._table.read(number) and _has_processes(self._uids[number]):
            self._table.unlock(number)
            return False
        self._table.mark(number, value=True)
        self._ours.add(number)
        return True

    def give_back(self, uid: int) -> None:
        """End a lease, when no process has that uid any more."""
        number = self._uids.index(uid)
        with self._choosing:
            self._table.mark(number, value=False)
            self._table.unlock(number)
            self._ours.remove(number)


@cache
def open_uids() -> Uids:
    """Return those of this host; raise `IsolationError`."""
    try:
        return Uids(LockTable.of_host("uids"))
    except OSError as error:
        raise IsolationError(f"no uid can be leased for a bot: {error}") from error


def _has_processes(uid: int) -> bool:
    """Tell whether a process runs with that uid."""
    wanted = f"\nUid:\t{uid}\t"
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            if wanted in status.read_text(errors="replace"):
                return True
        except OSError:  # it has just ended
            continue
    return False
