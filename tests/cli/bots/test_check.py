"""`mazzo check`: the trial of a submission at home."""

from __future__ import annotations

import shlex
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from mazzo_server.bots import launcher
from mazzo_server.errors import IsolationError
from mazzo_server.sandbox import Sandbox, open_sandbox
from mazzo_server.settings import Isolation
from support.command import Home, kill, until
from support.sample_bots import SAMPLE_BOTS, write_bot
from support.timeless import timeless


@pytest.fixture
def bench(tmp_path: Path) -> Home:
    """A home for positions alone, and a folder for temporary files that must stay empty."""
    (tmp_path / "scratch").mkdir()
    return Home(tmp_path / "home", {"TMPDIR": str(tmp_path / "scratch")})


def assert_nothing_left(bench: Home, *positions: str) -> None:
    assert sorted(bench.path.rglob("*.*")) == [
        bench.path / "positions" / name for name in positions
    ]
    assert list(Path(bench.variables["TMPDIR"]).iterdir()) == []


def test_a_good_bot_passes_and_nothing_is_kept(bench: Home, tmp_path: Path) -> None:
    bot = write_bot(tmp_path, "ann", capacity=8)
    said = bench("check", bot).out
    assert said.startswith("ann, isolation bubblewrap; ready after ")
    assert "ok   briscola/2: " in said
    assert "ok   a new start in the middle of matches: " in said
    assert said.splitlines()[-1] == "ann passes its trial."
    assert_nothing_left(bench)


def test_it_is_the_trial_that_a_submission_plays(bench: Home, tmp_path: Path) -> None:
    """With the same seed the reports are the same, but for what was timed; of an archive, too."""
    act = "assert view.players == 2, 'unheard of'\n        return view.legal[0]"
    bot = write_bot(tmp_path, "bob", act=act, games='["briscola/2", "briscola/3"]')
    archive = shutil.make_archive(str(tmp_path / "bob"), "zip", tmp_path, bot.name)
    home = Home(tmp_path / "club")
    (version,) = home.inside("bots", "submit", bot, "--json", status=1).json["versions"]
    again = ("--seed", version["trial"]["seed"])
    checked = bench.inside("check", archive, *again, "--json", status=1).json
    assert checked["name"] == "bob"
    assert checked["content_hash"] == version["content_hash"]
    assert checked["qualified"] == version["qualified"] == ["briscola/2"]
    assert checked["isolation"] == "bubblewrap"
    assert _steady(checked["trial"]) == _steady(version["trial"])
    assert not checked["trial"]["passed"]


def _steady(trial: dict[str, Any]) -> Any:
    """Without what is measured, and without the bot's traceback, which has such a file's name."""
    return timeless(trial) | {"log": trial["log"].splitlines()[-1:]}


def test_a_bot_that_crashes_is_told_what_to_mend_and_how_to_see_it_again(
    bench: Home, tmp_path: Path
) -> None:
    """By a command that can be typed as it is, whatever the folder is called."""
    bot = tmp_path / "my bot"
    shutil.move(write_bot(tmp_path, "crasher", act="raise RuntimeError('no idea')"), bot)
    done = bench("check", bot, status=1)
    said = " ".join(done.out.split())
    assert "FAIL briscola/2: crashed: its process exited with status 1" in said
    assert "RuntimeError: no idea bot.py, line 11, in act: raise RuntimeError('no idea') " in said
    assert "mend: look at bot.py, line 11" in said
    assert said.endswith("crasher fails its trial: it cannot enter any tournament.")
    again = done.out.splitlines()[-2]
    mazzo, *words = shlex.split(again)
    assert (mazzo, words[:2]) == ("mazzo", ["check", str(bot)])
    assert bench.inside(*words, status=1).out.splitlines()[-2] == again
    bare = bench.inside("check", bot, "--isolation", "none", status=1).out.splitlines()[-2]
    assert bare.strip().startswith(f"mazzo check '{bot}' --isolation none --seed ")
    assert_nothing_left(bench, "crasher.jsonl")


