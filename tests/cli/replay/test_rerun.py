"""`mazzo replay rerun`: a recorded match with other code in a seat."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.color import ColorSystem
from typer.testing import CliRunner

from mazzo.games import parse_variant
from mazzo.match_record import MatchRecord, SeatRecord
from mazzo_server.cli.app import app
from mazzo_server.cli.text.output import console
from sdk.test_match_record import played
from support.command import SECONDS, Home
from support.sample_bots import SAMPLE_BOTS, write_bot

pytestmark = pytest.mark.usefixtures("eighty_columns")

COLOURS = {"d": 33, "c": 31, "s": 36, "b": 32}  # of the terminal, by suit
LAST = "return view.legal[-1]"


def write_record(
    folder: Path, variant: str = "briscola/2", *, names: tuple[str, ...] = ("mine", "random")
) -> tuple[MatchRecord, Path]:
    record = played(parse_variant(variant), "deals:2")
    seats = tuple(SeatRecord(bot=name, version=1) for name in names)
    record = replace(record, seats=seats)
    file = folder / "match.jsonl"
    file.write_text("".join(f"{line}\n" for line in record.lines()))
    return record, file


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.mark.slow
def test_a_match_of_a_tournament_comes_out_as_recorded_with_the_same_code(samples: Home) -> None:
    samples("tournament", "run", "briscola/2", "--groups", "1")
    code = SAMPLE_BOTS / "greedy"
    listed = samples.inside("matches", "--bot", "greedy", "--json").json
    for match in listed:
        told = samples.inside("replay", "rerun", match["match"], "--with", code, "--json").json
        assert told["changes"] == []
        assert told["match_scores_now"] == told["match_scores_then"]
        assert all(deal["scores_then"] == deal["scores_now"] for deal in told["deals"])
    text = samples.inside("replay", "rerun", listed[0]["match"], "--with", code).out
    assert "It decides as recorded to the end." in text


def test_it_says_where_it_decides_otherwise_first_and_what_came_of_it(
    home: Home, tmp_path: Path
) -> None:
    _, file = write_record(tmp_path)
    bot = write_bot(tmp_path, "mine", act=LAST)
    told = home.inside("replay", "rerun", file, "--with", bot, "--json").json
    first = told["changes"][0]
    assert (told["seats"], first["seat"]) == ([0], 0)
    assert [other["bot"] for other in told["others"]] == ["random"]
    assert told["match_scores_now"] is not None
    text = home.inside("replay", "rerun", file, "--with", bot).out
    number, now, then = first["decision"], first["now"], first["then"]
    place = f"in deal {first['deal'] + 1}, at its decision {first['step'] + 1}"
    sought = f"{place}, which is decision {number} of seat 0 in the match: {now} now, {then} then."
    assert f"It first differs {sought}" in text
    assert "From there on in each deal: random in seat 1." in text
    # The command that it prints asks for that decision alone.
    line = next(line for line in text.splitlines() if line.startswith("That decision again: "))
    words = line.removeprefix("That decision again: mazzo ").split()
    alone = home.inside(*words).out
    assert f"Deal {first['deal'] + 1}, decision {number} of seat 0:" in alone
    assert alone.splitlines()[-2:] == [f"Then       {then}", f"Now        {now}"]
    found = home.inside(*words, "--json").json
    assert (found["then"], found["now"], found["view"]["seat"]) == (then, now, 0)


def test_cards_stand_in_the_table_as_everywhere_on_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the colours of their suits, and in none where no person reads them."""
    _, file = write_record(tmp_path)
    words = ["replay", "rerun", str(file), "--with", str(write_bot(tmp_path, "mine", act=LAST))]
    plain = CliRunner().invoke(app, words).output
    monkeypatch.setattr(console, "_force_terminal", True)
    monkeypatch.setattr(console, "_color_system", ColorSystem.STANDARD)
    coloured = CliRunner().invoke(app, words, color=True).output
    first = re.search(r"of seat 0 in the match: (\S+) now, (\S+) then", plain)
    assert first is not None
    for code in first.groups():
        shown = f"\x1b[{COLOURS[code[-1]]}m{code}\x1b[0m"
        assert coloured.count(shown) >= 2  # in the table, and in the sentence below


