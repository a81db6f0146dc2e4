"""`make bench-pages`: how long each page takes the server, on a store of half a million matches.

Embedded as `mazzo web` without a server is: platform and pages in one process, with a Unix socket
between them. Exit status 1 when a kind of page takes longer than 30 ms at the median, or than
100 ms for one in a hundred, or when a first load of it, with the files that it needs, has more than
100 kB.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from itertools import pairwise
from math import comb
from pathlib import Path
from statistics import median, quantiles
from urllib.parse import urlencode

import psycopg

from bench.store import ENTRANTS, fill
from mazzo.channel import open_channel
from mazzo_server.clock import monotonic
from mazzo_server.model import Mirror
from mazzo_server.results import keep_standings
from mazzo_server.serving.grpc import open_embedded
from mazzo_server.serving.publishing.browsing import Browser
from mazzo_server.serving.web import Services, make_app
from mazzo_server.settings import Isolation, Settings
from mazzo_server.storage import Store, TournamentStatus, open_store
from support.manual_tournaments import Club
from support.postgres import started
from support.stored_rows import DEFINITION, add_tournament, add_version

_SEATINGS = 2
_MEDIAN_BAR, _P99_BAR = 0.030, 0.100  # seconds
_SIZE_BAR = 100_000  # bytes
_REPLAYED = ("briscola/2", "briscola/4", "briscola-chiamata/5", "frap/6")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="make bench-pages", description=__doc__)
    parser.add_argument("--matches", type=int, default=500_000)
    parser.add_argument("--times", type=int, default=1000, help="requests of each kind")
    arguments = parser.parse_args()
    missed = False
    for kind in ("SQLite", "PostgreSQL"):
        with _settings(kind) as settings:
            _fill(settings, arguments.matches)
            print(f"{kind}, one tournament of {arguments.matches:,} matches", flush=True)
            missed |= asyncio.run(_measure(settings, arguments.times))
    sys.exit(int(missed))


@contextmanager
def _settings(kind: str) -> Iterator[Settings]:
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mazzo-bench-"))
        url = ""
        if kind == "PostgreSQL":
            url = stack.enter_context(stack.enter_context(started(durable=True)).database())
        yield Settings(home=Path(folder), database_url=url)


def _fill(settings: Settings, matches: int) -> None:
    with closing(open_store(settings.store)) as store:
        for entrant in ENTRANTS:
            add_version(store, entrant.name)
        groups = -(-matches // (_SEATINGS * comb(len(ENTRANTS), 2)))
        definition = replace(
            DEFINITION,
            variant="briscola/2",
            entrants=ENTRANTS,
            mirror=Mirror.ROTATIONS,
            groups=groups,
        )
        tournament = add_tournament(store, definition)
        fill(store, tournament, matches)
        keep_standings(store, tournament)
        store.set_status(tournament, TournamentStatus.FINISHED, end_time=1.0)
        _play_some(store)
    if settings.database_url:  # autovacuum does it a minute after so many rows were added
        with psycopg.connect(settings.database_url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")


def _play_some(store: Store) -> None:
    """Add matches that can be replayed: the cards of the many others are made up."""
    for variant in _REPLAYED:
        bots = ENTRANTS[: 6 if variant.startswith("frap") else 5]
        club = Club(variant, store=store, groups=1, entrants=bots)
        for seating in range(len(club.groups[0].seatings)):
            club.play(0, seating)
        store.set_status(club.id, TournamentStatus.FINISHED, end_time=2.0)


async def _measure(settings: Settings, times: int) -> bool:
    """Return whether a bar is missed."""
    missed = False
    async with (
        open_embedded(settings, isolation=Isolation.NONE) as address,
        open_channel(address) as channel,
    ):
        browser = Browser(make_app(Services.from_channel(channel)))
        for name, addresses in _list_pages():
            seconds, size = [], 0
            for number in range(times):
                began = monotonic()
                answer = await browser.get(addresses[number % len(addresses)])
                seconds.append(monotonic() - began)
                assert answer.status == 200, (addresses[number % len(addresses)], answer.status)
                if number < len(addresses):
                    size = max(size, await _measure_load(browser, answer.body))
            middle, late = median(seconds), quantiles(seconds, n=100)[-1]
            is_missed = middle > _MEDIAN_BAR or late > _P99_BAR or size > _SIZE_BAR
            missed |= is_missed
            print(
                f"  {name:24} {middle * 1000:>8.1f} ms, {late * 1000:>8.1f} ms at p99, the first "
                f"{seconds[0] * 1000:.0f} ms; {size / 1000:.0f} kB"
                f"{': missed' if is_missed else ''}",
                flush=True,
            )
    return missed


async def _measure_load(browser: Browser, page: bytes) -> int:
    """Return the bytes of a page and of the files that it loads."""
    files = set(re.findall(rb'(?:src|href)="(/static/[^"]+)"', page))
    return len(page) + sum([len((await browser.get(file.decode())).body) for file in files])


def _list_pages() -> Iterator[tuple[str, list[str]]]:
    """Yield the kinds of pages, each with addresses that are asked for by turns."""
    names = [entrant.name for entrant in ENTRANTS]
    filters: list[dict[str, object]] = [{}, {"variant": "briscola/2"}, {"forfeited": 1}]
    for bot, opponent in pairwise(names):
        filters += [
            {"bot": bot},
            {"bot": bot, "opponent": opponent, "tournament": 1},
            {"bot": bot, "verdict": "lost", "sort": "worst"},
            {"bot": bot, "sort": "luckiest"},
        ]
    yield "home", ["/"]
    yield "tournaments", ["/tournaments"]
    yield "the feed", ["/feed.atom"]
    yield "rules", ["/rules", "/rules/briscola", "/rules/frap"]
    yield "a tournament", ["/tournaments/1", "/tournaments/2"]
    two = [f"/tournaments/1/head-to-head/{bot}/{other}" for bot, other in pairwise(names)]
    yield "two bots", [*two, "/tournaments/5/head-to-head/bot-00/bot-01"]
    asked = ("verdict=lost", "sort=worst", "forfeited=1", "late=1", "seat=1&sort=unluckiest")
    yield "two bots, filtered", [f"{one}?{query}" for one in two for query in asked]
    yield "rankings", ["/rankings"]
    yield "a ranking", ["/rankings/briscola/2", "/rankings/frap/6"]
    yield "bots", ["/bots"]
    yield "a bot", [f"/bots/{name}" for name in names]
    yield "matches", [f"/matches?{urlencode(one)}" for one in filters]
    yield (
        "a position of a match",
        [
            f"/matches/{number}/0/{seating}?decision={decision}"
            for number in range(2, 2 + len(_REPLAYED))
            for seating in range(2)
            for decision in range(1, 20, 3)
        ],
    )
    yield (
        "a mirror group",
        [f"/matches/2/0?decision={decision}" for decision in range(1, 40, 3)],
    )


if __name__ == "__main__":
    main()
