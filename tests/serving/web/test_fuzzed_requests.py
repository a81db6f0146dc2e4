"""Whatever a browser or a stranger's program sends: the answer is a page, and none is a failure."""

from __future__ import annotations

import asyncio
import random
import string
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

import httpx
import pytest

from mazzo.channel import open_channel
from mazzo_server.serving.grpc import open_embedded
from mazzo_server.serving.web import Services, Site, make_app
from mazzo_server.settings import Isolation, Settings
from mazzo_server.storage import TournamentStatus, open_store
from support.finished_tournaments import define, finish
from support.manual_tournaments import Club
from support.stored_rows import add_version
from support.web_pages import ROOT, Page, check_page, open_browser

SIGNS = string.printable + "é\x00\u202e💥\ud800²٣"
WORDS = (
    *("1", "0", "2", "3", "-1", "01", "9" * 12, "4294967296", "nan", "1e9", "", "..", ".", "%"),
    *("ann", "bob", "cleo", "briscola", "briscola/2", "briscola/4?talk=signal", "frap/0", "won"),
    *("worst", "lost", "events", "whole", "style.css", "live.js", "<script>", "' OR 1=1 --"),
)
PATHS = (
    *("", "tournaments", "rankings", "bots", "matches", "static", "login", "logout"),
    *("matches/1/0/0", "matches/1/0", "matches/1/0/0/whole", "tournaments/1", "bots/ann"),
    *("rankings/briscola/2", "tournaments/1/events", "rules", "rules/frap", "operation", "submit"),
    *("bots/ann/versions/2", "bots/ann/versions/1/events", "bots/ann/logs", "bots/ann/retire"),
    *("bots/ann/join-ladder", "bots/bob/leave-ladder"),
    *("bots/bob/activate", "bots/ann/versions/1/trial", "tournaments/1/head-to-head/ann/bob"),
    *("tournaments/1/standings.csv", "tournaments/1/standings.json", "tournaments/1/results.csv"),
    *("matches/1/0/0/record.jsonl", "tournaments/1/head-to-head", "tables", "tables/aaaaaaaa"),
    *("tables/aaaaaaaa/choose", "tables/aaaaaaaa/events", "tables/aaaaaaaa/join"),
    *("tables/aaaaaaaa/leave", "entries", "entries/1", "entries/1/enter", "entries/1/leave"),
)
NAMES = (
    *("from", "bot", "opponent", "variant", "tournament", "seat", "verdict", "sort", "forfeited"),
    *(
        "late",
        "spoilt",
        "version",
        "archive",
        "protections",
        "deal",
        "decision",
        "to",
        "token",
        "csrf",
        "username",
        "name",
        "people",
        "bots",
        "invitation",
        "action",
        "number",
        "hints",
    ),
)
METHODS = (*("GET",) * 8, "HEAD", "POST", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "X")
HEADERS = (
    *("If-None-Match", "Last-Event-ID", "Accept", "Cookie", "Range", "Content-Type"),
    *("Content-Length", "X-Forwarded-Host", "Origin", "Referer", "Accept-Encoding"),
)
ALWAYS = ("Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy")
Choice = TypeVar("Choice")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Matches that can be replayed, a ranking, and a tournament that has not begun."""
    folder = tmp_path_factory.mktemp("fuzzed")
    store = open_store(Settings(home=folder).store)
    for name in ("ann", "bob", "cleo", "ann", "bob", "cleo"):
        add_version(store, name)
    club = Club(store=store)
    for group in club.groups:
        for seating in range(len(group.seatings)):
            club.play(group.number, seating)
    store.set_status(club.id, TournamentStatus.FINISHED, end_time=1.0)
    finish(store, define([("ann", 1), ("bob", 1)]))
    Club(store=store)
    store.close()
    return folder


class Requests:
    """Makes requests that are nearly right, or not at all."""

    def __init__(self, seed: int) -> None:
        self._generator = random.Random(seed)

    def list_some(self, count: int) -> Iterator[httpx.Request]:
        for _ in range(count):
            path = "/".join([self._pick(PATHS), *self._make_some(2)])
            query = "&".join(f"{self._pick(NAMES)}={one}" for one in self._make_some(3))
            body = "&".join(f"{self._pick(NAMES)}={one}" for one in self._make_some(3))
            method = self._pick(METHODS)
            yield httpx.Request(
                method,
                httpx.URL(ROOT, raw_path=f"/{path}{'?' if query else ''}{query}".encode()),
                headers={
                    b"Host": self._pick((b"localhost",) * 9 + (b"evil.example",)),
                    **{self._pick(HEADERS).encode(): one.encode() for one in self._make_some(2)},
                    **self._make_cookies(),
                },
                content=body.encode() if method == "POST" else None,
            )

    def _make_cookies(self) -> dict[bytes, bytes]:
        """Return perhaps a key of a seat at a table, right or wrong."""
        if self._generator.random() < 0.7:
            return {}
        value = self._pick(("é", '"\\001"', "\t", "x" * 3000, f"mazzo_{'a' * 8}_{'b' * 43}", ""))
        return {b"Cookie": f"mazzo-seat-aaaaaaaa={value}; mazzo-session=x".encode()}

    def _make_some(self, most: int) -> list[str]:
        """Return texts for an address, quoted."""
        return [self._make_text() for _ in range(self._generator.randrange(most + 1))]

    def _make_text(self) -> str:
        if self._generator.random() < 0.7:
            return quote(self._pick(WORDS), safe="/%" if self._generator.random() < 0.3 else "")
        signs = self._generator.choices(SIGNS, k=self._generator.randrange(40))
        return quote("".join(signs).encode(errors="surrogatepass"))

    def _pick(self, choices: Sequence[Choice]) -> Choice:
        return self._generator.choice(choices)


@pytest.mark.parametrize(
    "count",
    [pytest.param(400, id="some"), pytest.param(10_000, marks=pytest.mark.prove, id="many")],
)
def test_no_request_makes_it_fail(home: Path, count: int) -> None:
    """No 500, nothing of how the program works inside, and every answer has its headers."""
    statuses: dict[int, int] = {}

    async def work() -> None:
        async with (
            asyncio.timeout(0.5 * count),
            open_embedded(Settings(home=home), isolation=Isolation.NONE) as address,
            open_channel(address) as channel,
            open_browser(make_app(Services.from_channel(channel))) as client,
            open_browser(make_app(Services.from_channel(channel), Site.parse(ROOT))) as visitor,
        ):
            for number, request in enumerate(Requests(count).list_some(count)):
                answer = await (visitor if number % 2 else client).send(request)
                check_answer(request, answer)
                statuses[answer.status_code] = statuses.get(answer.status_code, 0) + 1

    asyncio.run(work())
    assert sum(statuses.values()) == count
    # Else they would try one thing alone.
    assert {200, 400, 403, 404, 405} <= {*statuses}
    assert statuses[200] > count / 20


def check_answer(request: httpx.Request, answer: httpx.Response) -> None:
    told = f"{request.method} {request.url} {request.headers}: {answer.status_code}"
    assert answer.status_code < 500, told
    assert all(name in answer.headers for name in ALWAYS), told
    assert b"Traceback" not in answer.content, told
    assert b"mazzo_server" not in answer.content, told
    if answer.headers.get("Content-Type", "").startswith("text/html") and answer.content:
        check_page(Page(answer.text))
