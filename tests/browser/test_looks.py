"""Every page for everybody: with a screen reader, light and dark, on a telephone, by keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from browser.accessibility import check_accessible, check_tab_stops, check_width
from browser.chromium import NARROW, open_window
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
