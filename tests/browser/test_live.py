"""The page of a tournament that is being played: its standing changes without a reload."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from browser.chromium import open_window
from browser.shown_site import show_site
from support.command import Home, kill, until
from support.served import serving


def count_matches(page: Page) -> int:
    found = re.search(r"running: ([\d,]+) of", page.locator(".lead").inner_text())
    assert found
    return int(found[1].replace(",", ""))


def test_a_live_page_gets_its_new_standing_and_the_end(chromium: Browser, samples: Home) -> None:
    """Its events bring more matches, and when it is over the page is loaded anew."""
    with serving(samples, "--listen", "unix:mazzo.sock", "--isolation", "none") as (_, addresses):
        (address,) = addresses
        game = ("briscola/2", "--bots", "greedy,random", "--deals", "100000", "--name", "Live")
        playing = samples.start("tournament", "run", *game, "--server", address)
        try:
            until(lambda: samples.status_of() == "running", playing)
            with show_site(samples, "--server", address) as site, open_window(chromium) as page:
                page.goto(f"{site}/tournaments")
                expect(page.get_by_role("link", name="Live")).to_be_visible()
                page.goto(f"{site}/tournaments/1")
                page.evaluate("window.isSame = true")
                first = count_matches(page)
                page.wait_for_function(
                    "seen => document.querySelector('.lead').textContent !== seen",
                    arg=page.locator(".lead").text_content(),
                )
                assert count_matches(page) > first
                rows = page.locator('[aria-label="Standings"] tbody th')
                expect(rows).to_have_text([re.compile("greedy v1"), re.compile("random v1")])
                assert page.evaluate("window.isSame")
                samples("tournament", "cancel", "1", "--server", address)
                expect(page.locator(".lead")).to_contain_text("cancelled")
                expect(page.locator("[data-events]")).to_have_count(0)
                assert page.evaluate("window.isSame === undefined")
        finally:
            kill(playing)
