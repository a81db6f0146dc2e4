"""What many tests need: stores, sandboxes, tournaments of scripted bots, homes for commands."""

from __future__ import annotations

import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from mazzo_server.cli.text import output
from mazzo_server.logs import is_ours_to_tell
from mazzo_server.sandbox import Launch, Sandbox, open_sandbox
from mazzo_server.settings import Isolation
from mazzo_server.storage import MemoryStore, Store, open_store
from support.command import Home
from support.postgres import Databases
from support.sample_bots import SAMPLE_BOTS, SAMPLES, enter
from support.sandboxed_runs import SECONDS
from support.scripted_tournaments import Arena


@pytest.fixture
def caplog(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """The records that the server would write; gRPC has others, now and then."""
    caplog.handler.addFilter(is_ours_to_tell)
    return caplog


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
    return open_sandbox(Isolation.BUBBLEWRAP)


@pytest.fixture(params=["bubblewrap", "none"])
def any_sandbox(request: pytest.FixtureRequest) -> Sandbox:
    if request.param == "none":
        return open_sandbox(Isolation.NONE)
    sandbox: Sandbox = request.getfixturevalue("bubblewrap")
    return sandbox


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


@pytest.fixture
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a terminal of 80 columns, wherever the tests run."""
    for screen in (output.console, output.error_console):
        monkeypatch.setattr(screen, "width", 80)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home that does not exist yet."""
    return Home(tmp_path / "home")


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with the sample bots; look, but leave it as it is."""
    home = Home(tmp_path_factory.mktemp("samples") / "home")
    home("bots", "list")
    enter(home, *(SAMPLE_BOTS / name for name in SAMPLES))
    return home


@pytest.fixture
def copy_home(tmp_path: Path) -> Callable[[Home, str], Home]:
    """Copies a home that nobody is using."""

    def copy(home: Home, name: str = "copy") -> Home:
        return Home(Path(shutil.copytree(home.path, tmp_path / name)))

    return copy


@pytest.fixture
def samples(sample_home: Home, copy_home: Callable[[Home, str], Home]) -> Home:
    """A home of its own with the sample bots."""
    return copy_home(sample_home, "home")


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    """A PostgreSQL server, of each process that runs tests."""
    from support.postgres import started  # most tests need neither it nor its driver

    with started() as databases:
        yield databases
