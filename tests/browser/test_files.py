"""`mazzo web export`: the files open without a server, and all links in them lead somewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.accessibility import check_width
from browser.chromium import NARROW, open_window
from browser.facts import Facts
from browser.made_store import VARIANTS
from mazzo_server.model import MatchId
from support.command import Home
from support.web_pages import Page as ReadPage

REPLAYS = 30  # of the newest, which are of several games


@pytest.fixture(scope="module")
def exported(played_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export") / "results"
    assert len(VARIANTS) >= 10
    played_home("web", "export", folder, "--replays", str(REPLAYS))
    return folder


def list_pages(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.html"))


def list_targets(file: Path) -> Iterator[tuple[Path, str]]:
    """Yield where the links of a file lead, as files with fragments."""
    for link in ReadPage(file.read_text()).list_links():
        address, fragment = urldefrag(urljoin(file.as_uri(), link))
        parts = urlsplit(address)
        assert (parts.scheme, parts.query) == ("file", ""), link
        yield Path(unquote(parts.path)), fragment


def test_every_link_of_every_file_leads_to_a_file(exported: Path, facts: Facts) -> None:
    ids = {
        file: {attributes.get("id") for _, attributes in ReadPage(file.read_text()).elements}
        for file in list_pages(exported)
    }
    assert len(list((exported / "replays").glob("*.html"))) == REPLAYS
    assert {f"{number}.html" for number in facts.tournaments} <= {
        file.name for file in (exported / "tournaments").iterdir()
    }
    for file in ids:
        for target, fragment in set(list_targets(file)):
            assert target.is_file(), (file, target)
            assert target.is_relative_to(exported)
            assert not fragment or fragment in ids[target], (file, fragment)


def test_every_file_opens_without_a_complaint(chromium: Browser, exported: Path) -> None:
    """Of replays and of head to heads some, as they are all alike."""
    replays = {file.name.partition("-")[0]: file for file in (exported / "replays").glob("*.html")}
    files = [
        file
        for file in list_pages(exported)
        if file.parent.name != "replays"
        and ("head-to-head" not in file.name or "asso_cavallo" in file.name)
    ]
    with open_window(chromium, width=NARROW) as page:
        for file in [*files, *replays.values()]:
            page.goto(file.as_uri())
            assert page.title().endswith("Mazzo")
            check_width(page)


def count_steps(page: Page) -> int:
    return len(json.loads(page.locator("#match").text_content() or "")["steps"])


def test_a_replay_is_stepped_to_its_end_by_keys(
    chromium: Browser, exported: Path, facts: Facts
) -> None:
    """One comes to it by the links of the first page; its end is the result of the store."""
    with open_window(chromium) as page:
        page.goto((exported / "index.html").as_uri())
        page.get_by_role("link", name="Matches").click()
        first = page.locator("tbody th a").first
        match = MatchId.parse(first.inner_text())
        first.click()
        deals = facts.outcomes[match].deals
        positions = count_steps(page)
        assert positions == sum(len(deal.actions) + 1 for deal in deals)
        place = page.locator(".place")
        shown = [place.inner_text()]
        for _ in range(positions - 1):
            page.keyboard.press("ArrowRight")
            shown.append(place.inner_text())
        assert len(set(shown)) == positions
        assert shown[-1] == f"Deal {len(deals)} of {len(deals)}, the end"
        story = page.locator(".story").first
        for name, points in zip(facts.name_seats(match), deals[-1].scores, strict=True):
            expect(story).to_contain_text(f"{name} {points}")
        page.keyboard.press("g")
        assert place.inner_text() == shown[0]
        page.keyboard.press("G")
        assert place.inner_text() == shown[-1]
        page.reload()
        expect(place).to_have_text(shown[-1])


def test_without_scripts_a_replay_is_there_in_words(chromium: Browser, exported: Path) -> None:
    file = min((exported / "replays").glob("*.html"))
    with open_window(chromium, has_scripts=False) as page:
        page.goto(file.as_uri())
        page.get_by_text("The whole match in words").click()
        expect(page.get_by_text("Scores").last).to_be_visible()
        expect(page.get_by_role("button", name="step ›")).to_be_hidden()