def test_a_bot_that_is_not_at_home_is_named(home: Home, tmp_path: Path) -> None:
    _, file = write_record(tmp_path, names=("mine", "strange\x1b[2J"))
    bot = write_bot(tmp_path, "mine", act=LAST)
    text = home.inside("replay", "rerun", file, "--with", bot).out
    assert "in seat 1 would have to go on, and its code is not at hand." in text
    told = home.inside("replay", "rerun", file, "--with", bot, "--json").json
    assert (told["missing"], told["match_scores_now"]) == (1, None)
    told = home.inside("replay", "rerun", file, "--with", bot, "--others", "greedy", "--json").json
    assert told["missing"] is None
    assert told["match_scores_now"] is not None


def test_a_team_plays_in_all_its_seats(home: Home, tmp_path: Path) -> None:
    _, file = write_record(tmp_path, "briscola/4", names=("mine", "random", "mine", "random"))
    bot = write_bot(tmp_path, "mine", games='["briscola/4"]')
    told = home.inside("replay", "rerun", file, "--with", bot, "--json").json
    assert told["seats"] == [0, 2]
    told = home.inside("replay", "rerun", file, "--with", bot, "--seat", "2", "--json").json
    assert told["seats"] == [2]
    # The other seat of the team goes on with the same code.
    assert [other["bot"] for other in told["others"]] == ["mine", "random", "random"]


@pytest.mark.parametrize(
    ("names", "options", "expected"),
    [
        (("a", "b"), [], "--seat: expected the seat in which mine plays"),
        (("mine", "mine"), [], "as several sides have that name"),
        (("mine", "b"), ["--only", "1", "--others", "random"], "expected --only or --others"),
        (("mine", "b"), ["--seat", "2"], "--seat: expected 0 to 1, got 2"),
        (("mine", "b"), ["--others", "random,random"], "--others: expected one bot"),
        (("mine", "b"), ["--others", "nobody"], "expected a bot's folder"),
        (("mine", "b"), ["--only", "999"], "expected a decision of seat 0 in 3/17/1, from 1 to "),
    ],
)
def test_what_is_not_there_is_refused(
    home: Home, tmp_path: Path, names: tuple[str, ...], options: list[str], expected: str
) -> None:
    _, file = write_record(tmp_path, names=names)
    bot = write_bot(tmp_path, "mine")
    refused = home.inside("replay", "rerun", file, "--with", bot, *options, status=2)
    assert expected in " ".join(refused.err.split())


def test_a_file_that_holds_no_true_record_is_refused(home: Home, tmp_path: Path) -> None:
    record, file = write_record(tmp_path)
    bot = write_bot(tmp_path, "mine")
    for text, expected in (
        ("", "expected one match record"),
        ("{}\n", "holds no match record: line 1"),
        (file.read_text() * 2, "expected one match record"),
        (file.read_text().replace(record.seed.hex(), "0" * 64), "is not true"),
    ):
        file.write_text(text)
        assert expected in home.inside("replay", "rerun", file, "--with", bot, status=2).err


def test_a_bot_that_fails_is_told_with_the_place(home: Home, tmp_path: Path) -> None:
    _, file = write_record(tmp_path)
    bot = write_bot(tmp_path, "mine", act='raise RuntimeError("no idea")')
    for options in ([], ["--only", "2"]):
        failed = home.inside("replay", "rerun", file, "--with", bot, *options, status=1)
        assert "RuntimeError: no idea (bot.py, line 11)" in failed.err
    failed = home.inside("replay", "rerun", file, "--with", bot, "--json", status=1)
    assert "no idea" in failed.json["error"]


@pytest.mark.parametrize("match", ["nothing.jsonl", ".", "x" * 5000, "-"])
def test_what_is_neither_a_match_nor_a_file_is_refused(
    home: Home, tmp_path: Path, match: str
) -> None:
    bot = write_bot(tmp_path, "mine")
    refused = home.inside("replay", "rerun", "--with", bot, "--", match, status=2)
    assert "expected a match such as 3/17/0, or a file of one" in refused.err


