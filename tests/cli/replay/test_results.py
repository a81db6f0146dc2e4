"""`mazzo results`: every result as a row, for spreadsheets and data frames."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import random
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mazzo.games import parse_variant
from mazzo.v1 import replay_pb2
from mazzo_server.cli.replay import results
from mazzo_server.cli.replay.fetching import stream_matches
from mazzo_server.cli.shell.connection import Client
from mazzo_server.cli.text.spreadsheet import print_csv
from mazzo_server.model.outcome import Owner, Termination
from mazzo_server.play.table import Ask, Table
from mazzo_server.results.tables import make_result_rows
from mazzo_server.settings import Settings
from mazzo_server.storage import Store, open_store
from support.command import SECONDS, Home
from support.manual_tournaments import Club, entrants_of, legal

pytestmark = pytest.mark.slow

COLUMNS = [
    *("match", "tournament", "variant", "group", "seating", "seat", "bot", "version"),
    *("opponents", "match_score", "points", "margin", "swing", "deals", "verdict", "late"),
    *("termination", "end_time", "spoilt", "void"),
]
MATCHES = 750  # of the long list: eight pages, and more than a pipe holds
Rows = list[dict[str, Any]]
ENDS = (1.7e9, 1.7e9 + 0.5, 1.7e9 + 0.123456)  # Unix seconds


def crash(table: Table, ask: Ask, generator: random.Random) -> object:
    if (ask.seat, ask.number) == (0, 12):
        return table.lose(Termination.CRASHED, Owner.BOT, "ended with status 3")
    return legal(table, ask, generator)


def late(table: Table, ask: Ask, generator: random.Random) -> object:
    if (ask.seat, ask.number) in ((1, 3), (3, 2)):
        return table.expire(5.25)
    return legal(table, ask, generator)


def open_home(folder: Path) -> tuple[Home, Store]:
    home = Home(folder / "home")
    return home, open_store(Settings(home=home.path).store)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """1: two sides, a forfeit, a group that is half over. 2: teams. 3: three sides."""
    home, store = open_home(tmp_path_factory.mktemp("club"))
    pairs = Club(store=store)
    pairs.play(0, 0, crash)
    pairs.play(0, 1)
    pairs.play(1, 0, late)
    pairs.play(1, 1)
    pairs.play(2, 0)
    teams = Club("briscola/4", store=store)
    for seating in range(2):
        teams.play(0, seating, late)
        teams.play(1, seating, crash)
    many = Club("frap/3", match_format="deals:3", groups=1, store=store)
    for seating, answer in enumerate((late, legal, crash)):
        many.play(0, seating, answer)
    store.close()
    return home


@pytest.fixture(scope="module")
def long_home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """One tournament with more matches than there are on two pages; all went alike."""
    home, store = open_home(tmp_path_factory.mktemp("long"))
    club = Club(store=store, groups=MATCHES // 2, entrants=entrants_of("ann", "bob"))
    club.play_all_alike(end_times=ENDS)
    store.close()
    return home


def rows(home: Home, *options: str) -> Rows:
    """The rows as JSON."""
    out = home.inside("results", *options, "--json").out
    return [json.loads(line) for line in out.splitlines()]


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def addresses(found: Iterable[dict[str, Any]]) -> list[str]:
    """Of the matches that the rows are of, each once, in order."""
    return list(dict.fromkeys(row["match"] for row in found))


def sides(match: dict[str, Any]) -> Sequence[Sequence[int]]:
    return parse_variant(match["variant"]).sides


def test_a_match_has_a_row_for_each_side_with_what_matches_shows(home: Home) -> None:
    """Promise: with two sides, with teams and with many sides, the rows say what `matches` says."""
    matches = home.inside("matches", "--json").json
    assert {match["variant"] for match in matches} == {"briscola/2", "briscola/4", "frap/3"}
    expected = []
    for match in matches:
        for seats in sides(match):
            members = [match["seats"][seat] for seat in seats]
            others = {seat["bot"] for seat in match["seats"]} - {members[0]["bot"]}
            reasons = [member["termination"] for member in members if member["termination"]]
            expected.append(
                {key: match[key] for key in COLUMNS if key in match}
                | {key: members[0][key] for key in ("bot", "version", "match_score", "points")}
                | {
                    "seat": seats[0],
                    "opponents": ",".join(sorted(others)),
                    "swing": None,
                    "late": sum(member["late"] for member in members),
                    "termination": reasons[0] if reasons else None,
                    "end_time": "1970-01-01T00:00:00.000000Z",  # this store knows none
                }
            )
    found = rows(home)
    judged = ("margin", "verdict")  # `matches` says them of one bot
    assert [{key: row[key] for key in row if key not in judged} for row in found] == expected
    assert {row["termination"] for row in found} == {None, "crashed"}
    assert {len(row["opponents"].split(",")) for row in found} == {1, 2}
    assert max(row["late"] for row in found if row["variant"] == "briscola/4") == 2


def test_margin_and_verdict_are_those_that_matches_are_found_by(home: Home) -> None:
    """Promise: one rule says who won, also of sides that nobody asked for; swing comes with it."""
    found = rows(home)
    verdicts = set()
    for bot in ("ann", "bob", "cleo"):
        named = {row["match"]: row for row in rows(home, "--bot", bot) if row["bot"] == bot}
        unnamed = {row["match"]: row for row in found if row["bot"] == bot}
        listed = home.inside("matches", "--bot", bot, "--json").json
        assert [*named] == [*unnamed] == [match["match"] for match in listed]
        for match in listed:
            row = named[match["match"]]
            assert {key: row[key] for key in match["result"]} == match["result"]
            assert unnamed[match["match"]] == row | {"swing": None}
            verdicts.add(row["verdict"])
    assert verdicts >= {"won", "lost"}
    assert any(row["swing"] for row in rows(home, "--bot", "ann"))


def test_a_bot_s_matches_come_with_all_their_sides(home: Home) -> None:
    """Promise: filters choose matches, not rows; the others at the table are there too."""
    found = rows(home, "--bot", "ann", "--tournament", "3")
    assert [row["seat"] for row in found] == [0, 1, 2] * 3
    assert {row["bot"] for row in found} == {"ann", "bob", "cleo"}
    assert all(row["swing"] is None for row in found if row["bot"] != "ann")


def test_csv_has_the_values_of_the_json(home: Home) -> None:
    """Promise: the header names the columns in their order; numbers are whole, null is empty."""
    out = home.inside("results", "--csv").out
    assert out.splitlines()[0] == ",".join(COLUMNS)
    assert read_csv(out) == [
        {
            key: ""
            if value is None
            else str(value).lower()
            if isinstance(value, bool)
            else str(value)
            for key, value in row.items()
        }
        for row in rows(home)
    ]


def has(**wanted: object) -> Callable[[Rows], bool]:
    """Whether a row of the match has all these values."""
    return lambda match: any(wanted.items() <= row.items() for row in match)


@pytest.mark.parametrize(
    ("options", "is_wanted"),
    [
        (("--bot", "ann"), has(bot="ann")),
        (
            ("--bot", "ann", "--opponent", "cleo"),
            lambda match: {"ann", "cleo"} <= {row["bot"] for row in match},
        ),
        (("--bot", "bob", "--seat", "1"), has(bot="bob", seat=1)),
        (("--bot", "cleo", "--won"), has(bot="cleo", verdict="won")),
        (("--bot", "cleo", "--lost"), has(bot="cleo", verdict="lost")),
        (("--drawn",), has(verdict="drawn")),
        (("--forfeited",), has(termination="crashed")),
        (("--late",), lambda match: any(row["late"] for row in match)),
        (("--late", "--forfeited"), lambda match: False),
        (("--spoilt",), lambda match: False),
        (("--variant", "frap/3"), has(variant="frap/3")),
        (("--tournament", "2"), has(tournament=2)),
        (("--since", "1971-01-01"), lambda match: False),  # this store knows no ends
        (("--since", "1970-01-01"), lambda match: True),
    ],
)
def test_the_filters_are_those_of_matches(
    home: Home, options: tuple[str, ...], is_wanted: Callable[[Rows], bool]
) -> None:
    """Promise: they choose matches by what the rows say, and the order is that of `matches`."""
    found = rows(home, *options)
    everything = rows(home)
    by_match = {
        address: [row for row in everything if row["match"] == address]
        for address in addresses(everything)
    }
    assert addresses(found) == [name for name, match in by_match.items() if is_wanted(match)]
    listed = home.inside("matches", *options, "--json").json
    assert addresses(found) == [match["match"] for match in listed]


def test_who_forfeits_loses_whatever_the_scores() -> None:
    """Promise: the verdict is that of standings, also where a forfeiter scored as much."""
    seats = [
        replay_pb2.FoundSeat(bot=bot, match_score=1, termination="crashed" if bot == "b" else "")
        for bot in "abc"
    ]
    match = replay_pb2.FoundMatch(variant="frap/3", seats=seats)
    assert [row.verdict for row in make_result_rows(match)] == ["drawn", "lost", "drawn"]


def test_what_is_not_over_is_not_there(home: Home) -> None:
    """Disclosure: a match whose mirror group is not over has no row."""
    assert "1/1/1" in addresses(rows(home))
    assert "1/2/0" not in home.inside("results", "--csv").out


def test_rows_are_printed_before_the_next_page_is_asked_for(
    long_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Promise: memory holds one page, however many results there are; none is lost or twice."""
    events: list[str] = []

    async def note_pages(
        client: Client, request: replay_pb2.FindMatchesRequest, limit: int | None
    ) -> AsyncIterator[tuple[Sequence[replay_pb2.FoundMatch], str]]:
        async for page, place in stream_matches(client, request, limit):
            events.append(f"{len(page)} matches")
            yield page, place

    def note_rows(columns: Sequence[str], found: list[Any], *, header: bool) -> None:
        events.append(f"{len(found)} rows")
        print_csv(columns, found, header=header)

    monkeypatch.setattr(results, "stream_matches", note_pages)
    monkeypatch.setattr(results, "print_csv", note_rows)
    whole = long_home.inside("results", "--csv").out
    assert events == [*(["100 matches", "200 rows"] * 7), "50 matches", "100 rows"]
    listed = long_home.inside("matches", "--limit", str(MATCHES), "--json").json
    assert [row["match"] for row in read_csv(whole)] == [
        match["match"] for match in listed for _ in range(2)
    ]
    events.clear()
    part = long_home.inside("results", "--csv", "--limit", "150").out
    assert events == ["100 matches", "200 rows", "50 matches", "100 rows"]
    assert whole.startswith(part)


