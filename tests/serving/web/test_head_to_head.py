"""The page of two entrants: its numbers, its histogram, its mirror groups, and what it hides."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import httpx
import pytest

from mazzo_server.model import Entrant, Mirror
from mazzo_server.model.outcome import Fault, Owner, Termination
from mazzo_server.settings import Settings
from mazzo_server.storage import TournamentStatus, open_store
from serving.web.test_pages import run
from support.finished_tournaments import define, finish, play
from support.manual_tournaments import Club, entrants_of
from support.stored_rows import add_tournament, add_version
from support.web_pages import Page, check_page

FAULT = Fault(
    seat=0,
    termination=Termination.CRASHED,
    owner=Owner.BOT,
    reason="exit status 1",
    deal=0,
    decision=3,
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Mirror groups of two, a table of five, copies of a bot, a running one, a withdrawn bot."""
    folder = tmp_path_factory.mktemp("web")
    store = open_store(Settings(home=folder).store)
    for name in ("ann", "bob", "cleo", "dan", "eve"):
        add_version(store, name)
    everybody = [(name, 1) for name in ("ann", "bob", "cleo", "dan", "eve")]
    mirrored = replace(define(everybody[:3], groups=20), mirror=Mirror.ROTATIONS)
    number = add_tournament(store, mirrored)  # 1
    outcomes = play(mirrored, 3)
    first = next(one for one in outcomes if 0 in one.entrants and 1 in one.entrants)
    outcomes[outcomes.index(first)] = replace(
        first,
        faults=(replace(FAULT, seat=first.entrants.index(0)),),
        late=tuple(3 * (one == 0) for one in first.entrants),
        counted=((0, 0),),
    )
    store.add_outcomes(number, outcomes)
    store.set_status(number, TournamentStatus.FINISHED, end_time=6.0)
    finish(store, define(everybody, variant="briscola-chiamata/5", groups=3), best=["eve"])  # 2
    copies = replace(
        mirrored,
        entrants=(
            Entrant(name="ann", version=1, content_hash="a" * 64),
            Entrant(name="ann*2", version=1, content_hash="a" * 64),
            Entrant(name="bob", version=1, content_hash="a" * 64),
        ),
        groups=2,
    )
    finish(store, copies, 5)  # 3
    running = Club(store=store, entrants=entrants_of("ann", "bob"), groups=3)  # 4
    for group, seating in ((0, 0), (0, 1), (1, 0)):
        running.play(group, seating)
    withdrawn = finish(store, define(everybody[:3], groups=1))  # 5
    store.add_withdrawal(withdrawn, 2, reason="did not start")
    store.close()
    return folder


def test_the_numbers_are_those_of_the_crosstable(home: Path) -> None:
    """Promise: both are told alike, with forfeits and late decisions, each group once."""

    async def body(client: httpx.AsyncClient) -> None:
        tournament = Page((await client.get("/tournaments/1")).text)
        address = "/tournaments/1/head-to-head/ann/bob"
        assert address in tournament.list_links()
        answer = await client.get(address)
        assert answer.status_code == 200
        page = Page(answer.text)
        check_page(page)
        assert "ann against bob" in page.text
        assert "40 deals of 20 mirror groups" in page.text
        sides = answer.text[answer.text.index("P better") : answer.text.index("W-D-L</dt>")]
        assert sides.count('<td class="number">1</td>') == 1  # ann's forfeit
        assert sides.count('<td class="number">3</td>') == 1  # and her late decisions
        counts = read_counts(answer.text)
        assert sum(counts) == 20
        back = (await client.get("/tournaments/1/head-to-head/bob/ann")).text
        assert read_counts(back) == counts[::-1]
        assert "/tournaments/1/head-to-head/bob/ann" in page.list_links()

    run(home, body)


def read_counts(text: str) -> list[int]:
    """The numbers of the table beside the chart."""
    table = text[
        text.index("The chart as numbers") : text.index("</details>", text.index("The ch"))
    ]
    parts = table.split('<td class="number">')[1:]
    return [int(part.partition("<")[0]) for part in parts]


