"""Folders for temporary files: gone with their platform, or cleared by the next one.

A platform that is killed can remove nothing. Hundreds of its folders stayed in `/tmp`.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from mazzo_server.sandbox import ScratchFolder, clear_dead_folders
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings

MAKE = """
import sys, tempfile
from pathlib import Path
from mazzo_server.sandbox import ScratchFolder
tempfile.tempdir = sys.argv[1]
folders = [ScratchFolder() for _ in range(3)]
Path(folders[0].name, "s").touch()
Path(folders[1].name, "deep", "er").mkdir(parents=True)
print("made", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def names_in(root: Path) -> set[str]:
    return {path.name for path in root.iterdir()}


def test_those_of_a_killed_process_are_cleared_and_of_a_living_one_are_not(root: Path) -> None:
    """With what is in them; a start of the platform does so."""
    command = (sys.executable, "-c", MAKE, str(root))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"made\n"
        before = names_in(root)
        assert len(before) == 3
        assert clear_dead_folders() == 0
        assert names_in(root) == before
        process.kill()
    assert names_in(root) == before

    async def start() -> None:
        platform = await Platform.open(Settings(home=root / "home"))
        await platform.close(grace=0)

    asyncio.run(start())
    assert names_in(root) == {"home"}


def test_one_in_use_stays_and_goes_in_the_end(root: Path) -> None:
    with ScratchFolder() as folder:
        assert clear_dead_folders() == 0
        Path(folder, "file").touch()
        Path(folder).chmod(0o755)  # as where a bot of another user must reach into it
        assert clear_dead_folders() == 0
        assert Path(folder, "file").exists()
    assert names_in(root) == set()


def test_what_is_not_ours_stays(root: Path) -> None:
    """Other names, links, files, folders that others may write, and folders of others."""
    left = root / "left"
    left.mkdir()
    (left / "file").touch()
    for name in ("mazzo-abcdefgh", "mazzo-s", "other-s-abc"):
        (root / name).mkdir()
    (root / "mazzo-s-link").symlink_to(left)
    (root / "mazzo-s-file").touch()
    (root / "mazzo-s-open").mkdir()
    (root / "mazzo-s-open").chmod(0o777)
    if os.geteuid() == 0:
        (root / "mazzo-s-foreign").mkdir(mode=0o700)
        os.chown(root / "mazzo-s-foreign", 65534, 65534)
    before = names_in(root)
    (root / "mazzo-s-dead").mkdir(mode=0o700)
    (root / "mazzo-s-dead" / "link").symlink_to(left)
    assert clear_dead_folders() == 1
    assert names_in(root) == before
    assert (left / "file").exists()
    assert clear_dead_folders(root / "nowhere") == 0


def test_one_that_is_cleared_while_it_is_made_is_made_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the folder and its lock it looks like a dead one's."""
    make = tempfile.mkdtemp
    cleared: list[int] = []

    def make_and_clear(*arguments: str, **named: str) -> str:
        made = make(*arguments, **named)
        if not cleared:
            cleared.append(clear_dead_folders())
        return made

    monkeypatch.setattr(tempfile, "mkdtemp", make_and_clear)
    with ScratchFolder() as folder:
        assert cleared == [1]
        assert names_in(root) == {Path(folder).name}
        assert clear_dead_folders() == 0
    assert names_in(root) == set()
