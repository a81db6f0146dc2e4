"""The pages: what they show, what every answer has, and that a stranger's text stays text."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import NoReturn
from urllib.parse import urljoin, urlsplit

import httpx
import pytest

from mazzo.channel import open_channel
from mazzo.v1 import standings_pb2, tournament_pb2
from mazzo_server.serving.grpc import open_embedded
from mazzo_server.serving.web import Services, make_app
from mazzo_server.settings import Isolation, Settings
from mazzo_server.storage import open_store
from support.finished_tournaments import define, finish
from support.stored_rows import add_tournament, add_version
from support.web_pages import ROOT, Page, check_page, open_browser

HOSTILE = "</h1><script>alert('x')</script>\x1b[31m‮\x00 & \"'"

Body = Callable[[httpx.AsyncClient], Awaitable[None]]


class Scripted:
    """Services that answer as a test says."""

    def __init__(self, act: Callable[[], tournament_pb2.Tournament]) -> None:
        self._act = act

    async def get_tournament(self, _: int) -> tournament_pb2.Tournament:
        return self._act()

    async def get_course(self, _: int) -> standings_pb2.GetCourseResponse:
        """As large as it may be."""
        names = [row.name for row in self._act().standings.rows]
        bins = [standings_pb2.HistogramBin(low=at, high=at + 1, count=10**6) for at in range(33)]
        return standings_pb2.GetCourseResponse(
            spreads=[standings_pb2.ScoreSpread(name=name, bins=bins) for name in names],
            moments=[
                standings_pb2.CourseMoment(
                    groups=1000 * number,
                    standings=[
                        standings_pb2.CourseStanding(name=name, value=12.345) for name in names
                    ],
                )
                for number in range(1, 50)
            ],
        )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six finished tournaments, one with a hostile name, one that has not begun."""
    folder = tmp_path_factory.mktemp("web")
    store = open_store(Settings(home=folder).store)
    names = ("ann", "bob", "cid", "dan", "eve")
    for name in names:
        add_version(store, name)
    everybody = [(name, 1) for name in names]
    for number in range(3):
        finish(store, define(everybody, groups=4), number, best=["bob"])
    finish(store, define([("ann", 1), ("bob", 1)], groups=2), 7, best=["ann"])
    finish(store, define(everybody, variant="briscola-chiamata/5", groups=3), best=["eve"])
    finish(store, define([("ann", 1), ("bob", 1)], variant="briscola/4?talk=signal"), best=[])
    finish(store, replace(define(everybody), name=HOSTILE), 3)
    add_tournament(store, replace(define(everybody), name="To come"))
    store.close()
    return folder


