"""The life of a tournament on a server: planned, created, started, changed, paused, cancelled."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.command import Home, kill, until
from support.sample_bots import enter, write_bot
from support.served import serving

pytestmark = pytest.mark.slow

SLOW = "time.sleep(0.002)\n        return view.legal[-1]"
PLAY = ("briscola/2", "--groups", "200", "--concurrency", "2")


@pytest.fixture(scope="session")
def snails(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with four slow bots."""
    folder = tmp_path_factory.mktemp("snails")
    home = Home(folder / "home")
    for name in ("ann", "bob", "cleo", "dora"):  # with trials, by which a plan tells the time
        bot = write_bot(folder, name, act=SLOW)
        home.inside("bots", "submit", bot, "--isolation", "none")
    return home


@pytest.fixture
def server(snails: Home, tmp_path: Path) -> Iterator[Home]:
    """The command, with a server that has the slow bots."""
    home = Home(Path(shutil.copytree(snails.path, tmp_path / "home")))
    socket = tmp_path / "s"
    with serving(home, "--isolation", "none", "--listen", f"unix:{socket}"):
        yield Home(home.path, {"MAZZO_SERVER": f"unix:{socket}"})


def shown(home: Home, number: int = 1) -> Any:
    return home.inside("tournament", "show", str(number), "--json").json


def test_a_tournament_is_created_started_paused_changed_and_cancelled(server: Home) -> None:
    bots = ("--bots", "ann,bob,cleo")
    created = server.inside("tournament", "create", *PLAY, *bots)
    assert "Tournament 1 is created: 1,200 matches of briscola/2." in created.out
    assert shown(server)["state"] == "created"
    server.inside("tournament", "start", "1", "--detach")
    until(lambda: len(server.stored_matches()) > 5)
    assert "played by one process" in server.inside("tournament", "show", "1").out
    added = server.inside("tournament", "add", "1", "dora", "--json").json
    assert added["version"] == 1
    assert added["first_group"] > 0
    paused = server.inside("tournament", "pause", "1")
    assert "Tournament 1 is paused, after " in paused.out
    assert "played by" not in server.inside("tournament", "show", "1").out
    played = len(server.stored_matches())
    assert shown(server)["state"] == "paused"
    assert "dora" in [entrant["name"] for entrant in shown(server)["entrants"]]
    assert (
        "bob is retired from tournament 1" in server.inside("tournament", "retire", "1", "bob").out
    )
    assert len(server.stored_matches()) == played
    server.inside("tournament", "resume", "1", "--detach")
    until(lambda: len(server.stored_matches()) > played + 5)
    (bob,) = (row for row in shown(server)["standings"]["rows"] if row["name"] == "bob")
    assert bob["retired"]
    assert shown(server)["seed"] == ""
    assert "Tournament 1 is cancelled, after " in server.inside("tournament", "cancel", "1").out
    over = shown(server)
    assert over["state"] == "cancelled"
    groups = over["standings"]["groups_counted"]
    unfinished = (
        f"Unfinished: only its {groups:,} whole mirror groups count, and it is in no ranking."
    )
    assert unfinished in " ".join(server.inside("tournament", "show", "1").out.split())
    assert len(over["seed"]) == 64  # nothing more is played from it
    for command in ("resume", "cancel"):
        refused = server.inside("tournament", command, "1", status=1)
        assert "cancelled" in refused.err
    for change in (("add", "1", "dora"), ("retire", "1", "ann")):
        assert "cancelled" in server.inside("tournament", *change, status=1).err
    assert server.inside("rankings", "--json").json == []


def test_a_watcher_goes_on_where_he_was(server: Home) -> None:
    """Nothing that begins is told twice, and nothing is left out."""
    server.inside("tournament", "create", *PLAY, "--bots", "ann,bob")
    server.inside("tournament", "start", "1", "--detach")
    until(lambda: len(server.stored_matches()) > 2)
    watching = server.start("tournament", "watch", "1", "--json")
    assert watching.stdout is not None
    first = [json.loads(watching.stdout.readline()) for _ in range(5)]
    assert kill(watching, signal.SIGINT).status == 130
    last = first[-1]
    told = [(match["group"], match["seating"]) for report in first for match in report["begun"]]
    again = server.start(
        *("tournament", "watch", "1", "--json"),
        *("--run", last["run"], "--sequence", str(last["sequence"])),
    )
    server.inside("tournament", "pause", "1")
    out, _ = again.communicate(timeout=60)
    reports = [json.loads(line) for line in out.decode().splitlines()]
    told += [(match["group"], match["seating"]) for report in reports for match in report["begun"]]
    assert len(told) == len(set(told))
    stored = set(server.stored_matches())
    assert set(told) <= stored  # all that began are over by now
    assert {report["run"] for report in reports} == {last["run"]}
    assert reports[-1]["sequence"] == len(stored)


