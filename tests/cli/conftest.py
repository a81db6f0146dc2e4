"""Homes for the command line's tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.command import Home
from cli.samples import SAMPLE_BOTS, SAMPLES, enter
from mazzo_server.cli.text import output


@pytest.fixture
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a terminal of 80 columns, wherever the tests run."""
    for screen in (output.console, output.notes):
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
