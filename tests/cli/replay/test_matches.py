"""`mazzo matches`: an author finds the match that was lost."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from mazzo.v1 import replay_pb2
from mazzo_server.cli.replay import results
from mazzo_server.cli.replay.fetching import stream_matches
from mazzo_server.cli.shell.connection import Client
from mazzo_server.model.outcome import Owner, Termination
from mazzo_server.play.table import Ask, Table
from mazzo_server.settings import Settings
from mazzo_server.storage import open_store
from support.command import Home
from support.manual_tournaments import Club, entrants_of, legal
from support.stored_rows import add_version

pytestmark = pytest.mark.slow

HIDDEN = "1/2/0"


def crash(table: Table, ask: Ask, generator: random.Random) -> object:
    if (ask.seat, ask.number) == (0, 25):
        return table.lose(Termination.CRASHED, Owner.BOT, "ended\x1b[2J with status 3")
    return legal(table, ask, generator)


def late(table: Table, ask: Ask, generator: random.Random) -> object:
    if (ask.seat, ask.number) == (1, 3):
        return table.expire(5.25)
    return legal(table, ask, generator)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Tournament 1: a forfeit, a late decision, a group that is half over. 2: three sides."""
    home = Home(tmp_path_factory.mktemp("club") / "home")
    store = open_store(Settings(home=home.path).store)
    first = Club(store=store)
    first.play(0, 0, crash)
    first.play(0, 1)
    first.play(1, 0, late)
    first.play(1, 1)
    first.play(2, 0)
    second = Club("briscola/3", match_format="deals:3", groups=1, store=store)
    for seating in range(3):
        second.play(0, seating)
    store.close()
    return home


def find(home: Home, *options: str) -> list[str]:
    return [match["match"] for match in home.inside("matches", *options, "--json").json]


def test_what_is_over_is_found_newest_first(home: Home) -> None:
    """Disclosure: a match whose group is not over is not there, whatever is asked for."""
    played = ["2/0/2", "2/0/1", "2/0/0", "1/1/1", "1/1/0", "1/0/1", "1/0/0"]
    found = home.inside("matches", "--json").json
    assert [match["match"] for match in found] == played
    for bot in ("ann", "bob", "cleo"):
        assert find(home, "--bot", bot) == [
            match["match"] for match in found if bot in {seat["bot"] for seat in match["seats"]}
        ]
    scheduled = home.inside("matches", "--tournament", "1", "--scheduled", "--json").json
    assert [match["state"] for match in scheduled].count("hidden") == 1


def test_the_worst_losses_against_an_opponent(home: Home) -> None:
    """The walk of an author: the worst match, and the command that shows it."""
    everything = home.inside("matches", "--bot", "ann", "--json").json
    opponents = {seat["bot"] for match in everything for seat in match["seats"]} - {"ann"}
    for opponent in opponents:
        options = ("--bot", "ann", "--opponent", opponent)
        listed = home.inside("matches", *options, "--worst", "9", "--json").json
        wanted = [m for m in everything if opponent in {seat["bot"] for seat in m["seats"]}]
        margins = [match["result"]["margin"] for match in listed]
        assert margins == sorted(match["result"]["margin"] for match in wanted)
        best = home.inside("matches", *options, "--best", "9", "--json").json
        assert [match["result"]["margin"] for match in best] == sorted(margins, reverse=True)
    out = home.inside("matches", "--bot", "ann", "--worst", "1").out
    address = out.splitlines()[1].split()[0]
    assert f"`mazzo replay show {address}`" in out
    assert address in home.inside("replay", "show", address).out


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("--forfeited",), ["1/0/0"]),
        (("--late",), ["1/1/0"]),
        (("--spoilt",), []),
        (("--late", "--forfeited"), []),
        (("--variant", "briscola/3", "--limit", "1"), ["2/0/2"]),
        (("--variant", "briscola/4"), []),
        (("--variant", "briscola/2", "--tournament", "2"), []),
        (("--tournament", "1", "--after", "1/1/0"), ["1/0/1", "1/0/0"]),
        (("--since", "1971-01-01"), []),  # this store knows no end of its matches
        (("--since", "1970-01-01", "--forfeited"), ["1/0/0"]),
    ],
)
def test_filters_combine(home: Home, options: tuple[str, ...], found: list[str]) -> None:
    assert find(home, *options) == found


def test_a_list_is_the_same_page_by_page(home: Home) -> None:
    """`--after` goes on where a page ended, in every order."""
    for order in ("time", "swing", "margin"):
        options = ("--bot", "bob", "--sort", order)
        whole, paged = find(home, *options), find(home, *options, "--limit", "1")
        assert len(whole) > 2
        while page := find(home, *options, "--limit", "1", "--after", paged[-1]):
            paged += page
        assert paged == whole


