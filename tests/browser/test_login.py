"""The pages of a server that strangers do not see: one logs in with a token, and out."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Browser, expect

from browser.accessibility import check_accessible, check_tab_stops, check_width
from browser.chromium import NARROW, open_window
from browser.shown_site import find_free_port, show_site
from support.command import Home
from support.served import serving

_HEADER: Final = 80  # pixels: two lines


def test_one_logs_in_with_a_token_and_out(chromium: Browser, samples: Home) -> None:
    """By keyboard; the page that was asked for comes next, and a wrong token is told."""
    token = samples("auth", "create", "author", "alice").out.strip()
    port = find_free_port()
    url = f"http://localhost:{port}/club"
    with (
        serving(samples, "--listen", "localhost:0", "--isolation", "none") as (_, (address,)),
        show_site(samples, "--server", address, "--url", url, listen=f"localhost:{port}") as site,
        open_window(chromium, width=NARROW, status=403) as page,
    ):
        assert site == url
        page.goto(f"{site}/bots/greedy")
        expect(page.get_by_role("heading", name="Log in")).to_be_visible()
        check_tab_stops(page)
        check_width(page)
        check_accessible(page)
        page.get_by_label("Access token").fill("mazzo_wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("Not accepted")
        check_accessible(page)
        page.get_by_label("Access token").fill(token)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="greedy")).to_be_visible()
        assert page.url == f"{site}/bots/greedy"
        check_accessible(page)
        # The navigation, the name and the way out leave room for the page.
        assert page.get_by_text("alice", exact=True).is_visible()
        assert page.locator("header").evaluate("one => one.offsetHeight") < _HEADER
        page.get_by_role("button", name="Log out").press("Enter")
        expect(page.get_by_role("heading", name="Log in")).to_be_visible()
