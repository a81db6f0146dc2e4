"""The uids of bots: no two that live have the same, whatever is killed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from mazzo_server.errors import IsolationError
from mazzo_server.sandbox.lock_table import LockTable
from mazzo_server.sandbox.namespaces import uids as module
from mazzo_server.sandbox.namespaces.uids import Uids

FEW = range(61184, 61184 + 6)

PLATFORM = """
import sys, time
from pathlib import Path
from mazzo_server.sandbox.lock_table import LockTable
from mazzo_server.sandbox.namespaces.uids import Uids
uids = Uids(LockTable(Path(sys.argv[1])), range(61184, 61190))
print(uids.take(), uids.take(), flush=True)
time.sleep(60)
"""


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """The uids of which a process lives."""
    uids: set[int] = set()
    monkeypatch.setattr(module, "_has_processes", uids.__contains__)
    return uids


def test_platforms_lease_different_uids(tmp_path: Path) -> None:
    """Bug: they were numbered from the process id, so neighbours shared them."""
    platforms = [Uids(LockTable(tmp_path / "table"), FEW) for _ in range(3)]
    taken = [uids.take() for _ in range(2) for uids in platforms]
    assert sorted(taken) == list(FEW)
    with pytest.raises(IsolationError, match="expected one of the uids 61184 to 61189 to be free"):
        platforms[0].take()
    platforms[1].give_back(taken[1])
    assert platforms[0].take() == taken[1]


def test_threads_of_a_platform_lease_different_uids(tmp_path: Path) -> None:
    """The kernel takes all of one platform for the same owner."""
    uids = Uids(LockTable(tmp_path / "table"), range(61184, 61184 + 400))
    taken: list[int] = []
    threads = [
        threading.Thread(target=lambda: taken.extend(uids.take() for _ in range(50)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(taken)) == 400


def test_a_uid_of_a_killed_platform_is_free_when_its_bots_are_dead(
    tmp_path: Path, busy: set[int]
) -> None:
    command = [sys.executable, "-c", PLATFORM, str(tmp_path / "table")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as platform:
        assert platform.stdout is not None
        lost = {int(uid) for uid in platform.stdout.readline().split()}
        platform.kill()
        platform.wait()
    busy |= lost
    uids = Uids(LockTable(tmp_path / "table"), FEW)
    rest = {uids.take() for _ in range(4)}
    assert rest == set(FEW) - lost
    with pytest.raises(IsolationError, match="got none"):
        uids.take()
    busy.clear()
    assert {uids.take(), uids.take()} == lost


def test_processes_are_found_by_their_uid() -> None:
    assert module._has_processes(os.getuid())
    assert not module._has_processes(2**31 - 7)