def test_names_are_no_formulas(tmp_path: Path) -> None:
    """Promise: a spreadsheet shows the names of bots, and never works them out."""
    home, store = open_home(tmp_path)
    club = Club(store=store, groups=1, entrants=entrants_of("=1+1", "@SUM(A1)"))
    for seating in range(2):
        club.play(0, seating)
    store.close()
    for row in read_csv(home.inside("results", "--csv").out):
        assert {row["bot"], row["opponents"]} == {"'=1+1", "'@SUM(A1)"}
    assert {row["bot"] for row in rows(home)} == {"=1+1", "@SUM(A1)"}


def test_all_times_have_as_many_digits(long_home: Home) -> None:
    """Promise: a data frame that can read the first time can read them all."""
    assert {row["end_time"] for row in rows(long_home)} == {
        "1970-01-01T00:00:00.000000Z",
        "2023-11-14T22:13:20.000000Z",
        "2023-11-14T22:13:20.123456Z",
        "2023-11-14T22:13:20.500000Z",
    }


def test_an_empty_store_has_a_header_and_no_row(home: Home, tmp_path: Path) -> None:
    """Promise: nothing found is no error, and a program reads an empty table."""
    empty = Home(tmp_path / "empty")
    assert empty.inside("results", "--csv").out == ",".join(COLUMNS) + "\n"
    assert empty.inside("results", "--json").out == ""
    assert empty.inside("results").out.startswith("There is no such match")
    assert home.inside("results", "--csv", "--spoilt").out == ",".join(COLUMNS) + "\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--csv", "--json"), "expected --json or --csv, got both"),
        (("--won",), "--won: expected --bot NAME"),
        (("--opponent", "ann"), "--opponent: expected --bot NAME"),
        (("--won", "--lost", "--bot", "ann"), "expected one of --won, --drawn and --lost"),
        (("--limit", "0"), "--limit"),
        (("--since", "yesterday"), "expected a day such as 2026-11-20"),
        (("--variant", "whist"), "expected a game"),
        (("--bot", "dora"), "expected a bot's name"),
        (("--tournament", "7"), "there is no tournament 7"),
        (("--bot", "\udcff"), "expected arguments in UTF-8"),
        (("--sort", "swing"), "--sort"),
        (("--worst", "3"), "--worst"),
        (("--after", "1/0/0"), "--after"),
    ],
)
def test_what_is_refused(home: Home, options: tuple[str, ...], said: str) -> None:
    """Promise: status 2, and no header of a file that would look like an empty result."""
    given = options if "--json" in options else (*options, "--csv")
    refused = home.inside("results", *given, status=2)
    assert said in " ".join(refused.err.split())
    assert refused.out == ""


