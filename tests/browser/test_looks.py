"""Every page for everybody: with a screen reader, light and dark, on a telephone, by keyboard."""

from __future__ import annotations

from io import BytesIO
from typing import Literal

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator

from browser.accessibility import check_accessible, check_gaps, check_tab_stops, check_width
from browser.chromium import NARROW, open_window
from browser.made_store import LADDER
from browser.shown_pages import PAGES, ShownPage

EVERY_PAGE = pytest.mark.parametrize("shown", PAGES, ids=lambda shown: shown.name)


@EVERY_PAGE
def test_axe_finds_nothing_serious(chromium: Browser, site: str, shown: ShownPage) -> None:
    with open_window(chromium, status=shown.status) as page:
        page.goto(site + shown.address)
        check_accessible(page)


@EVERY_PAGE
def test_it_is_as_wide_as_a_telephone_and_all_of_it_is_reached_by_tab(
    chromium: Browser, site: str, shown: ShownPage
) -> None:
    with open_window(chromium, width=NARROW, status=shown.status) as page:
        page.goto(site + shown.address)
        check_tab_stops(page)
        check_width(page)
        check_gaps(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("address", "label"),
    [(f"/ladders/{LADDER}", "Table of the ladder"), ("/tournaments/1", "Chart")],
)
def test_what_is_cut_has_a_shadow_where_it_goes_on(
    chromium: Browser, site: str, address: str, label: str, scheme: Literal["light", "dark"]
) -> None:
    """Promise: one sees at which end of a table or a chart there is more to scroll to."""
    with open_window(chromium, width=NARROW) as page:
        page.emulate_media(color_scheme=scheme)
        page.goto(site + address)
        shown = page.get_by_role("region", name=label, exact=True)
        ends = []
        for place in ("0", "40", "one.scrollWidth"):
            shown.evaluate(f"one => (one.scrollLeft = {place})")
            ends.append(find_shadows(shown))
        assert ends == [(False, True), (True, True), (True, False)]


def find_shadows(shown: Locator) -> tuple[bool, bool]:
    """Return whether the left and the right end differ from paper, above what is written."""
    image = Image.open(BytesIO(shown.screenshot())).convert("RGB")
    paper = shown.page.evaluate("getComputedStyle(document.body).backgroundColor")
    left, right = (image.getpixel((x, 2)) for x in (1, image.width - 2))
    return f"rgb{left}" != paper, f"rgb{right}" != paper


@pytest.mark.parametrize("address", ["/matches", "/tables", "/bots/asso"])
def test_fields_beside_each_other_are_of_one_height(
    chromium: Browser, site: str, address: str
) -> None:
    """Promise: in a form a field to type in and a list to choose from stand on one line."""
    with open_window(chromium) as page:
        page.goto(site + address)
        fields = page.locator(".filters select, .filters input:not([type=hidden], [type=checkbox])")
        assert {field.evaluate("one => one.localName") for field in fields.all()} == {
            "select",
            "input",
        }
        assert len({field.evaluate("one => one.offsetHeight") for field in fields.all()}) == 1


def test_what_a_version_enters_is_not_cut(chromium: Browser, site: str) -> None:
    """Promise: on a desk one reads the table of versions without scrolling, however long it is."""
    with open_window(chromium) as page:
        page.goto(f"{site}/bots/asso")
        tag = page.locator(".tag", has_text="enters tournaments")
        tag.evaluate("one => one.before('passed for briscola, briscola-chiamata, frusta, frap ')")
        versions = page.get_by_role("region", name="Versions")
        assert versions.evaluate("one => one.scrollWidth <= one.clientWidth")


def test_the_organiser_reads_what_protects_from_bots(chromium: Browser, site: str) -> None:
    """Promise: commands are shown as such, rows begin on one line, and nothing sticks together."""
    with open_window(chromium) as page:
        page.goto(f"{site}/operation?protections=1")
        table = page.get_by_role("region", name="Protections from bots")
        assert "--cpu fair" in table.locator("code").all_inner_texts()
        assert "`" not in table.inner_text()
        aligned = table.locator("tbody :is(th, td)").evaluate_all(
            "cells => cells.map((cell) => getComputedStyle(cell).verticalAlign)"
        )
        assert {*aligned} == {"top"}
        # As when a tournament is played: then a table of it is above the first list.
        table.evaluate("one => document.querySelector('main dl').before(one)")
        check_gaps(page)
