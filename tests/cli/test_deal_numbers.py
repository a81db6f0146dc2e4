"""Deals count from 1 in everything that people read or type, and from 0 in JSON and records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import Home
from support.sample_bots import enter, write_bot

pytestmark = pytest.mark.slow

PLAYED = ("--seed", "a5" * 32, "--isolation", "none")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Tournament 1, in which `late` leaves in the second deal of a match; the bots beside it."""
    folder = tmp_path_factory.mktemp("deals")
    home = Home(folder / "home")
    leaves = "view.match.deal and sys.exit(3)\n        return view.legal[0]"
    enter(home, write_bot(folder, "late", act=leaves), write_bot(folder, "even"))
    home("tournament", "run", "briscola/2", "--groups", "1", "--match", "deals:2", *PLAYED)
    return home


def test_every_command_calls_the_second_deal_of_a_match_deal_2(home: Home) -> None:
    """The standings, the logs, the replay and a rerun all name the deal of a forfeit."""
    standings = home.inside("tournament", "show", "1")
    assert ", deal 2, decision " in standings.out
    assert ", deal 2, decision " in home.inside("bots", "logs", "late").out
    told = home.inside("replay", "show", "1/0/0").out
    assert "\nDeal 1 " in told
    assert "\nDeal 2 " in told
    (own,) = {line for line in told.splitlines() if "Forfeit" in line}
    assert own in told.partition("\nDeal 2 ")[2]
    second = home.inside("replay", "show", "1/0/0", "--deal", "2").out
    assert "\nDeal 2 " in second
    assert "\nDeal 1 " not in second
    refused = home.inside("replay", "show", "1/0/0", "--deal", "0", status=2)
    assert "from 1" in refused.err


def test_a_false_record_is_refused_by_the_same_numbers(home: Home, tmp_path: Path) -> None:
    header, first, second, end = home.inside("replay", "export", "1/0/0").out.splitlines()
    false = json.loads(second)
    false["dealer"] = 1 - false["dealer"]
    file = tmp_path / "false.jsonl"
    file.write_text("\n".join([header, first, json.dumps(false), end]) + "\n")
    assert "deal 2, dealer" in home.inside("replay", "verify", str(file), status=1).out
    false = json.loads(first)
    false["actions"][0] = "xx"
    file.write_text("\n".join([header, json.dumps(false), second, end]) + "\n")
    untrue = home.inside("replay", "verify", str(file), status=1).out
    assert "deal 1, action 1: expected one of" in untrue


def test_at_home_it_is_deal_2_as_well(home: Home) -> None:
    folder = home.path.parent
    late, even = str(folder / "late"), str(folder / "even")
    arena = home("arena", late, even, "--deals", "4", status=1)
    assert ", deal 2, its decision " in arena.err
    play = ("play", "briscola/2", "--match", "deals:2", "--bots")
    assert ", deal 2, its decision " in home(*play, f"{late},{even}", status=1).err
    told = home(*play, f"{even},{even}").out
    assert "\nDeal 1 " in told
    assert "\nDeal 2 " in told


def test_json_counts_from_0(home: Home) -> None:
    """As the wire and the records do, whose form stays."""
    (fault,) = home.inside("tournament", "show", "1", "--json").json["standings"]["faults"][:1]
    assert fault["deal"] == 1
    (log,) = home.inside("bots", "logs", "late", "--json").json[:1]
    assert log["deal"] == 1
    *_, end = home.inside("replay", "export", "1/0/0").out.splitlines()
    assert json.loads(end)["faults"][0]["deal"] == 1