def test_no_watcher_goes_on_after_a_number_that_cannot_be(server: Home) -> None:
    done = server.inside("tournament", "watch", "1", "--json", "--sequence", str(2**64), status=2)
    assert done.err.startswith("mazzo: --sequence: expected a whole number from 0 to")


def test_tournaments_share_the_machine(server: Home) -> None:
    """The second does not wait for the first."""
    for number in ("1", "2"):
        server.inside("tournament", "create", *PLAY, "--bots", "ann,bob")
        server.inside("tournament", "start", number, "--detach")
    until(lambda: min(len(server.stored_matches(number)) for number in (1, 2)) > 4)
    for number in ("1", "2"):
        server.inside("tournament", "cancel", number)


def test_a_plan_stores_nothing(snails: Home) -> None:
    before = snails.files()
    planned = snails("tournament", "plan", *PLAY, "--isolation", "none", "--json").json
    assert (planned["groups"], planned["matches"], planned["deals"]) == (1200, 2400, 4800)
    assert planned["tables_total"] == 6
    assert planned["tournament"]["seed_commitment"] == planned["tournament"]["seed"] == ""
    assert planned["seconds"] > 0
    assert planned["workers"] == 1, "4800 deals take a few seconds"
    assert planned["workers_reason"]
    assert {name: data for name, data in snails.files().items() if "mazzo.db-" not in name} == {
        name: data for name, data in before.items() if "mazzo.db-" not in name
    }


def test_a_match_is_played_again_and_compared(server: Home) -> None:
    run = ("tournament", "run", "briscola/2", "--bots", "ann,bob", "--groups", "2")
    server.inside(*run)
    same = server.inside("tournament", "rerun", "1", "--match", "1/0")
    assert "Match 1/0 came out the same, action by action" in same.out
    again = server.inside("tournament", "rerun", "1", "--match", "1/1/1", "--json")
    assert again.json["identical"]
    for wrong, what in (
        ("1", "--match: expected GROUP/SEATING, such as 17/0"),
        ("2/0/0", "expected a match of tournament 1"),
        ("9/0", "expected a group from 0 to 1"),
    ):
        refused = server.inside("tournament", "rerun", "1", "--match", wrong, status=2)
        assert what in refused.err


def test_a_plan_is_told_in_words(server: Home) -> None:
    text = server.inside("tournament", "plan", *PLAY).out
    assert "1,200 mirror groups, 2,400 matches, 4,800 deals" in text
    assert "ann – bob" in text
    assert "one process would play, since " in text


def test_a_bot_that_does_otherwise_is_shown(home: Home, tmp_path: Path) -> None:
    """It plays by a clock, not by its seed."""
    odd = "return view.legal[time.monotonic_ns() // 1000 % len(view.legal)]"
    enter(home, *(write_bot(tmp_path, name, act=odd) for name in ("odd", "odder")))
    home("tournament", "run", "briscola/2", "--groups", "1", "--isolation", "none")
    answer = home("tournament", "rerun", "1", "--match", "0/0", "--json", status=1).json
    assert not answer["identical"]
    assert answer["difference"]["stored"] != answer["difference"]["played"]
    text = home.inside("tournament", "rerun", "1", "--match", "0/0", status=1).out
    assert "came out differently" in text
    assert "First at deal 1" in text


def test_what_needs_a_server_says_so(snails: Home) -> None:
    refused = snails.inside("tournament", "create", *PLAY, "--isolation", "none", "--json").json
    number = str(refused["id"])
    assert (
        "--detach: expected a server"
        in snails.inside("tournament", "start", number, "--detach", status=2).err
    )
    assert "there is nothing to pause" in snails.inside("tournament", "pause", number, status=1).err
    snails.inside("tournament", "cancel", number)
