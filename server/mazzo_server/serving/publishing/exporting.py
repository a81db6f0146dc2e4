"""Writes the public pages of a platform into a folder."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Final

from starlette.types import ASGIApp

from mazzo_server.errors import InvalidInputError, PlatformError
from mazzo_server.serving.publishing.addresses import (
    FOLDERS,
    find_file,
    find_source,
    is_record,
    make_relative,
)
from mazzo_server.serving.publishing.browsing import Answer, Browser
from mazzo_server.serving.publishing.rewriting import list_links, replace_links

__all__ = ["export_pages"]

_MARK: Final = ".mazzo-pages"  # the file by which we know a folder that we wrote
_LISTED: Final = "/matches"
# What there is not, or what may not be shown: a record that is hidden, false, or too long.
_ABSENT: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)


async def export_pages(
    app: ASGIApp, folder: Path, *, replays: int, on_page: Callable[[], None] = lambda: None
) -> int:
    """Write all pages that need no server, with the newest `replays`; return how many they are.

    The folder must be new, empty, or one that was written like this, which is replaced as a whole
    at the end. Raises `InvalidInputError` for another one, and `PlatformError` if it cannot be
    written.
    """
    try:
        draft = _make_draft(folder)
        try:
            export = _Export(app, draft, replays, on_page)
            count = await export.write_all()
            (draft / _MARK).touch()
            _replace(folder, draft)
        finally:
            rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise PlatformError(f"cannot write {folder}: {error.strerror or error}") from error
    return count


def _make_draft(folder: Path) -> Path:
    """Return a new folder beside the one that it is to replace, which must be ours or empty."""
    is_ours = (folder / _MARK).exists()
    if folder.exists() and not is_ours and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInputError(
            f"{folder}: expected a new or an empty folder, or one that was written by "
            "`mazzo web export`"
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    draft.chmod(0o755)
    return draft


def _replace(folder: Path, draft: Path) -> None:
    old = draft.with_name(f"{draft.name}.old")
    if folder.exists():
        folder.rename(old)
    draft.rename(folder)
    rmtree(old, ignore_errors=True)


def _check(address: str, answer: Answer) -> None:
    if answer.status != HTTPStatus.OK:
        phrase = HTTPStatus(answer.status).phrase
        raise PlatformError(
            f"{address}: expected a page, got {answer.status} {phrase}; nothing was written"
        )


class _Export:
    """Writes the pages of an application into a new folder."""

    def __init__(
        self, app: ASGIApp, folder: Path, replays: int, on_page: Callable[[], None]
    ) -> None:
        self._browser = Browser(app)
        self._folder = folder
        self._most = replays
        self._on_page = on_page
        self._replays: set[str] = set()
        self._files: dict[str, str] = {}  # of the addresses that there are

    async def write_all(self) -> int:
        for name in FOLDERS:
            (self._folder / name).mkdir()
        lists, links = await self._write_replays()
        waiting = ["/", *lists, *links]
        while waiting:
            address = waiting.pop()
            file = find_file(address, replays=self._replays)
            if file is None or address in self._files or address in self._replays:
                continue
            if address.startswith(_LISTED) and not (address in lists or is_record(address)):
                continue
            waiting += await self._write(address, file)
        pages = [pair for pair in self._files.items() if pair[1].endswith(".html")]
        for address, file in pages:
            self._rewrite(address, file)
        return len(pages)

    async def _write_replays(self) -> tuple[list[str], set[str]]:
        """Write the newest replays.

        Return the pages of the list on which they stand, and where the replays lead.
        """
        lists, led, following = list[str](), set[str](), _LISTED
        while following and len(self._replays) < self._most:
            lists.append(following)
            answer = await self._browser.get(following)
            _check(following, answer)
            page = answer.body.decode()
            links = list(list_links(page))
            following = next((one for one in links if one.startswith("?from=")), "")
            following = following and _LISTED + following
            for link in links:
                name = link.removeprefix("/matches/")
                if link.startswith("/matches/") and len(self._replays) < self._most:
                    self._replays.add(name)
                    file = find_file(link, replays=self._replays)
                    assert file is not None
                    leads = await self._write(link, file)
                    led.update(leads)
                    if not leads:  # it cannot be shown, or is too long
                        self._replays.discard(name)
        return lists, led

    async def _write(self, address: str, file: str) -> list[str]:
        """Write a page as it is; return where it leads. What cannot be shown is not written.

        Raises `PlatformError` where the platform does not answer as it should.
        """
        answer = await self._browser.get(find_source(address))
        if answer.status in _ABSENT:
            return []
        _check(address, answer)
        with (self._folder / file).open("xb") as output:  # no two pages have the same file
            output.write(answer.body)
        self._files[address] = file
        self._on_page()
        if not answer.is_page:
            return []
        base = address.partition("?")[0]
        return [
            base + link if link.startswith("?") else link
            for link in list_links(answer.body.decode())
            if not link.startswith("#")
        ]

    def _rewrite(self, address: str, file: str) -> None:
        """Let the links of a page lead to files."""
        path = self._folder / file
        base = address.partition("?")[0]

        def find(link: str) -> str | None:
            target = self._files.get(base + link if link.startswith("?") else link)
            return None if target is None else make_relative(target, source=file)

        path.write_text(replace_links(path.read_text(), find))
