"""Pages that stay open while what is behind them is started anew: they notice it by themselves."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryDirectory

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.shown_site import find_free_port, show_site
from browser.table_forms import CHOICES, open_table, wait_for_turn
from support.command import Home, kill, until
from support.served import serving

LONG = 60_000.0  # milliseconds
SILENCE = "The server does not answer now"


@contextmanager
def open_page(chromium: Browser) -> Iterator[Page]:
    """Open a page that may complain: what it asks for is refused for a while."""
    context = chromium.new_context()
    try:
        page = context.new_page()
        page.clock.install()  # it goes on as usual, but for `let_it_ask`
        yield page
    finally:
        context.close()


def let_it_ask(page: Page) -> None:
    """Let the time pass after which a page asks again at the latest."""
    page.clock.fast_forward(31_000)


@pytest.fixture
def address() -> Iterator[str]:
    with TemporaryDirectory() as folder:  # a short path, as those of sockets must be
        yield f"unix:{folder}/mazzo.sock"


def test_a_table_that_ended_with_its_server_is_told(
    chromium: Browser, samples: Home, address: str
) -> None:
    """Bug: its stream was refused once, and "The others are to move." stood there for ever.

    Promise: the page says soon that nobody answers, asks now and then, and at last shows by itself
    that the table is gone.
    """
    listen = ("--listen", address, "--isolation", "none")
    with open_page(chromium) as page, ExitStack() as stack:
        with serving(samples, *listen) as (server, _):
            site = stack.enter_context(show_site(samples, "--server", address))
            open_table(page, site, "briscola/2")
            wait_for_turn(page)
            kill(server, signal.SIGKILL)  # or it would wait for the match
        expect(page.get_by_text(SILENCE)).to_be_visible(timeout=10_000)
        page.wait_for_event("response")  # to the browser's own attempt, which is refused
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        for _ in range(3):
            let_it_ask(page)
            page.wait_for_timeout(300)
        assert 1 <= len(asked) <= 4, asked
        page.locator(CHOICES).first.click()
        expect(page.locator(CHOICES).first).to_be_enabled()  # the choice was not taken
        expect(page.get_by_text("Your choice did not arrive: choose again.")).to_be_visible()
        with serving(samples, *listen):
            gone = page.get_by_role("heading", name="Not Found")
            while not gone.is_visible():  # the pages look for the server now and then, too
                let_it_ask(page)
                page.wait_for_timeout(500)
            expect(page.get_by_text("expected a table that is open")).to_be_visible()


def test_a_table_goes_on_when_its_pages_are_started_anew(
    chromium: Browser, samples: Home, address: str
) -> None:
    """Promise: a person plays on at the same page, without loading it anew."""
    port = find_free_port()
    pages = ("--server", address)
    with (
        serving(samples, "--listen", address, "--isolation", "none"),
        open_page(chromium) as page,
    ):
        with show_site(samples, *pages, listen=f"127.0.0.1:{port}") as site:
            open_table(page, site, "briscola/2")
            number = wait_for_turn(page)
            hand = page.locator(".own .hand").inner_html()
        expect(page.get_by_text(SILENCE)).to_be_visible(timeout=LONG)
        with show_site(samples, *pages, listen=f"127.0.0.1:{port}"):
            let_it_ask(page)
            expect(page.get_by_text(SILENCE)).to_be_hidden(timeout=LONG)
            assert wait_for_turn(page) == number
            assert page.locator(".own .hand").inner_html() == hand
            expect(page.locator(CHOICES).first).to_be_enabled()


def test_who_has_to_log_in_anew_is_led_there_and_back(chromium: Browser, samples: Home) -> None:
    """Promise: so does the page of a live tournament when the sessions have ended with the pages.

    And what is still played when its own server is started anew, goes on or is told to be stopped.
    """
    token = samples("auth", "create", "organiser").out.strip()
    home = Home(samples.path, {"MAZZO_ACCESS_TOKEN": token})
    port, serve = find_free_port(), f"localhost:{find_free_port()}"
    game = ("briscola/2", "--bots", "greedy,random", "--deals", "100000", "--server", serve)
    pages = ("--server", serve, "--url", f"http://localhost:{port}")
    with open_page(chromium) as page, ExitStack() as stack:
        with serving(samples, "--listen", serve, "--isolation", "none"):
            playing = home.start("tournament", "run", *game)
            stack.callback(kill, playing)
            with show_site(samples, *pages, listen=f"localhost:{port}") as site:
                until(lambda: samples.status_of() == "running", playing)
                log_in(page, f"{site}/tournaments/1", token)
            expect(page.get_by_text(SILENCE)).to_be_visible(timeout=LONG)
            stack.enter_context(show_site(samples, *pages, listen=f"localhost:{port}"))
            let_it_ask(page)
            expect(page.get_by_role("heading", name="Log in")).to_be_visible(timeout=LONG)
            log_in(page, "", token)
            assert page.url == f"{site}/tournaments/1"
        kill(playing)
        with serving(samples, "--listen", serve, "--isolation", "none"):
            let_it_ask(page)
            expect(page.locator(".lead")).not_to_contain_text("running", timeout=LONG)


def log_in(page: Page, address: str, token: str) -> None:
    """Show a token, on the page that an address leads to, or on this one."""
    if address:
        page.goto(address)
    page.get_by_label("Access token").fill(token)
    page.keyboard.press("Enter")
    expect(page.locator("#live[data-events]")).to_be_visible()
