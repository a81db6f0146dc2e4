"""A person plays against bots in the browser: every game to its end, and a page that is lost."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.accessibility import check_accessible, check_tab_stops, check_width
from browser.chromium import NARROW, WIDE, open_window
from browser.shown_site import show_site
from browser.table_forms import CHOICES, OVER, open_table, wait_for_turn
from support.command import Home, until

VARIANTS = (
    "briscola/2",
    "briscola/3",
    "briscola/4",
    "briscola/6",
    "briscola-chiamata",
    "frap/4",
    "frusta",
    "tressette-meta-mazzo",
    "tressette-pizzichino",
)


@pytest.fixture(scope="module")
def playing_site(sample_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The pages of a store with the sample bots, in whose process matches are played."""
    folder = tmp_path_factory.mktemp("playing") / "home"
    with show_site(Home(Path(shutil.copytree(sample_home.path, folder)))) as address:
        yield address


def wait_for_another(page: Page, number: str) -> None:
    """Until the decision of that number is taken."""
    page.wait_for_function(
        "number => document.querySelector('.own [name=number]')?.value !== number"
        " || !document.querySelector('.own button')",
        arg=number,
    )


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_person_plays_a_whole_match(chromium: Browser, playing_site: str, variant: str) -> None:
    """The page is closed in the middle; another one has the same decision, with the same cards."""
    drawn = random.Random(variant)
    with open_window(chromium) as first:
        page, taken = first, 0
        open_table(page, playing_site, variant)
        while number := wait_for_turn(page):
            if taken == 2:
                seen = page.locator(".own").inner_html()
                address = page.url
                page = page.context.new_page()
                first.close()
                page.goto(address)
                assert wait_for_turn(page) == number
                assert page.locator(".own").inner_html() == seen
            page.locator(CHOICES).nth(drawn.randrange(page.locator(CHOICES).count())).click()
            wait_for_another(page, number)
            taken += 1
        assert taken
        page.get_by_role("link", name="Watch it again").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Match")
        expect(page.locator(".board")).to_be_visible()


def test_one_plays_by_keyboard(chromium: Browser, playing_site: str) -> None:
    """From decision to decision the focus stays in the hand."""
    with open_window(chromium) as page:
        open_table(page, playing_site, "briscola/2")
        wait_for_turn(page)
        page.locator(CHOICES).first.focus()
        while number := wait_for_turn(page):
            expect(page.locator(".own button:focus")).to_have_count(1)
            page.keyboard.press("Enter")
            wait_for_another(page, number)
        expect(page.get_by_text(OVER)).to_be_visible()


def test_what_was_opened_stays_open_while_the_table_changes(
    chromium: Browser, playing_site: str
) -> None:
    """Bug: the next card of somebody else took the button away that one was about to press."""
    with open_window(chromium) as page:
        open_table(page, playing_site, "briscola/2")
        number = wait_for_turn(page)
        page.get_by_text("Leave the table").click()
        page.locator(CHOICES).first.click()
        wait_for_another(page, number)
        page.get_by_role("button", name="Leave", exact=True).click(timeout=2000)
        expect(page.get_by_text("Leave the table")).to_be_hidden()


def test_one_plays_without_scripts(chromium: Browser, playing_site: str) -> None:
    with open_window(chromium, has_scripts=False) as page:
        open_table(page, playing_site, "briscola/2")
        while number := wait_for_turn(page):
            page.locator(CHOICES).first.click()
            while page.locator("[name=number]").count() and (
                page.locator("[name=number]").input_value() == number
                or not page.locator(CHOICES).count()
            ):
                page.reload()
        expect(page.get_by_text(OVER)).to_be_visible()


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("variant", ["briscola/6", "briscola-chiamata", "tressette-pizzichino"])
def test_a_board_is_for_everybody(
    chromium: Browser, playing_site: str, variant: str, width: int
) -> None:
    """Nothing is wider than the window, and axe finds nothing serious, light or dark."""
    with open_window(chromium, width=width) as page:
        open_table(page, playing_site, variant)
        assert wait_for_turn(page)
        check_width(page)
        check_tab_stops(page)
        check_accessible(page)
        page.get_by_role("button", name="Leave", exact=True).click()
        page.wait_for_url(re.compile("/tables"))


def find_mover(*pages: Page) -> Page:
    """The page whose person is to move."""
    while True:
        for page in pages:
            if page.locator(CHOICES).count():
                return page
            page.wait_for_timeout(20)


def test_people_meet_at_one_table(chromium: Browser, playing_site: str) -> None:
    """By the link that the table shows; each sees when it is his turn, without a reload."""
    with open_window(chromium) as one, open_window(chromium) as two:
        one.goto(f"{playing_site}/tables")
        one.get_by_label("Your name").fill("Anna")
        one.get_by_label("People").fill("2")
        one.get_by_label("Match").fill("deals:1")
        one.get_by_role("button", name="Open a table").click()
        two.goto(one.locator(".hash").get_attribute("href") or "")
        two.get_by_label("Your name").fill("Ben")
        two.get_by_role("button", name="Take a seat").click()
        for _ in range(4):
            mover = find_mover(one, two)
            number = wait_for_turn(mover)
            mover.locator(CHOICES).first.click()
            wait_for_another(mover, number)
        one.get_by_text("Leave the table").click()
        one.get_by_role("button", name="Leave", exact=True).click()
        while wait_for_turn(two):  # who left forfeits when it is her turn
            two.locator(CHOICES).first.click()
        expect(two.get_by_text(OVER)).to_be_visible()


def test_a_hidden_tab_asks_for_nothing_and_catches_up(chromium: Browser, playing_site: str) -> None:
    """When it is shown again it has the table as it is then, without a reload."""
    with open_window(chromium) as page:
        page.add_init_script(
            "window.isHidden = false;"
            "Object.defineProperty(document, 'hidden', { get: () => window.isHidden });"
            "const Plain = window.EventSource; window.streams = [];"
            "window.EventSource = class extends Plain {"
            " constructor(...told) { super(...told); window.streams.push(this); } };"
        )
        page.goto(f"{playing_site}/tables")
        page.get_by_label("Your name").fill("Anna")
        page.get_by_label("People").fill("2")
        page.get_by_label("Match").fill("deals:1")
        page.get_by_role("button", name="Open a table").click()
        expect(page.get_by_text("1 seat still free")).to_be_visible()
        until(lambda: page.evaluate("streams.length") == 1)  # the script comes after the text
        show_tab(page, is_hidden=True)
        assert page.evaluate("streams.map(one => one.readyState)") == [2]  # closed
        with open_window(chromium) as other:
            other.goto(page.locator(".hash").get_attribute("href") or "")
            other.get_by_label("Your name").fill("Ben")
            other.get_by_role("button", name="Take a seat").click()
            dealt = other.locator(".board").or_(other.get_by_text("being dealt"))
            expect(dealt).to_be_visible()
        expect(page.get_by_text("1 seat still free")).to_be_visible()
        show_tab(page, is_hidden=False)
        expect(page.get_by_text("1 seat still free")).to_be_hidden()
        assert page.evaluate("streams.length") == 2
        page.get_by_text("Leave the table").click()
        page.get_by_role("button", name="Leave", exact=True).click()


def show_tab(page: Page, *, is_hidden: bool) -> None:
    """Show the tab, or hide it, as the browser tells the page."""
    page.evaluate(
        "hidden => { window.isHidden = hidden;"
        " document.dispatchEvent(new Event('visibilitychange')); }",
        is_hidden,
    )
