"""What many tests of the server need."""

from __future__ import annotations

import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from mazzo_server.sandbox import Launch, Sandbox, open_sandbox
from mazzo_server.storage import MemoryStore, Store, open_store
from server.arena import Arena
from server.confined import SECONDS
from server.databases import Databases


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


@pytest.fixture(params=["sqlite", "postgresql", "memory"])
def store(request: pytest.FixtureRequest, path: Path) -> Iterator[Store]:
    """An empty store of each implementation."""
    with ExitStack() as stack:
        made: Store
        if request.param == "memory":
            made = MemoryStore()
        elif request.param == "sqlite":
            made = open_store(path)
        else:
            databases: Databases = request.getfixturevalue("databases")
            made = open_store(stack.enter_context(databases.store()))
        yield stack.enter_context(closing(made))


@pytest.fixture(scope="module")
def bubblewrap() -> Sandbox:
    return open_sandbox("bubblewrap")


@pytest.fixture(params=["bubblewrap", "none"])
def any_sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return (
        open_sandbox("none") if request.param == "none" else request.getfixturevalue("bubblewrap")
    )


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[socket.socket]:
    """What a bot may dial."""
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(tmp_path / "s"))
        made.listen()
        made.settimeout(SECONDS)
        yield made


@pytest.fixture
def launch(tmp_path: Path, listener: socket.socket) -> Launch:
    """A bot in Python, whose code is still to be written."""
    (tmp_path / "bundle").mkdir()
    return Launch(
        bundle=tmp_path / "bundle",
        command=("python", "bot.py"),
        socket=Path(listener.getsockname()),
        token="the-token",
    )