def test_the_table_shows_the_first_rows_and_how_to_get_all(home: Home, long_home: Home) -> None:
    """Promise: it fits a terminal, and its last line names the option for everything."""
    out = long_home.inside("results").out
    assert len(out.splitlines()) == 1 + 20 + 1
    assert out.splitlines()[-1] == (
        "These are the first 20 rows. Add `--csv > results.csv` for all rows and columns."
    )
    assert max(map(len, out.splitlines())) <= 80
    everything = home.inside("results", "--limit", "9").out
    assert len(everything.splitlines()) == 1 + 3 * 3 + 6 * 2 + 1
    assert everything.splitlines()[-1] == "Add `--csv > results.csv` for all columns."
    assert "crashed" in everything
    assert max(map(len, everything.splitlines())) <= 80


def test_the_help_fits_and_has_an_example(home: Home) -> None:
    """Promise: a terminal of 80 columns shows it whole."""
    out = home.inside("results", "--help").out
    assert max(map(len, out.splitlines())) <= 80
    assert "mazzo results --tournament 3 --csv > results.csv" in out


def test_a_reader_that_leaves_ends_the_command(long_home: Home) -> None:
    """Promise: `| head` ends it without a complaint."""
    process = long_home.start("results", "--csv")
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().decode() == ",".join(COLUMNS) + "\n"
    process.stdout.close()
    assert process.wait(SECONDS) == 1
    assert process.stderr.read() == b""
    process.stderr.close()


def test_an_interruption_ends_it_after_a_whole_row(long_home: Home) -> None:
    """Promise: Ctrl-C ends it with status 130, and what was printed are whole rows."""
    process = long_home.start("results", "--csv")
    assert process.stdout is not None
    process.stdout.readline()  # now a page is being written
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, err.decode()) == (130, "mazzo: interrupted\n")
    assert out.endswith(b"\n")


def test_a_terminal_shows_how_far_it_is_beside_the_file(long_home: Home) -> None:
    """Promise: the count goes to the terminal, and nothing but rows goes to the file."""
    master, slave = pty.openpty()
    try:
        with open(slave, "wb", buffering=0) as terminal:
            ran = subprocess.run(
                [sys.executable, "-m", "mazzo_server", "results", "--csv"],
                env=long_home.environment() | {"TERM": "xterm-256color"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=terminal,
                timeout=SECONDS,
                check=True,
            )
        shown = ""
        with suppress(OSError):  # of a terminal that is closed and has nothing more to read
            shown = os.read(master, 65536).decode()
    finally:
        os.close(master)
    assert "0 matches" in shown
    assert ran.stdout.decode() == long_home.inside("results", "--csv").out
    assert long_home.inside("results", "--csv").err == ""
