"""Pages as a test reads them, and a browser without a network."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise

import httpx
from starlette.types import ASGIApp

__all__ = ["ROOT", "Page", "check_page", "open_browser"]

ROOT = "http://localhost"
# What a policy without inline styles and scripts allows in a page.
_FORBIDDEN_TAGS = {"style", "iframe", "object", "embed", "base"}


class Page(HTMLParser):
    """The elements and the text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def list_links(self) -> list[str]:
        """The addresses that it leads to or loads."""
        return [
            address
            for _, attributes in self.elements
            for name in ("href", "src")
            if (address := attributes.get(name))
        ]


def check_page(page: Page) -> None:
    """No inline script, no inline style; one first heading, one main part; no level left out."""
    for tag, attributes in page.elements:
        assert tag not in _FORBIDDEN_TAGS
        assert tag != "script" or "src" in attributes or attributes["type"] == "application/json"
        assert not any(name == "style" or name.startswith("on") for name in attributes)
    assert sum(tag == "h1" for tag, _ in page.elements) == 1
    assert sum(tag == "main" for tag, _ in page.elements) == 1
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    for level, below in pairwise(levels):
        assert below <= level + 1, levels


def open_browser(app: ASGIApp) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url=ROOT)
