"""A Chromium of this machine, and windows of it that must have nothing to complain of."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, Request, expect, sync_playwright

__all__ = ["NARROW", "WIDE", "open_chromium", "open_window"]

WIDE: Final = 1000
NARROW: Final = 360
"""Widths of windows, in pixels."""
_VARIABLE: Final = "MAZZO_CHROMIUM"
_NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
_HEIGHT: Final = 800
_PATIENCE: Final = 30_000.0  # milliseconds, the longest wait for anything
_REPORTER: Final = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`against the policy: ${event.violatedDirective} ${event.blockedURI}`));
"""


def find_chromium() -> str:
    """Return the path of a Chromium."""
    for name in (os.environ.get(_VARIABLE), *_NAMES):
        if name and (path := shutil.which(name)):
            return path
    raise FileNotFoundError(
        f"expected one of {', '.join(_NAMES)} on the path, or a Chromium that {_VARIABLE} names"
    )


@contextmanager
def open_chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium())
        yield browser
        browser.close()


@contextmanager
def open_window(
    browser: Browser,
    *,
    width: int = WIDE,
    has_scripts: bool = True,
    status: int = 200,
) -> Iterator[Page]:
    """Open a window for one test, which must end without a complaint of the browser.

    A complaint is a message on the console, a report against the policy, a request that fails, and
    one for another host than the page's. The page itself may have another status than 200, of
    which browsers tell on the console.
    """
    context = browser.new_context(
        viewport={"width": width, "height": _HEIGHT},
        java_script_enabled=has_scripts,
    )
    try:
        context.set_default_timeout(_PATIENCE)
        expect.set_options(timeout=_PATIENCE)
        page = context.new_page()
        complaints = _listen(context, page)
        yield page
        others = [one for one in complaints if status == 200 or f"{status}" not in one]
        assert not others, "\n".join(others)
    finally:
        context.close()


def _listen(context: BrowserContext, page: Page) -> list[str]:
    complaints: list[str] = []
    context.add_init_script(_REPORTER)
    hosts: set[str] = set()

    def check_host(request: Request) -> None:
        if not request.url.startswith(("about:", "data:")):
            hosts.add(urlsplit(request.url).netloc)
        if len(hosts) > 1:
            complaints.append(f"asks another host: {request.url}")

    def note_failure(request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # by leaving the page
            complaints.append(f"no answer: {request.url} {request.failure}")

    page.on("console", lambda message: complaints.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(f"script: {error}"))
    page.on("request", check_host)
    page.on("requestfailed", note_failure)
    page.on(
        "response",
        lambda answer: (
            complaints.append(f"{answer.status}: {answer.url}") if answer.status >= 400 else None
        ),
    )
    return complaints
