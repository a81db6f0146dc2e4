"""What a tournament's page says of how it went: charts with their numbers, seats, and faults."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from mazzo_server.model import Mirror, PairingScheme
from mazzo_server.model.outcome import Fault, Owner, Termination
from mazzo_server.settings import Settings
from mazzo_server.storage import TournamentStatus, open_store
from results.standings.test_brackets import play as play_bracket
from serving.web.test_pages import run
from support.brackets import define_bracket
from support.finished_tournaments import define, finish, play
from support.stored_rows import add_tournament, add_version
from support.web_pages import Page, check_page

NAMES = ("ann", "bob", "cid", "dan", "eve")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One with forfeits of two owners, one at a table of five, a Swiss one, one not begun."""
    folder = tmp_path_factory.mktemp("web")
    store = open_store(Settings(home=folder).store)
    for name in NAMES:
        add_version(store, name)
    everybody = [(name, 1) for name in NAMES]
    mirrored = replace(define(everybody[:3], groups=30), mirror=Mirror.ROTATIONS)
    number = add_tournament(store, mirrored)
    outcomes = play(mirrored, 3)
    for at, owner in ((0, Owner.BOT), (2, Owner.BOT), (4, Owner.NETWORK)):
        entrant = outcomes[at].entrants[0]
        fault = Fault(
            seat=0,
            termination=Termination.CRASHED,
            owner=owner,
            reason="exit status 1",
            deal=0,
            decision=3,
        )
        counted = tuple(10 * (one != entrant) for one in outcomes[at].entrants)
        outcomes[at] = replace(outcomes[at], faults=(fault,), counted=(counted,))
    store.add_outcomes(number, outcomes)
    store.set_status(number, TournamentStatus.FINISHED, end_time=6.0)
    finish(store, define(everybody, variant="briscola-chiamata/5", groups=10), best=["eve"])
    swiss = replace(define(everybody[:4], groups=1), pairing=PairingScheme.SWISS, rounds=1)
    add_tournament(store, swiss)
    add_tournament(store, define(everybody))
    bracket = define_bracket(5, groups=2)
    store.add_outcomes(
        add_tournament(store, bracket),
        [outcome for _, outcomes, _ in play_bracket(bracket, 4) for outcome in outcomes],
    )
    pools = define_bracket(8, groups=1, pools=2, qualify=2)
    played = play_bracket(pools, 4)
    for part in (played, played[:7]):
        store.add_outcomes(
            add_tournament(store, pools), [one for _, outcomes, _ in part for one in outcomes]
        )
    store.close()
    return folder


def read_table(text: str, first: str) -> list[list[str]]:
    """The rows of the table beside a chart, without the header."""
    table = text[text.index(f'<th scope="col">{first}</th>') :]
    rows = table[: table.index("</table>")].split("<tr>")[1:]
    return [re.findall(r"<t[hd][^>]*>([^<]*)<", row) for row in rows]


def test_the_charts_have_their_numbers(home: Path) -> None:
    """Promise: all deals are in the spread, and the last moment is the rating of now."""

    async def body(client: httpx.AsyncClient) -> None:
        text = (await client.get("/tournaments/1")).text
        page = Page(text)
        check_page(page)
        assert "How the order came about" in page.text
        assert "Scores of the deals" in page.text
        spread = read_table(text, "Points in a deal")
        totals = [sum(map(int, column)) for column in list(zip(*spread, strict=True))[1:]]
        assert totals == [120, 120, 120]  # 60 groups each, of two deals
        moments = read_table(text, "Mirror groups")
        assert moments[-1][0] == "90"
        assert 2 < len(moments) <= 14
        ratings = re.findall(r'<span class="muted">v1</span>.*?"number">(-?[\d.]+)<', text, re.S)
        assert moments[-1][1:] == ratings

    run(home, body)


def test_forfeits_are_counted_by_owner(home: Path) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        text = (await client.get("/tournaments/1")).text
        table = text[text.index("Forfeits by whose fault") :]
        rows = re.findall(
            r'<th scope="row">(\w+)</th>' + r'<td class="number">(\d+)</td>' * 2,
            table[: table.index("</table>")],
        )
        assert sum(int(row[1]) for row in rows) == 2
        assert sum(int(row[2]) for row in rows) == 1
        assert "fault of the bot" in table
        assert "fault of the network" in table

    run(home, body)


def test_seats_and_turns_are_judged(home: Path) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        page = Page((await client.get("/tournaments/1")).text)
        assert "more than luck allows" in page.text or "points a deal more" in page.text
        for told in ("the first to play", "the dealer", "seat 0", "seat 1"):
            assert told in page.text
        five = Page((await client.get("/tournaments/2")).text)
        assert "number 2 after the dealer" in five.text
        assert "place" in five.text  # the mean place at larger tables

    run(home, body)


def test_what_has_not_begun_has_no_course(home: Path) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        for number in (3, 4):
            answer = await client.get(f"/tournaments/{number}")
            assert answer.status_code == 200
            assert "How the order came about" not in answer.text
            assert "Scores of the deals" not in answer.text

    run(home, body)


def test_a_bracket_is_drawn_with_its_numbers(home: Path) -> None:
    """Promise: every bout is in the picture and in the table, with the reason."""

    async def body(client: httpx.AsyncClient) -> None:
        text = (await client.get("/tournaments/5")).text
        check_page(Page(text))
        assert text.count('class="bout"') == 4 + 2 + 2
        rows = text[text.index("Why they go on") :].split("<tr>")[1:9]
        assert sum("bye" in row for row in rows) == 3
        assert sum("groups" in row for row in rows) == 5
        assert sum("third place" in row for row in rows) == 1
        assert "quarter-finals" in rows[0]

    run(home, body)


def test_pools_are_drawn_with_their_numbers(home: Path) -> None:
    """Promise: the pools are in the picture and in a table, before the bracket."""

    async def body(client: httpx.AsyncClient) -> None:
        text = (await client.get("/tournaments/6")).text
        check_page(Page(text))
        assert "knock out after 2 pools, of which 2 each go on" in text
        assert text.count('class="bout"') == 2 + 2 + 2
        table = text[text.index("The pools as a table") :]
        rows = table[: table.index("</table>")].split("<tr>")[2:]
        assert ["goes on" in row for row in rows] == [True, True, False, False] * 2
        assert "The bracket as a table" in text

    run(home, body)


def test_pools_in_play(home: Path) -> None:
    """Promise: nobody goes on until they are over, and there is no bracket yet."""

    async def body(client: httpx.AsyncClient) -> None:
        text = (await client.get("/tournaments/7")).text
        check_page(Page(text))
        assert text.count('class="bout"') == 2
        assert "The pools as a table" in text
        assert "The bracket as a table" not in text
        assert "<td>goes on</td>" not in text

    run(home, body)
