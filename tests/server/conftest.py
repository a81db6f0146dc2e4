"""What many tests of the server need."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.arena import Arena


@pytest.fixture
def arena() -> Iterator[Arena]:
    # Not pytest's own folder, whose path may be too long for the sockets in it.
    folder = Path(tempfile.mkdtemp(prefix="m-"))
    yield Arena(folder)
    shutil.rmtree(folder)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file that is not there yet, in a folder that is not there yet, with odd characters."""
    return tmp_path / "a home?#%41 è" / "mazzo.db"