def test_groups_come_by_swing_and_lead_to_both_seatings(home: Path) -> None:
    """Promise: the largest first, every group once, over all pages; or the smallest first."""

    async def body(client: httpx.AsyncClient) -> None:
        address = "/tournaments/1/head-to-head/ann/bob"
        groups: list[str] = []
        swings: list[float] = []
        query = ""
        while True:
            text = (await client.get(f"{address}{query}")).text
            page = Page(text)
            links = page.list_links()
            groups += [one for one in links if one.startswith("/matches/") and one.count("/") == 3]
            rows = text[text.index('aria-label="Mirror groups"') :].split('scope="row"')[1:]
            swings += [float(row.split('"number">')[1].partition("<")[0]) for row in rows]
            following = [one for one in links if "from=" in one]
            if not following:
                break
            (query,) = following
        assert len(set(groups)) == 20
        assert all(upper >= lower for upper, lower in pairwise(swings))
        lowest = Page((await client.get(f"{address}?sort=unluckiest")).text)
        assert groups[-1] in lowest.list_links()
        assert "sort unluckiest" in lowest.text

    run(home, body)


def test_filters_are_shown_and_can_be_cleared(home: Path) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        address = "/tournaments/1/head-to-head/ann/bob"
        page = Page((await client.get(f"{address}?verdict=lost&forfeited=1&seat=0")).text)
        for text, without in (
            ("verdict lost", "?forfeited=1&seat=0"),
            ("forfeited", "?verdict=lost&seat=0"),
            ("seat 0", "?verdict=lost&forfeited=1"),
        ):
            assert text in page.text
            assert without in page.list_links()
        forfeited = (await client.get(f"{address}?forfeited=1&late=1")).text
        assert forfeited.count("forfeited: crashed") == 1
        none = Page((await client.get("/tournaments/1/head-to-head/bob/ann?forfeited=1")).text)
        assert "There is no such match between the two." in none.text

    run(home, body)


def test_at_larger_tables_it_is_about_the_groups_with_both(home: Path) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        page = Page((await client.get("/tournaments/2/head-to-head/eve/ann")).text)
        assert "3 mirror groups in which both sat" in page.text
        assert "3-0-0" in page.text
        found = await client.get("/tournaments/2/head-to-head?bot=eve&opponent=ann")
        assert found.headers["Location"] == "/tournaments/2/head-to-head/eve/ann"

    run(home, body)


def test_copies_of_a_bot_are_told_apart(home: Path) -> None:
    """Promise: a page about one copy has no match of the other."""

    async def body(client: httpx.AsyncClient) -> None:
        tournament = Page((await client.get("/tournaments/3")).text)
        address = "/tournaments/3/head-to-head/ann%2A2/bob"
        assert address in tournament.list_links()
        text = (await client.get(address)).text
        rows = text[text.index('aria-label="Mirror groups"') :]
        assert "ann*2 " in rows
        assert ": ann " not in rows
        assert ", ann " not in rows
        assert text.count('scope="row"><a href="/matches/3/') == 2

    run(home, body)


def test_a_group_that_is_not_over_is_nowhere(home: Path) -> None:
    """Promise: while a tournament is played, only whole mirror groups are shown."""

    async def body(client: httpx.AsyncClient) -> None:
        text = (await client.get("/tournaments/4/head-to-head/ann/bob")).text
        assert sum(read_counts(text)) == 1
        links = Page(text).list_links()
        assert "/matches/4/0" in links
        assert not [one for one in links if one.startswith("/matches/4/1")]

    run(home, body)


def test_what_is_no_pair_gets_a_clear_answer(home: Path) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        for address, status, told in (
            ("/tournaments/1/head-to-head/ann/ann", 404, "two entrants"),
            ("/tournaments/1/head-to-head/ann/zed", 404, "zed"),
            ("/tournaments/1/head-to-head/ann/eve", 404, "eve"),  # a bot that takes no part
            ("/tournaments/9/head-to-head/ann/bob", 404, "9"),
            ("/tournaments/x/head-to-head/ann/bob", 404, ""),
            ("/tournaments/5/head-to-head/ann/cleo", 409, "withdrawn"),
            ("/tournaments/1/head-to-head/ann/bob?sort=luck", 400, "sort"),
            ("/tournaments/1/head-to-head/ann/bob?seat=-1", 400, "seat"),
            ("/tournaments/1/head-to-head?bot=ann", 400, "two bots"),
            ("/tournaments/1/head-to-head?bot=../ann&opponent=bob", 400, "two bots"),
        ):
            answer = await client.get(address)
            assert answer.status_code == status, address
            assert told in Page(answer.text).text, address
        hostile = "/tournaments/1/head-to-head/ann/<script>alert(1)<%2Fscript>"
        assert "<script>alert" not in (await client.get(hostile)).text

    run(home, body)