def test_the_table_fits_and_shows_nothing_hostile(home: Home) -> None:
    for options in ((), ("--bot", "ann"), ("--late",), ("--forfeited",)):
        out = home.inside("matches", *options).out
        assert max(map(len, out.splitlines())) <= 80
        assert "\x1b" not in out
    assert "forfeited: crashed" in home.inside("matches", "--forfeited").out


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (("--won",), 2, "--won: expected --bot NAME"),
        (("--seat", "0"), 2, "--seat: expected --bot NAME"),
        (("--worst", "3", "--sort", "time", "--bot", "ann"), 2, "expected --sort swing or margin"),
        (("--best", "3", "--limit", "2", "--bot", "ann"), 2, "--best says how many"),
        (("--scheduled", "--tournament", "1", "--limit", "2"), 2, "no option but --bot"),
        (("--opponent", "ann"), 2, "--opponent: expected --bot NAME"),
        (("--worst", "3"), 2, "--worst: expected --bot NAME"),
        (("--sort", "swing"), 2, "--sort: expected --bot NAME"),
        (("--won", "--lost", "--bot", "ann"), 2, "expected one of --won, --drawn and --lost"),
        (("--worst", "3", "--best", "3", "--bot", "ann"), 2, "expected --worst or --best"),
        (("--since", "yesterday"), 2, "expected a day such as 2026-11-20"),
        (("--since", "999999d"), 2, "expected a day such as 2026-11-20"),
        (("--variant", "whist"), 2, "expected a game"),
        (("--bot", "dora"), 2, "expected a bot's name"),
        (("--tournament", "7"), 2, "there is no tournament 7"),
        (("--after", "1/2"), 2, "expected a match as TOURNAMENT/GROUP/SEATING"),
        (("--after", HIDDEN), 2, f"expected a match of the list to begin after, got {HIDDEN}"),
        (("--bot", "ann", "--sort", "margin", "--after", HIDDEN), 2, f"got {HIDDEN}"),
        (("--scheduled", "--tournament", "7"), 2, "there is no tournament 7"),
        (("--scheduled", "--tournament", "0"), 2, "--tournament"),
        (("--scheduled", "--tournament", "1", "--bot", "dora"), 2, "(ann, bob, cleo), got 'dora'"),
        (("--scheduled",), 2, "--scheduled: expected --tournament"),
        (("--scheduled", "--tournament", "1", "--late"), 2, "no option but --bot"),
    ],
)
def test_what_is_refused(home: Home, options: tuple[str, ...], status: int, said: str) -> None:
    """Also the place of a hidden match in a list, which would tell its result."""
    refused = home.inside("matches", *options, status=status)
    assert said in " ".join(refused.err.split())
    assert refused.out == ""


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Tournament 1: two copies of a bot and another bot, at tables for two. 2: all three at one."""
    home = Home(tmp_path_factory.mktemp("copies") / "home")
    store = open_store(Settings(home=home.path).store)
    entrants = entrants_of("ann", "ann*2", "bob")
    for entrant in entrants:
        if entrant.name == entrant.bot:
            add_version(store, entrant.bot)
    pairs = Club(entrants=entrants, groups=1, store=store)
    table = Club("briscola/3", match_format="deals:3", entrants=entrants, groups=1, store=store)
    for club in (pairs, table):
        for group in club.groups:
            for seating in range(len(group.seatings)):
                club.play(group.number, seating)
    store.close()
    return home


def test_a_match_between_copies_is_found_once_for_each(copies: Home) -> None:
    """Copies: the match was another one for each; against another bot it was one."""
    found = copies.inside("matches", "--bot", "ann", "--json").json
    played = [(match["match"], match["result"]["seat"]) for match in found]
    assert len(set(played)) == len(played) == 3 * 2 + 2 * 4
    both = copies.inside("matches", "--bot", "ann", "--opponent", "ann", "--json").json
    wanted = [
        match for match in found if {"ann", "ann*2"} <= {seat["bot"] for seat in match["seats"]}
    ]
    assert both == wanted
    for match in both:
        assert match["seats"][match["result"]["seat"]]["bot"] in ("ann", "ann*2")
    of_bob = copies.inside("matches", "--bot", "bob", "--json").json
    assert len(of_bob) == len({match["match"] for match in of_bob}) == 3 + 4


@pytest.mark.slow
@pytest.mark.parametrize("order", ["time", "swing", "margin"])
def test_pages_of_matches_between_copies_lose_nothing(copies: Home, order: str) -> None:
    """Copies: the hint of a page names the seat, for the next one begins in the same match."""
    options = ("matches", "--bot", "ann", "--sort", order)
    whole = copies.inside(*options, "--json").json
    paged = copies.inside(*options, "--limit", "1", "--json").json
    after: tuple[str, ...] = ()
    while (hint := copies.inside(*options, *after, "--limit", "1").out.rpartition("--after "))[1]:
        after = ("--after", hint[2].split(".")[0])
        paged += copies.inside(*options, *after, "--limit", "1", "--json").json
    assert paged == whole


def test_the_seat_is_shown_where_copies_met(copies: Home) -> None:
    """Copies: a row says for which of them it is; elsewhere the column would be noise."""
    assert "  seat  " in copies.inside("matches", "--bot", "ann").out
    assert "  seat  " not in copies.inside("matches", "--bot", "bob").out
    asked = ("matches", "--bot", "ann", "--after", "1/0/0/7")
    assert "got 1/0/0/7" in copies.inside(*asked, status=2).err


@pytest.mark.parametrize("size", [1, 100])
def test_a_match_between_copies_has_its_rows_once(
    copies: Home, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """Copies: `results` has a row for each side, also where a page ends between two of them."""

    async def cut_pages(
        client: Client, request: replay_pb2.FindMatchesRequest, limit: int | None
    ) -> AsyncIterator[tuple[Sequence[replay_pb2.FoundMatch], str]]:
        async for page, place in stream_matches(client, request, limit):
            for start in range(0, len(page), size):
                yield page[start : start + size], place or "more" * (start + size < len(page))

    monkeypatch.setattr(results, "stream_matches", cut_pages)

    def read_rows(*options: str) -> list[dict[str, Any]]:
        out = copies.inside("results", *options, "--json").out
        return [json.loads(line) for line in out.splitlines()]

    every, found = read_rows(), read_rows("--bot", "ann")
    assert len(every) == 6 * 2 + 3 * 3
    assert [row | {"swing": None} for row in found] == every
    assert all((row["swing"] is None) == (row["bot"] == "bob") for row in found)
    for limit in (1, 2, 4):
        part = read_rows("--bot", "ann", "--limit", str(limit))
        assert len({row["match"] for row in part}) == limit
        assert part == found[: len(part)]