def write_position(folder: Path, **decision: object) -> Path:
    """A position of a trial, with other values in its `decision`."""
    record, _ = write_record(folder)
    fields = {
        "number": 3,
        "seed": "0" * 64,
        "match_format": "deals:2",
        "deal": 0,
        "match_scores": ["0.0", "0.0"],
        "bank_left_seconds": 10.0,
        "increment_seconds": 0.1,
        "limit_seconds": 5.0,
    }
    deal = replace(record.deals[0], actions=record.deals[0].actions[:5], scores=None, result=None)
    line = json.dumps(deal.to_json() | {"decision": fields | decision})
    file = folder / "positions.jsonl"
    file.write_text(f"\n{line}\n\n")
    return file


def test_a_decision_that_comes_too_late_fails_again(home: Home, tmp_path: Path) -> None:
    bot = write_bot(tmp_path, "mine", act="time.sleep(0.3)\n        return view.legal[0]")
    file = write_position(tmp_path)
    assert home.inside("replay", "rerun", file, "--with", bot, "--json").json[0]["error"] is None
    file = write_position(tmp_path, bank_left_seconds=0.1)
    late = home.inside("replay", "rerun", file, "--with", bot, status=1)
    assert "Fails      late: it took 0.3 s and had 0.1 s" in late.out


@pytest.mark.parametrize(
    "decision",
    [
        {"match_format": "\x1b[31mred"},
        {"match_scores": ["nan", "inf"]},
        {"match_scores": ["1e400", "0"]},
        {"match_scores": ["0"] * 9},
        {"match_scores": []},
        {"match_scores": [0, 0]},
        {"deal": 10**4000},
        {"deal": -1},
        {"number": 0},
        {"seed": "0f"},
        {"bank_left_seconds": "much"},
    ],
)
def test_a_position_that_cannot_be_is_refused(
    home: Home, tmp_path: Path, decision: dict[str, object]
) -> None:
    bot = write_bot(tmp_path, "mine")
    file = write_position(tmp_path, **decision)
    refused = home.inside("replay", "rerun", file, "--with", bot, status=2)
    assert "positions.jsonl, line 2: " in refused.err
    assert refused.out == ""


def test_one_decision_can_be_looked_at_in_a_debugger(home: Home, tmp_path: Path) -> None:
    """Promised: `python -m pdb` stops in the bot's own file, with the recorded view."""
    _, file = write_record(tmp_path)
    bot = write_bot(tmp_path, "mine", act=LAST)
    number = next(
        at for at, line in enumerate((bot / "bot.py").read_text().splitlines(), 1) if LAST in line
    )
    commands = [
        f"b {bot / 'bot.py'}:{number}",
        "c",
        "p ('asked', view.number, view.seat)",
        "c",
        "q",
    ]
    words = [word for command in commands for word in ("-c", command)]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pdb", *words, "-m", "mazzo_server"),
            *("replay", "rerun", file, "--with", bot, "--only", "3"),
        ],
        env=home.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert "('asked', 3, 0)" in done.stdout + done.stderr, done


def test_who_leaves_a_debugger_in_a_bot_ends_the_command(home: Home, tmp_path: Path) -> None:
    _, file = write_record(tmp_path)
    bot = write_bot(tmp_path, "mine", act="breakpoint(); return view.legal[0]")
    ended = home("replay", "rerun", file, "--with", bot, "--only", "2", data=b"q\n", status=130)
    assert ended.err.endswith("mazzo: interrupted\n")


def test_of_copies_the_seat_has_to_be_named(home: Home, tmp_path: Path) -> None:
    """Copies: new code of the bot fits the seat of each, and goes on in those of the others."""
    bot = write_bot(tmp_path, "mine", act=LAST)
    _, file = write_record(tmp_path, names=("mine*2", "mine"))
    run = ("replay", "rerun", file, "--with", bot)
    assert (
        "several sides have that name: the seats are 0 mine*2, 1 mine"
        in home.inside(*run, status=2).err
    )
    told = home.inside(*run, "--seat", "0", "--json").json
    assert (told["seats"], [other["seat"] for other in told["others"]]) == ([0], [1])
    told = home.inside(*run, "--seat", "1", "--json").json
    assert (told["seats"], [other["seat"] for other in told["others"]]) == ([1], [0])
    _, file = write_record(tmp_path, names=("random", "mine*2"))
    assert home.inside(*run, "--json").json["seats"] == [1]
