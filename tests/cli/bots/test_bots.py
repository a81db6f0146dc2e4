"""`mazzo bots`: submitting, the trial and its report, versions, retiring."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from mazzo.games import GAMES
from mazzo.games.briscola import BRISCOLA
from support.command import Home, kill, until
from support.sample_bots import SAMPLE_BOTS, SAMPLES, write_bot

pytestmark = pytest.mark.slow


def test_the_life_of_a_bot(home: Home, tmp_path: Path) -> None:
    bot = write_bot(tmp_path, "lifer", capacity=3)
    first = home("bots", "submit", bot, "--json").json
    assert {key: first[key] for key in ("name", "retired")} == {"name": "lifer", "retired": False}
    version = first["versions"][0]
    assert version["version"] == 1
    assert version["games"] == ["briscola/2"]
    assert version["command"] == ["python", "bot.py"]
    assert version["capacity"] == 3
    trial = version["trial"]
    assert trial["passed"]
    assert trial["log"] == ""
    assert trial["start_up_seconds"] > 0
    assert [match["variant"] for match in trial["matches"]] == ["briscola/2"]
    assert trial["matches"][0]["decisions"] > 0

    (bot / "notes.txt").write_text("a second version\n")
    said = home.inside("bots", "submit", bot).out
    assert "lifer version 2 is stored" in said
    assert "briscola/2" in said
    shown = home.inside("bots", "show", "lifer", "--json").json
    assert [item["version"] for item in shown["versions"]] == [1, 2]
    assert shown["versions"][0] == version
    assert shown["versions"][0]["content_hash"] != shown["versions"][1]["content_hash"]
    assert home("bots", "show", "lifer").out.splitlines()[0] == "lifer"

    # The list has the newest version alone, and without what is long in its trial.
    newest = shown["versions"][1]
    matches = [match | {"seat": 0, "record": ""} for match in newest["trial"]["matches"]]
    newest = newest | {"trial": newest["trial"] | {"matches": matches}}
    assert home.inside("bots", "list", "--json").json == [shown | {"versions": [newest]}]

    retired = shown | {"retired": True, "active_version": 0}
    assert home.inside("bots", "retire", "lifer", "--json").json == retired
    assert "lifer is retired: it enters nothing." in home.inside("bots", "show", "lifer").out
    refused = flat(home.inside("bots", "activate", "lifer", "1", status=1).err)
    assert "submit it again with `mazzo bots submit`, and choose then" in refused
    assert home.inside("bots", "list", "--json").json == []
    assert [row["name"] for row in home.inside("bots", "list", "--all", "--json").json] == ["lifer"]
    assert "lifer (retired)" in home.inside("bots", "list", "--all").out

    # The same content in a zip archive is the same; submitting brings the bot back.
    in_a_folder = Path(shutil.make_archive(str(tmp_path / "one"), "zip", tmp_path, bot.name))
    packed = tmp_path / "bot.zip"
    with zipfile.ZipFile(packed, "w") as file:
        for item in bot.iterdir():
            file.write(item, item.name)
    for path in (in_a_folder, packed):
        again = home.inside("bots", "submit", path, "--json").json
        assert again["versions"][-1]["content_hash"] == shown["versions"][1]["content_hash"]
    assert not again["retired"]
    told = flat(home.inside("bots", "submit", bot).out)
    assert "Its files are the same as those of version 4." in told
    assert [item["version"] for item in again["versions"]] == [1, 2, 3, 4]


def test_the_sample_bots_pass_in_every_form(home: Home) -> None:
    for name in SAMPLES:
        home("bots", "submit", SAMPLE_BOTS / name)
    bots = home.inside("bots", "list", "--json").json
    assert [bot["name"] for bot in bots] == sorted(SAMPLES)
    for bot in bots:
        trial = bot["versions"][0]["trial"]
        assert trial["passed"]
        forms = [match["variant"] for match in trial["matches"]]
        games = [BRISCOLA] if bot["name"] == "counting" else list(GAMES.values())
        assert forms == [f"{game.id}/{players}" for game in games for players in game.players]


def test_a_bot_that_crashes_is_kept_with_its_log(home: Home, tmp_path: Path) -> None:
    bot = write_bot(
        tmp_path,
        "crasher",
        act='raise RuntimeError("\\x1b[31mno \\x07idea\\x9b31m\\x7f\\u202e")',
        extra='description = "it crashes"\n',
    )
    said = home.inside("bots", "submit", bot, status=1).out
    assert "FAIL briscola/2" in said
    assert "no \ufffdidea" in said  # cleaned of what a terminal would obey
    trial = home.inside("bots", "show", "crasher", "--json").json["versions"][0]["trial"]
    assert not trial["passed"]
    assert "exited with status 1" in trial["matches"][0]["reason"]
    assert "RuntimeError: \x1b[31mno \x07idea\x9b31m\x7f\u202e" in trial["log"]
    raw = home.inside("bots", "show", "crasher", "--json").out
    assert all(" " <= letter <= "~" or letter == "\n" for letter in raw)  # escaped in JSON too
    assert "it crashes" in home.inside("bots", "show", "crasher").out
    assert "failed" in home.inside("bots", "list").out


def test_a_bot_that_never_starts(home: Home, tmp_path: Path) -> None:
    bot = write_bot(tmp_path, "sleepyhead", main="sys.exit('out of bed? no')")
    said = home.inside("bots", "submit", bot, status=1).out
    assert "never ready" in said
    assert "did not start" in said
    assert "exited with status 1" in said
    assert "out of bed? no" in said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda item: item.name)
def test_a_trial_that_was_broken_off(home: Home, tmp_path: Path, number: signal.Signals) -> None:
    """It has not failed, and is not said to; a terminal that is closed is like Ctrl-C."""
    assert home("bots", "list", "--json").json == []
    bot = write_bot(tmp_path, "patient", main="time.sleep(600)")
    submitting = home.start("bots", "submit", bot, "--isolation", "none")
    with closing(sqlite3.connect(home.path / "mazzo.db", timeout=10)) as store:
        until(lambda: bool(store.execute("SELECT 1 FROM versions").fetchall()), submitting)
    assert kill(submitting, number).status == 130
    said = home.inside("bots", "show", "patient").out
    assert "its trial was broken off: play it with `mazzo bots trial patient`" in flat(said)
    assert "failed" not in said
    refused = home.inside("tournament", "run", "briscola/2", "--bots", "patient", status=2).err
    assert "play it again with `mazzo bots trial patient`" in flat(refused)

    # The file that it waits for is put there, as by a machine that is faster the next time.
    (content,) = (home.path / "bundles").glob("*/bot.py")
    content.write_text(content.read_text().replace("time.sleep(600)", "run(Tested)"))
    assert "ok   briscola/2" in home.inside("bots", "trial", "patient").out
    assert home.inside("bots", "show", "patient", "--json").json["active_version"] == 1


def test_versions_that_enter(home: Home, tmp_path: Path) -> None:
    """A submission that fails displaces nothing; what failed is named, and can be had again."""
    for name in ("ann", "bob"):
        bot = write_bot(tmp_path, name, games='["briscola/2", "briscola/3"]')
        home.inside("bots", "submit", bot)
    bad = write_bot(tmp_path, "ann", act="print('oh no'); os._exit(3)")
    said = home.inside("bots", "submit", bad, status=1).out
    assert "FAIL briscola/2: crashed: its process exited with status 3" in said
    assert "| oh no mend: what it wrote says where it ended" in flat(said)
    assert "Version 1 enters tournaments: the newest one that is qualified." in flat(said)
    (row,) = (line for line in home.inside("bots", "list").out.splitlines() if "ann" in line)
    assert row.split()[1:3] == ["2", "(1)"]
    planned = home.inside("tournament", "plan", "briscola/2", "--json")
    versions = {one["name"]: one["version"] for one in planned.json["tournament"]["entrants"]}
    assert versions == {"ann": 1, "bob": 1}
    assert planned.err == ""
    refused = home.inside("bots", "activate", "ann", "2", status=1).err
    assert "ann version 2 is not qualified for anything" in refused
    assert "expected a whole number from 1 to 2147483647, got" in flat(
        home.inside("bots", "activate", "ann", "one", status=2).err
    )
    chosen = home.inside("bots", "activate", "ann", "1").out
    assert "Version 1 enters tournaments, as chosen" in chosen
    better = flat(home.inside("bots", "submit", write_bot(tmp_path, "ann")).out)
    assert "ann version 3 is stored" in better
    assert "Version 1 enters tournaments, as chosen" in better
    assert home.inside("bots", "activate", "ann", "newest", "--json").json["chosen_version"] == 0

    # The same trial again, to the card.
    seed = said.split("--seed ")[1].split()[0]
    shown = home.inside("bots", "show", "ann", "--json").json["versions"][1]["trial"]
    again = home.inside(
        "bots", "trial", "ann", "--version", "2", "--seed", seed, "--json", status=1
    ).json
    assert again["versions"][1]["trial"]["matches"] == shown["matches"]
    logged = home.inside("bots", "logs", "ann").out
    assert "version 2: failed its trial" in logged
    assert "| oh no" in logged

    home.inside("bots", "submit", write_bot(tmp_path, "worse", main="sys.exit(1)"), status=1)
    note = home.inside("tournament", "create", "briscola/2", "--groups", "1").err
    assert "or with wheels that fit no longer: worse." in flat(note)


def flat(text: str) -> str:
    """On one line, as wide as it likes."""
    return " ".join(text.split())


def test_an_illegal_answer_and_one_that_is_none(home: Home, tmp_path: Path) -> None:
    illegal = "return min(set(range(40)) - set(map(int, view.legal)))"
    said = home.inside("bots", "submit", write_bot(tmp_path, "cheat", act=illegal), status=1).out
    assert "FAIL briscola/2" in said
    assert "illegal" in said
    bot = write_bot(tmp_path, "mute", act="return None")
    none = home.inside("bots", "submit", bot, status=1).out
    assert "FAIL briscola/2" in none
    assert "expected one of view.legal" in flat(none)  # the SDK told the author


def test_tables_fit_a_narrow_terminal(home: Home, tmp_path: Path) -> None:
    name = "a-bot-whose-name-is-as-long-as-it"
    bot = write_bot(tmp_path, name[:32], games='["briscola/2", "briscola/3", "briscola/4"]')
    toml = (bot / "bot.toml").read_text().replace('"the tests"', f'"{("author " * 20).strip()}"')
    (bot / "bot.toml").write_text(toml)
    home.inside("bots", "submit", bot)
    home.inside("bots", "activate", name[:32], "1")
    for command in (("submit", bot), ("list",), ("show", name[:32])):
        lines = home.inside("bots", *command).out.splitlines()
        assert max(map(len, lines)) <= 80
        assert any(name[:32] in line for line in lines)


def test_no_bots_yet(home: Home) -> None:
    assert "mazzo bots submit" in home("bots", "list").out
    assert home.inside("bots", "list", "--json").json == []
    assert "mazzo tournament run" in home.inside("tournament", "list").out
    assert home.inside("rankings", "--json").json == []
    assert SAMPLE_BOTS.is_dir()
