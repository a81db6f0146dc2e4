"""The Atom feed of results: valid, stable, and nothing that the pages would not show."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from uuid import UUID
from xml.etree import ElementTree

import httpx
import pytest

from mazzo.channel import open_channel
from mazzo_server.model import TournamentKind
from mazzo_server.serving.grpc import open_embedded
from mazzo_server.serving.web import Services, Site, make_app
from mazzo_server.settings import Isolation, Settings
from mazzo_server.storage import TournamentStatus, open_store
from support.finished_tournaments import define, finish
from support.stored_rows import add_tournament, add_version
from support.web_pages import open_browser

ATOM = "{http://www.w3.org/2005/Atom}"
HOSTILE = "]]></title><script>alert(1)</script>&amp; \0\ufffe"
OTHERS = 3  # tournaments that are not finished
FINISHED = 35


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Many finished tournaments, and some that are not."""
    folder = tmp_path_factory.mktemp("feed")
    store = open_store(Settings(home=folder).store)
    for name in ("ann", "bob"):
        add_version(store, name)
    pair = [("ann", 1), ("bob", 1)]
    for number in range(FINISHED):
        name = HOSTILE if number == FINISHED - 1 else f"number {number}"
        row = finish(store, replace(define(pair, groups=1), name=name), number, best=["bob"])
        store.set_status(row, TournamentStatus.FINISHED, end_time=2e9 + number)
    add_tournament(store, replace(define(pair), name="To come"))
    cancelled = add_tournament(store, replace(define(pair), name="Cancelled"))
    store.set_status(cancelled, TournamentStatus.CANCELLED, end_time=3e9)
    table = replace(define(pair), name="A person's match", kind=TournamentKind.TABLE)
    number = add_tournament(store, table)
    store.set_status(number, TournamentStatus.FINISHED, end_time=3e9)
    store.close()
    return folder


@asynccontextmanager
async def browse(folder: Path, site: Site | None = None) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        open_embedded(Settings(home=folder), isolation=Isolation.NONE) as address,
        open_channel(address) as channel,
    ):
        app = make_app(Services.from_channel(channel), site or Site())
        async with open_browser(app) as client:
            yield client


def run(
    folder: Path, body: Callable[[httpx.AsyncClient], Awaitable[None]], site: Site | None = None
) -> None:
    async def work() -> None:
        async with asyncio.timeout(120), browse(folder, site) as client:
            await body(client)

    asyncio.run(work())


def texts(feed: ElementTree.Element, name: str) -> list[str]:
    return [entry.findtext(f"{ATOM}{name}", "") for entry in feed.findall(f"{ATOM}entry")]


def test_the_feed_is_what_the_standard_asks_for(home: Path) -> None:
    """One id, title and time of each, links of the site, and an author."""

    async def body(client: httpx.AsyncClient) -> None:
        answer = await client.get("/feed.atom")
        assert answer.status_code == 200
        assert answer.headers["Content-Type"].startswith("application/atom+xml")
        feed = ElementTree.fromstring(answer.content)
        assert feed.tag == f"{ATOM}feed"
        for name in ("id", "title", "updated"):
            assert len(feed.findall(f"{ATOM}{name}")) == 1
            assert all(texts(feed, name))
        assert feed.findtext(f"{ATOM}author/{ATOM}name")
        ids = [*texts(feed, "id"), feed.findtext(f"{ATOM}id", "")]
        assert len({UUID(one) for one in ids}) == 31
        assert texts(feed, "updated") == sorted(texts(feed, "updated"), reverse=True)
        assert feed.findtext(f"{ATOM}updated") == texts(feed, "updated")[0]
        (own,) = (one for one in feed.findall(f"{ATOM}link") if one.get("rel") == "self")
        assert own.get("href") == str(answer.url)
        for entry in feed.findall(f"{ATOM}entry"):
            link = entry.find(f"{ATOM}link")
            assert link is not None
            page = await client.get(link.get("href", ""))
            assert page.status_code == 200
        # The first page leads to it, for browsers and for people.
        first = (await client.get("/")).text
        assert '<link rel="alternate" type="application/atom+xml"' in first
        assert first.count('href="/feed.atom"') == 2

    run(home, body)


def test_the_newest_results(home: Path) -> None:
    """Those that were finished last, with who was best; nothing that counts for nothing."""

    async def body(client: httpx.AsyncClient) -> None:
        feed = ElementTree.fromstring((await client.get("/feed.atom")).content)
        titles = texts(feed, "title")
        assert len(titles) == 30
        assert titles[1:] == [f"number {n}: briscola/2" for n in range(FINISHED - 2, 4, -1)]
        assert titles[0].startswith("]]></title><script>alert(1)</script>&amp; ")
        assert texts(feed, "summary")[1] == ("1. bob, 2. ann – 2 entrants, 1 match, round-robin.")

    run(home, body)


def test_the_newest_results_of_an_old_club(tmp_path: Path) -> None:
    """However many tournaments were created since then that are not finished."""
    store = open_store(Settings(home=tmp_path).store)
    for name in ("ann", "bob"):
        add_version(store, name)
    pair = [("ann", 1), ("bob", 1)]
    for number in range(3):
        row = finish(store, replace(define(pair, groups=1), name=f"number {number}"), number)
        store.set_status(row, TournamentStatus.FINISHED, end_time=2e9 - number)
    for number in range(150):
        add_tournament(store, replace(define(pair), name=f"To come {number}"))
    store.close()

    async def body(client: httpx.AsyncClient) -> None:
        feed = ElementTree.fromstring((await client.get("/feed.atom")).content)
        assert texts(feed, "title") == [f"number {n}: briscola/2" for n in range(3)]

    run(tmp_path, body)


def test_ids_are_the_same_elsewhere(home: Path) -> None:
    """Whatever the address of the pages; the feed itself is another one."""
    found: list[ElementTree.Element] = []

    async def body(client: httpx.AsyncClient) -> None:
        found.append(ElementTree.fromstring((await client.get("/club/feed.atom")).content))

    async def plain(client: httpx.AsyncClient) -> None:
        found.append(ElementTree.fromstring((await client.get("/feed.atom")).content))

    run(home, plain)
    run(home, body, Site(prefix="/club", is_secure=True))
    assert texts(found[0], "id") == texts(found[1], "id")
    assert found[0].findtext(f"{ATOM}id") != found[1].findtext(f"{ATOM}id")
    link = found[1].find(f"{ATOM}entry/{ATOM}link")
    assert link is not None
    assert link.get("href", "").startswith("https://localhost/club/tournaments/")


def test_a_reader_that_has_it_gets_nothing(home: Path) -> None:
    """Readers ask every hour."""

    async def body(client: httpx.AsyncClient) -> None:
        tag = (await client.get("/feed.atom")).headers["ETag"]
        again = await client.get("/feed.atom", headers={"If-None-Match": tag})
        assert (again.status_code, again.content) == (304, b"")
        other = await client.get("/feed.atom", headers={"If-None-Match": '"other"'})
        assert other.status_code == 200

    run(home, body)


def test_an_empty_feed_is_valid(tmp_path: Path) -> None:
    """Before the first tournament is finished."""

    async def body(client: httpx.AsyncClient) -> None:
        feed = ElementTree.fromstring((await client.get("/feed.atom")).content)
        assert feed.findall(f"{ATOM}entry") == []
        assert feed.findtext(f"{ATOM}updated")

    run(tmp_path, body)