def test_a_bot_is_asked_again_where_it_failed_until_it_is_mended(
    bench: Home, tmp_path: Path
) -> None:
    """By the command that is printed, with the bot's own view: what is mended passes."""
    illegal = "if view.number == 7: return next(a for a in view.variant.game.actions if "
    illegal += "not view.legal_mask >> a & 1)\n        return view.legal[0]"
    bot = write_bot(tmp_path, "cheat", act=illegal)
    lines = bench.inside("check", bot, status=1).out.splitlines()
    ask = next(line for line in lines if line.startswith("  mazzo replay rerun "))
    _, *words = shlex.split(ask)
    asked = bench.inside(*words, status=1).out
    assert "Position 1 of 1: briscola/2, seat " in asked
    assert "its decision 7" in asked
    assert "Fails      cheat in seat " in asked
    (told,) = bench.inside(*words, "--only", "1", "--json", status=1).json
    assert told["now"] is None
    assert "expected one of" in told["error"]
    assert "expected a position" in bench.inside(*words, "--only", "2", status=2).err
    write_bot(tmp_path, "cheat")
    (told,) = bench.inside(*words, "--json").json
    assert told["now"] in told["view"]["legal"]
    assert told["error"] is None
    assert "Now " in bench.inside(*words).out


def test_positions_that_cannot_be_written_are_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    bot = write_bot(tmp_path, "crasher", act="raise RuntimeError")
    checked = Home(tmp_path / "home").inside("check", bot, "--isolation", "none", status=1)
    assert "mazzo: cannot write " in checked.err
    assert "FAIL briscola/2" in checked.out


@pytest.mark.slow
def test_a_bot_that_hangs_is_ended(bench: Home, tmp_path: Path) -> None:
    bot = write_bot(tmp_path, "snail", act="time.sleep(600)")
    said = " ".join(bench.inside("check", bot, status=1).out.split())
    assert "out-of-time: it took 5.0" in said
    assert "mend: a decision may take 5 s" in said
    assert_nothing_left(bench, "snail.jsonl")


def test_interrupted_it_leaves_nothing(bench: Home, tmp_path: Path) -> None:
    bot = write_bot(tmp_path, "patient", main="time.sleep(600)")
    checking = bench.start("check", bot, "--isolation", "none")
    scratch = Path(bench.variables["TMPDIR"])
    until(lambda: any(scratch.glob("mazzo-s-*/bundles/*/bot.py")), checking)
    ended = kill(checking, signal.SIGTERM)
    assert ended.status == 130
    assert "Traceback" not in ended.err
    assert_nothing_left(bench)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such path"),
        ({}, "expected a bot's folder with bot.toml in it"),
        ({"bot.toml": 'name = "A"\n'}, "bot.toml, line 1, key name: expected 1 to 32"),
        ({"bot.toml": "name =\n"}, "bot.toml, line 1: expected TOML"),
    ],
)
def test_what_is_no_bot_is_refused(
    bench: Home, tmp_path: Path, content: dict[str, str] | None, message: str
) -> None:
    """With the status of what the caller has to mend."""
    bot = tmp_path / "bot"
    if content is not None:
        bot.mkdir()
        for name, text in content.items():
            (bot / name).write_text(text)
    refused = bench.inside("check", bot, "--isolation", "none", status=2)
    assert message in refused.err
    assert refused.out == ""
    assert not bench.path.exists()


def test_a_file_that_is_no_archive_is_refused(bench: Home) -> None:
    refused = bench.inside("check", SAMPLE_BOTS / "random" / "bot.py", status=2)
    assert "which is neither; make a zip or give the folder" in " ".join(refused.err.split())


def test_a_seed_that_is_none_is_refused(bench: Home) -> None:
    refused = bench.inside("check", SAMPLE_BOTS / "random", "--seed", "cafe", status=2)
    assert "expected" in refused.err


def only_none(isolation: Isolation) -> Sandbox:
    if isolation is not Isolation.NONE:
        raise IsolationError(f"no {isolation} on this machine")
    return open_sandbox(isolation)


@pytest.mark.slow
def test_without_isolation_it_says_so_and_tries_the_bot_all_the_same(
    bench: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launcher, "open_sandbox", only_none)
    done = bench.inside("check", write_bot(tmp_path, "ann"))
    assert "no isolation bubblewrap here: no bubblewrap on this machine" in done.err
    assert "no isolation docker here: no docker on this machine" in done.err
    assert "the bot runs with your own rights" in done.err
    assert done.out.startswith("ann, isolation none; ")
    strict = {"MAZZO_REQUIRE": "seccomp"}
    refused = Home(bench.path, strict).inside("check", tmp_path / "ann", status=1)
    assert "MAZZO_REQUIRE asks for seccomp, and isolation none protects from nothing" in refused.err
    asked = bench.inside("check", tmp_path / "ann", "--isolation", "bubblewrap", status=1)
    assert "no bubblewrap on this machine" in asked.err
    assert asked.out == ""
