"""Locks that all platforms of a host share, and that no death leaves behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mazzo_server.sandbox.lock_table import LockTable

HOLDER = """
import sys
from pathlib import Path
from mazzo_server.sandbox.lock_table import LockTable
table = LockTable(Path(sys.argv[1]))
print(table.lock(7), flush=True)
sys.stdin.read()
"""


def test_a_byte_is_locked_by_one_table(tmp_path: Path) -> None:
    """Also within a process, and whatever else is locked."""
    one, other = LockTable(tmp_path / "table"), LockTable(tmp_path / "table")
    assert one.lock(3)
    assert not other.lock(3)
    assert not other.lock(3, shared=True)
    assert other.lock(4)
    one.unlock(3)
    assert other.lock(3)
    other.close()
    assert one.lock(3)
    assert one.lock(4)


def test_a_shared_byte_is_locked_by_several(tmp_path: Path) -> None:
    tables = [LockTable(tmp_path / "table") for _ in range(3)]
    assert tables[0].lock(5, shared=True)
    assert tables[1].lock(5, shared=True)
    assert not tables[2].lock(5)
    assert tables[2].is_locked(0, 6)
    assert not tables[2].is_locked(0, 5)
    tables[0].unlock(5)
    assert not tables[1].is_locked(0, 6), "one's own locks do not count"


def test_several_bytes_are_locked_at_once_or_none_of_them(tmp_path: Path) -> None:
    one, other = LockTable(tmp_path / "table"), LockTable(tmp_path / "table")
    assert one.lock(5, 3, shared=True)
    assert [other.is_locked(byte, 1) for byte in (4, 5, 7, 8)] == [False, True, True, False]
    assert not other.lock(3, 4)
    assert other.lock(3, 2)
    one.unlock(5, 3)
    assert other.lock(5, 3)


def test_a_process_that_is_killed_leaves_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "table"
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"True\n"
        table = LockTable(path)
        assert not table.lock(7)
        holder.kill()
        holder.wait()
        assert table.lock(7)


def test_a_child_does_not_inherit_a_lock(tmp_path: Path) -> None:
    """Else a bot that outlives its platform would hold it."""
    table = LockTable(tmp_path / "table")
    assert table.lock(1)
    with subprocess.Popen(["sleep", "60"]) as child:
        table.close()
        assert LockTable(tmp_path / "table").lock(1)
        child.kill()


def test_a_mark_outlives_its_table(tmp_path: Path) -> None:
    table = LockTable(tmp_path / "table")
    assert not table.read(9)
    table.mark(9, value=True)
    table.close()
    other = LockTable(tmp_path / "table")
    assert other.read(9)
    other.mark(9, value=False)
    assert not other.read(9)


def test_a_table_that_was_removed_is_made_again(tmp_path: Path) -> None:
    """What clears a folder of old files may take it, while nobody locks anything for days."""
    one = LockTable(tmp_path / "table")
    (tmp_path / "table").unlink()
    assert one.lock(3)
    assert not LockTable(tmp_path / "table").lock(3)


def test_no_link_and_nobody_elses_file_is_used(tmp_path: Path) -> None:
    """Who may write beside it could have put one there."""
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic"):
        LockTable(tmp_path / "link")
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(PermissionError, match="expected a file of the user"):
        LockTable(tmp_path / "fifo")


def test_a_host_has_one_table_of_a_name() -> None:
    name = f"test-{os.getpid()}"
    one, other = LockTable.of_host(name), LockTable.of_host(name)
    try:
        assert one.lock(1)
        assert not other.lock(1)
    finally:
        for folder in ("/run", "/tmp"):
            for path in Path(folder).glob(f"mazzo-*{name}"):
                path.unlink()