@asynccontextmanager
async def browse(folder: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A browser of the pages of a store."""
    async with (
        open_embedded(Settings(home=folder), isolation=Isolation.NONE) as address,
        open_channel(address) as channel,
    ):
        services = Services.from_channel(channel)
        async with open_browser(make_app(services)) as client:
            yield client


def run(folder: Path, body: Body) -> None:
    async def work() -> None:
        async with asyncio.timeout(120), browse(folder) as client:
            await body(client)

    asyncio.run(work())


async def crawl(client: httpx.AsyncClient) -> dict[str, httpx.Response]:
    """Every address that a person gets to from the first page."""
    found: dict[str, httpx.Response] = {}
    waiting = ["/"]
    while waiting:
        address = waiting.pop()
        if address in found:
            continue
        found[address] = await client.get(address)
        if found[address].headers["Content-Type"].startswith("text/html"):
            for link in Page(found[address].text).list_links():
                target = urlsplit(urljoin(ROOT + address, link))
                assert target.netloc == "localhost", link  # nothing from another host
                if not link.startswith("#"):
                    waiting.append(target.path + (f"?{target.query}" if target.query else ""))
    return found


@pytest.mark.slow
def test_every_link_leads_to_a_page_that_a_strict_policy_allows(home: Path) -> None:
    """No inline script, no inline style, nothing of another host; headers on all answers."""

    async def body(client: httpx.AsyncClient) -> None:
        found = await crawl(client)
        paths = set(found)
        assert {f"/tournaments/{number}" for number in range(1, 9)} <= paths
        assert {"/rankings/briscola/2", "/rankings/briscola-chiamata/5"} <= paths
        assert {"/matches", "/matches/1/0/0", "/matches?tournament=1&bot=ann"} <= paths
        for address, answer in found.items():
            if address.startswith("/matches/"):  # nobody has played these
                assert answer.status_code in (400, 409)
                continue
            assert answer.status_code == 200, address
            assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'; ")
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            if not answer.headers["Content-Type"].startswith("text/html"):
                continue
            check_page(Page(answer.text))
            assert len(answer.content) < 100_000

    run(home, body)


def test_a_strangers_text_is_text(home: Path) -> None:
    """The name of a tournament, in the heading, in the title and in the chart."""

    async def body(client: httpx.AsyncClient) -> None:
        for address in ("/tournaments/7", "/tournaments", "/"):
            answer = await client.get(address)
            assert "<script>" not in answer.text
            assert not set("\x1b\x00‮") & set(answer.text)
            assert "<script>alert('x')</script>" in Page(answer.text).text

    run(home, body)


def test_a_tournament_has_its_standings_crosstable_and_definition(home: Path) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        shown = Page((await client.get("/tournaments/1")).text)
        for told in ("Standings", "Score per deal against each other", "Seed"):
            assert told in shown.text
        leads = [dict(values).get("class") for tag, values in shown.elements if tag == "td"]
        assert leads.count("ahead-4") == leads.count("behind-4") == 3
        assert "40 of 40 matches, 40 of 40 mirror groups" in shown.text
        assert shown.text.index("bob v1") < shown.text.index("ann v1")
        five = Page((await client.get("/tournaments/5")).text)
        assert "first alone" in five.text
        assert "against each other" not in five.text  # all sat at one table
        pair = Page((await client.get("/tournaments/4")).text)
        assert "against each other" not in pair.text  # the standings say it
        coming = Page((await client.get("/tournaments/8")).text)
        assert "created: 0 of 20 matches" in coming.text
        assert "No mirror group is complete yet." in coming.text
        assert "told when the tournament is over" in coming.text
        assert "progress" in [tag for tag, _ in coming.elements]

    run(home, body)


def test_a_ranking_is_found_by_its_variant_whatever_signs_that_has(home: Path) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        plain = Page((await client.get("/rankings/briscola/2")).text)
        assert "Over 5 finished tournaments" in plain.text
        assert "The ratings as numbers" in plain.text
        assert "/tournaments/7" in plain.list_links()
        addresses = Page((await client.get("/rankings")).text).list_links()
        short = Page((await client.get("/rankings/briscola")).text)
        assert {"/rankings/briscola/2", "/rankings/briscola/4%3Ftalk%3Dsignal"} <= {
            *short.list_links()
        }
        typed = Page((await client.get("/rankings/briscola/4?talk=signal")).text)
        assert "Ranking of briscola/4?talk=signal" in typed.text
        assert (await client.get("/rankings/")).headers["Location"] == "/rankings"
        (option,) = (one for one in addresses if "talk" in one)
        assert option == "/rankings/briscola/4%3Ftalk%3Dsignal"
        special = Page((await client.get(option)).text)
        assert "Ranking of briscola/4?talk=signal" in special.text

    run(home, body)


def test_a_bot_has_its_versions_its_ranks_and_its_matches(home: Path) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        listed = Page((await client.get("/bots")).text)
        assert {f"/bots/{name}" for name in ("ann", "bob", "cid", "dan", "eve")} <= {
            *listed.list_links()
        }
        shown = Page((await client.get("/bots/bob")).text)
        links = shown.list_links()
        assert {"/rankings/briscola/2", "/matches?bot=bob", "/matches?bot=bob&sort=worst"} <= {
            *links
        }
        assert "1 of 5" in shown.text  # it is the best at briscola/2
        assert sum(link.startswith("/matches/") for link in links) == 10

    run(home, body)


def test_matches_are_found_by_filters_that_can_be_taken_away(home: Path) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        every = Page((await client.get("/matches?tournament=1&bot=bob&verdict=won&sort=best")).text)
        assert every.text.count("won") >= 16
        assert "/matches/1/0/0" in every.list_links()
        for text, without in (
            ("verdict won", "?tournament=1&bot=bob&sort=best"),
            ("bot bob", "?tournament=1"),
            ("tournament 1", "?bot=bob&verdict=won&sort=best"),
        ):
            assert text in every.text
            assert without in every.list_links()
        some = Page((await client.get("/matches?variant=briscola/2")).text)
        (more,) = (link for link in some.list_links() if "from=" in link)
        assert "variant=briscola%2F2" in more
        following = Page((await client.get(f"/matches{more}")).text)
        assert "?variant=briscola%2F2" in following.list_links()
        none = Page((await client.get("/matches?bot=bob&forfeited=1&late=1&spoilt=1")).text)
        assert "There is no such match." in none.text

    run(home, body)


def test_a_filter_that_is_refused_leaves_the_others_in_the_form(home: Path) -> None:
    """Bug: the whole page was an error, and all that had been typed was gone."""

    async def body(client: httpx.AsyncClient) -> None:
        for wrong in ("verdict=lucky", "seat=one", "from=nonsense"):
            answer = await client.get(f"/matches?bot=bob&tournament=1&{wrong}")
            assert answer.status_code == 400
            assert 'name="bot" value="bob"' in answer.text
            assert 'name="tournament" value="1"' in answer.text
            page = Page(answer.text)
            assert "Nothing was looked for: " in page.text
            assert "There is no such match" not in page.text

    run(home, body)


def test_lists_have_pages(tmp_path: Path) -> None:
    store = open_store(Settings(home=tmp_path).store)
    for number in range(30):
        add_tournament(store, replace(define([("ann", 1), ("bob", 1)]), name=f"Number {number}"))
    store.close()

    async def body(client: httpx.AsyncClient) -> None:
        first = Page((await client.get("/tournaments")).text)
        (older,) = (link for link in first.list_links() if "from=" in link)
        second = Page((await client.get(older)).text)
        assert "Number 29" in first.text
        assert "Number 0" in second.text
        assert not [link for link in second.list_links() if "from=" in link]
        assert "All tournaments" in Page((await client.get("/")).text).text

    run(tmp_path, body)


def test_an_empty_store_says_what_to_do(tmp_path: Path) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        shown = Page((await client.get("/")).text)
        assert "mazzo tournament run briscola/2" in shown.text
        assert "There is no ranking yet" in shown.text
        assert "no tournament yet" in Page((await client.get("/tournaments")).text).text

    run(tmp_path, body)


def test_what_a_browser_has_is_not_sent_again(home: Path) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        first = await client.get("/tournaments/1")
        again = await client.get("/tournaments/1", headers={"If-None-Match": first.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["ETag"] == first.headers["ETag"]
        other = await client.get("/tournaments/2", headers={"If-None-Match": first.headers["ETag"]})
        assert other.status_code == 200
        for link in Page(first.text).list_links():
            if link.startswith("/static/"):
                assert "immutable" in (await client.get(link)).headers["Cache-Control"]
                plain = await client.get(link.partition("?")[0] + "?another")
                assert "Cache-Control" not in plain.headers

    run(home, body)


@pytest.mark.parametrize(
    ("address", "status", "told"),
    [
        ("/tournaments/99", 404, "there is no tournament 99"),
        ("/tournaments/99999999999999999999", 404, "Not Found"),
        ("/tournaments/one", 404, "Not Found"),
        ("/tournaments?from=nonsense", 400, "expected"),
        ("/rankings/bridge", 400, "expected a game"),
        ("/rankings/frap/4", 404, "no ranking of frap/4"),
        ("/nowhere", 404, "There is no page at this address"),
        ("/logout", 404, "There is no page"),
        ("/matches?verdict=lost", 400, "bot"),
        ("/matches?opponent=ann", 400, "bot"),
        ("/matches?bot=ann&verdict=lucky", 400, "expected one of won, drawn, lost, got lucky"),
        ("/matches?bot=ann&sort=size", 400, "expected one of worst, best"),
        ("/matches?tournament=two", 400, "tournament: expected a number, got two"),
        ("/matches?tournament=99999999999", 400, "expected a number"),
        ("/matches?variant=bridge", 400, "expected"),
        ("/matches?from=nonsense", 400, "expected"),
        ("/bots/nobody", 404, "nobody"),
        ("/bots/%2e%2e", 404, ""),
        ("/bots?from=%00", 400, ""),
        ("/matches/8/0/0", 409, "mirror group"),
        ("/matches/99/0/0", 404, "there is no tournament 99"),
        ("/tournaments/" + "9" * 5000, 404, "Not Found"),
        ("/tournaments/4294967296", 404, "Not Found"),
        ("/tournaments/²", 404, "Not Found"),
        ("/static/nothing", 404, "Not Found"),
        ("/static/%2e%2e/app.py", 404, "Not Found"),
    ],
)
def test_what_is_not_there_is_said_on_a_page(
    home: Path, address: str, status: int, told: str
) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        answer = await client.get(address)
        assert answer.status_code == status
        page = Page(answer.text)
        assert told in page.text
        assert "Traceback" not in page.text
        assert "Content-Security-Policy" in answer.headers
        for link in page.list_links():
            if not link.startswith("#"):
                assert (await client.get(link)).status_code == 200

    run(home, body)


def test_only_this_machines_names_lead_here(home: Path) -> None:
    """Else a page elsewhere could have its own name lead here, and read the answers."""

    async def body(client: httpx.AsyncClient) -> None:
        names = {"localhost:8080": 200, "127.0.0.1": 200, "[::1]:8080": 200}
        strangers = dict.fromkeys(("evil.example", "localhost.evil.example", "10.0.0.1", ""), 400)
        for host, status in (names | strangers).items():
            assert (await client.get("/", headers={"Host": host})).status_code == status
        assert (await client.post("/", data={"a": "b"})).status_code == 405

    run(home, body)


def test_a_platform_that_is_gone_is_told(home: Path) -> None:
    async def work() -> None:
        async with open_channel("localhost:1") as channel:
            services = Services.from_channel(channel)
            async with open_browser(make_app(services)) as client:
                answer = await client.get("/")
        assert answer.status_code == 503
        assert "Service Unavailable" in Page(answer.text).text

    asyncio.run(work())


@pytest.mark.parametrize(
    ("entrants", "most"), [(2, 22_000), (20, 250_000), (21, 75_000), (300, 900_000)]
)
def test_a_page_does_not_grow_with_the_square_of_the_entrants(
    tmp_path: Path, entrants: int, most: int
) -> None:
    """Only a crosstable that people can look at is on it."""
    shown = tournament_pb2.Tournament(id=1, variant="briscola/2", name="Many", matches_total=1)
    names = [f"bot-{number}" for number in range(entrants)]
    for rank, name in enumerate(names, 1):
        shown.entrants.add(name=name, version=1)
        shown.standings.rows.add(
            rank=rank, name=name, version=1, score_per_deal=60, score_low=59, score_high=61
        )
        for other in names:
            if other != name:
                shown.standings.crosstable.add(name=name, opponent=other, score_per_deal=60)

    async def work() -> None:
        app = make_app(Scripted(lambda: shown))  # type: ignore[arg-type]
        async with open_browser(app) as client:
            answer = await client.get("/tournaments/1")
        assert answer.status_code == 200
        assert len(answer.content) < most
        assert ("against each other" in answer.text) is (2 < entrants <= 20)
        assert ("tournament show 1 --json" in answer.text) is (entrants > 20)

    asyncio.run(work())


def test_our_own_failures_and_late_answers_are_pages_too() -> None:
    """An error page has the headers of every page, and does not say what failed."""

    def fail() -> NoReturn:
        raise RuntimeError("a secret")

    def wait() -> NoReturn:
        raise TimeoutError

    async def work() -> None:
        for act, status in ((fail, 500), (wait, 504)):
            app = make_app(Scripted(act))  # type: ignore[arg-type]
            async with open_browser(app) as client:
                answer = await client.get("/tournaments/1")
            assert answer.status_code == status
            assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'; ")
            assert "secret" not in answer.text

    asyncio.run(work())
