"""Rewrites a page for a file: its links lead to files, and what needs a server is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from html.parser import HTMLParser
from typing import Final

__all__ = ["list_links", "replace_links"]

# A file has no server that could send this as a header.
_POLICY: Final = (
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
    "script-src 'self'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'\">"
)
_LIVE: Final = ("live.js", "replay.js")  # scripts that ask a server


def list_links(page: str) -> Iterator[str]:
    """Yield the addresses to which a page leads, and of what it loads."""
    for _, attributes in _Elements(page).found:
        for name in ("href", "src"):
            if address := attributes.get(name):
                yield address


class _Elements(HTMLParser):
    """Finds the elements of a page with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def replace_links(page: str, find: Callable[[str], str | None]) -> str:
    """Return the page with what `find` makes of each address; a link to None is a mere text."""
    writer = _Writer(find)
    writer.feed(page)
    writer.close()
    return "".join(writer.out)


class _Writer(HTMLParser):
    """Writes what it reads, but for links, forms and scripts of live pages."""

    def __init__(self, find: Callable[[str], str | None]) -> None:
        super().__init__(convert_charrefs=False)
        self.out: list[str] = []
        self._find = find
        self._links: list[str] = []  # the elements that stand for the links that are open
        self._dropped: str | None = None  # the element that is left out with all that is in it

    def handle_decl(self, decl: str) -> None:
        self._write(f"<!{decl}>")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._dropped:
            return
        values = dict(attrs)
        is_live = any(name in (values.get("src") or "") for name in _LIVE)
        is_for_servers = tag in ("form", "noscript") or "data-server" in values
        if is_for_servers or (tag == "script" and is_live):
            self._dropped = tag
            return
        values.pop("data-events", None)
        for name in ("href", "src"):
            address = values.get(name)
            if address is not None and not address.startswith("#"):
                values[name] = self._find(address)
        if tag == "link" and values.get("href") is None:
            return
        name = tag
        if tag == "a":
            if values.get("href") is None:
                name, values = "span", {}
            self._links.append(name)
        self._write(f"<{name}{''.join(_write_attribute(*item) for item in values.items())}>")
        if tag == "meta" and "charset" in values:
            self._write(f"\n{_POLICY}")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self._dropped:
            values = "".join(_write_attribute(*item) for item in attrs)
            self._write(f"<{tag}{values}/>")

    def handle_endtag(self, tag: str) -> None:
        if self._dropped:
            self._dropped = None if tag == self._dropped else self._dropped
            return
        self._write(f"</{self._links.pop() if tag == 'a' else tag}>")

    def handle_data(self, data: str) -> None:
        self._write(data)

    def handle_entityref(self, name: str) -> None:
        self._write(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._write(f"&#{name};")

    def _write(self, text: str) -> None:
        if not self._dropped:
            self.out.append(text)


def _write_attribute(name: str, value: str | None) -> str:
    shown = "viewBox" if name == "viewbox" else name
    return f" {shown}" if value is None else f' {shown}="{escape(value)}"'
