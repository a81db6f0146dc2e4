"""`mazzo tournament open`, `entries`, `enter`, `leave` and `call-off`, and a server that starts."""

from __future__ import annotations

import signal
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mazzo_server.storage import Store, TournamentStatus, open_store
from support.command import Home, kill, until
from support.sample_bots import enter, write_bot
from support.served import serving

ENTRIES = ("tournament", "entries")
SHORT = ("briscola/2", "--groups", "2", "--isolation", "none")


def soon(seconds: float) -> str:
    """A moment with a zone that is not that of UTC."""
    moment = datetime.now(UTC) + timedelta(seconds=seconds, hours=1)
    return moment.strftime("%Y-%m-%dT%H:%M:%S+01:00")


@pytest.mark.slow
def test_an_open_tournament_from_its_beginning_to_its_end(tmp_path: Path) -> None:
    """Without a server, by the organiser; on an empty store first, and each command twice."""
    home = Home(tmp_path / "home")
    assert "No tournament takes entries" in home.inside(*ENTRIES).out
    assert home.inside(*ENTRIES, "--json").json == []
    for command in (("enter", "1", "ann"), ("leave", "1", "ann"), ("call-off", "1")):
        assert home.inside("tournament", *command, status=2).out == ""
    assert "no open tournament 1" in home.inside(*ENTRIES, "1", status=2).err
    enter(home, *(write_bot(tmp_path, name) for name in ("ann", "bob")))
    asked = ("--name", "Cup", "--start-at", "2100-01-01T00:00+02:00")
    assert "within five years" in home.inside("tournament", "open", *SHORT, *asked, status=2).err
    made = home.inside("tournament", "open", *SHORT, "--name", "Cup", "--start-at", "3d")
    assert made.out.startswith("Open tournament 1: Cup, briscola/2\ngroups 2\n")
    assert made.out.endswith("Authors enter their bots with: mazzo tournament enter 1 BOT\n")
    entered = home.inside("tournament", "enter", "1", "ann")
    assert entered.out.startswith("ann has entered open tournament 1, with 0 others.\n")
    assert "already" in home.inside("tournament", "enter", "1", "ann", status=1).err
    shown = home.inside(*ENTRIES, "1", "--json").json
    assert [(one["bot"], one["version"], one["lacks"]) for one in shown["entries"]] == [
        ("ann", 1, "")
    ]
    assert shown["enterable"] == ["bob"]
    assert "1 left" not in home.inside("tournament", "leave", "1", "ann").out
    home.inside("tournament", "leave", "1", "ann", status=2)
    assert home.inside(*ENTRIES, "--json").json[0]["entries_total"] == 0
    assert "Cup" in home.inside(*ENTRIES).out
    assert "is called off" in home.inside("tournament", "call-off", "1").out
    assert home.inside(*ENTRIES, "--json").json == []
    assert home.inside(*ENTRIES, "--all", "--json").json[0]["state"] == "over"
    assert "It was called off, or could not be played" in home.inside(*ENTRIES, "1").out
    assert "got both" in home.inside(*ENTRIES, "1", "--all", status=2).err
    assert home.inside("tournament", "list", "--json").json == []


@pytest.mark.parametrize(
    "when", ["20:00", "2026-12-03", "2026-12-03T20:00", "tomorrow", "", "9999m9"]
)
def test_a_moment_without_its_zone_is_refused(home: Home, when: str) -> None:
    said = home.inside("tournament", "open", *SHORT, "--start-at", when, status=2).err
    assert "expected a moment with its zone" in " ".join(said.split())


def test_moments_are_read_in_their_zone_and_shown_in_utc(home: Home) -> None:
    year = datetime.now(UTC).year + 1
    made = home.inside(
        *("tournament", "open", *SHORT, "--every", "week", "--json"),
        *("--entries-from", f"{year}-03-01T09:00+02:00", "--entries-until", f"{year}-03-04T12:00Z"),
        *("--start-at", f"{year}-03-04 14:30-01:00"),
    ).json
    assert made["timetable"] == {
        "entries_from": f"{year}-03-01T07:00:00Z",
        "entries_until": f"{year}-03-04T12:00:00Z",
        "start_at": f"{year}-03-04T15:30:00Z",
        "start_with": None,
        "every": "week",
    }
    assert made["state"] == "announced"
    shown = home.inside(*ENTRIES, "1").out
    assert f"Bots enter from {year}-03-01T07:00:00Z on.\n" in shown
    assert f"Entries close at {year}-03-04T12:00:00Z.\n" in shown
    assert f"It starts at {year}-03-04T15:30:00Z.\n" in shown
    assert "It is played every week; this is round 1.\n" in shown


@pytest.fixture
def club(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    enter(home, *(write_bot(tmp_path, name) for name in ("ann", "bob")))
    return home


def until_over(store: Store, number: int) -> None:
    until(
        lambda: (
            [row.id for row in store.tournaments() if row.status is TournamentStatus.FINISHED]
            == list(range(1, number + 1))
        )
    )


@pytest.mark.slow
def test_a_server_starts_it_at_its_time_and_the_next_one_what_came_due_meanwhile(
    club: Home,
) -> None:
    """Each once, and plays it to its end; a repeated one takes entries again."""
    with closing(open_store(club.path / "mazzo.db")) as store:
        begin = time.monotonic()
        club("tournament", "open", *SHORT, "--start-at", soon(4.0), "--bots", "ann,bob")
        asked = ("--name", "Cup", "--every", "day", "--bots", "ann,bob")
        with serving(club, "--isolation", "none") as (server, (address,)):
            until_over(store, 1)
            assert time.monotonic() >= begin + 3.0
            served = Home(club.path, {"MAZZO_SERVER": address})
            served("tournament", "open", *SHORT, "--start-at", soon(4.0), *asked)
            kill(server, signal.SIGTERM)
        time.sleep(5.0)
        with serving(club, "--isolation", "none") as (server, _):
            until_over(store, 2)
            kill(server, signal.SIGTERM)
        assert [row.definition.name for row in store.tournaments()][1] == "Cup 1"
        [row] = store.open_tournaments()
        assert (row.round, row.entries) == (2, 0)


@pytest.mark.prove  # a minute
def test_servers_that_are_killed_all_the_time_play_each_round_once(club: Home) -> None:
    """At moments that nobody chose: before, at and after the start, and while it is played."""
    with closing(open_store(club.path / "mazzo.db")) as store:
        for number in range(1, 4):
            long = ("briscola/2", "--groups", "150", "--isolation", "none")
            club("tournament", "open", *long, "--start-with", "2", "--bots", "ann,bob")
            for kills in range(2):
                with serving(club, "--isolation", "none") as (server, _):
                    if kills:
                        until(lambda number=number: len(store.tournaments()) == number)  # type: ignore[misc]
                    time.sleep(number * 0.2)
                    kill(server, signal.SIGKILL)
            with serving(club, "--isolation", "none") as (server, _):
                until_over(store, number)
                kill(server, signal.SIGKILL)
            [played] = store.rounds(number, limit=9)
            assert played.tournament == number
            assert store.tournament(number).matches_played == 300
