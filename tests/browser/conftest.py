"""One store, its pages, and one Chromium for all of these tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from browser.chromium import open_chromium
from browser.facts import Facts
from browser.made_store import fill_store
from browser.shown_pages import DESCRIBED
from browser.shown_site import show_site
from support.command import Home


@pytest.fixture(scope="session")
def played_home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home whose store has finished tournaments of all games; look, but leave it as it is."""
    home = Home(tmp_path_factory.mktemp("played"))
    fill_store(home.path)
    return home


@pytest.fixture(scope="session")
def facts(played_home: Home) -> Facts:
    return Facts.read(played_home, described=DESCRIBED)


@pytest.fixture(scope="session")
def site(played_home: Home, facts: Facts) -> Iterator[str]:
    """The address of the pages of that store."""
    with show_site(played_home) as address:
        yield address


@pytest.fixture(scope="session")
def chromium(facts: Facts) -> Iterator[Browser]:
    """Begins when the facts are read: Playwright needs the event loop of the thread for itself."""
    with open_chromium() as browser:
        yield browser
