"""`mazzo arena`: the author's bench at home, in processes that may fail."""

from __future__ import annotations

import itertools
import json
import shlex
import shutil
import signal
from functools import partialmethod
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from mazzo_server.cli.app import app
from mazzo_server.cli.home import arena as arena_module
from mazzo_server.cli.text import output
from mazzo_server.errors import StoreError
from mazzo_server.home.arena import Crew, keeping
from support.command import Home, kill, until
from support.other_processes import command_of
from support.sample_bots import SAMPLE_BOTS, write_bot
from support.timeless import timeless

SEED = bytes(range(32)).hex()
RANDOM, GREEDY = (str(SAMPLE_BOTS / name) for name in ("random", "greedy"))


@pytest.fixture(autouse=True)
def _width(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a terminal of 80 columns, wherever the tests run."""
    for screen in (output.console, output.error_console):
        monkeypatch.setattr(screen, "width", 80)


def invoke(*arguments: str | Path, status: int = 0) -> Result:
    """Run `mazzo` in process, which must end with `status` and without a trace of Python."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == status, (result.output, result.exception)
    assert "Traceback" not in result.output
    return result


def arena(*arguments: str | Path, workers: int = 1, status: int = 0) -> Result:
    """Play with a fixed seed."""
    return invoke("arena", *arguments, "--seed", SEED, "--workers", str(workers), status=status)


def facts(*arguments: str | Path, workers: int = 1) -> Any:
    """What the JSON says, without what depends on the machine."""
    return timeless(json.loads(arena(*arguments, "--json", workers=workers).stdout))


def write_tired(folder: Path, pause: float = 0.0) -> Path:
    """A bot that raises at its hundred-and-first decision."""
    code = f"""import time
        time.sleep({pause} if view.number == 1 and view.match.deal == 0 else 0)
        self.asked = getattr(self, "asked", 0) + 1
        assert self.asked <= 100, "tired"
        return view.legal[0]"""
    return write_bot(folder, "tired", act=code)


def test_a_better_bot_stands_first_with_its_interval() -> None:
    found = facts(RANDOM, GREEDY, "--deals", "60")
    first, second = found["standings"]
    assert (first["bot"], first["given"], first["rank"]) == ("greedy", GREEDY, 1)
    assert first["score_low"] < first["score_per_deal"] < first["score_high"]
    assert first["score_low"] > 60 > second["score_high"]
    assert first["score_per_deal"] + second["score_per_deal"] == 120
    assert first["won"] + second["won"] == pytest.approx(1)
    assert first["probability_better_than_next"] > 0.99
    assert (found["deals"], found["deals_played"], found["groups_played"]) == (60, 60, 15)
    assert (found["variant"], found["match_format"], found["alone"]) == (
        "briscola/2",
        "deals:2",
        False,
    )


@pytest.mark.slow
def test_results_depend_on_seed_and_deals_alone() -> None:
    """Promise: not on how many processes play, nor on which of them is done first."""
    one = facts(RANDOM, GREEDY, RANDOM, "--deals", "48")
    assert facts(RANDOM, GREEDY, RANDOM, "--deals", "48", workers=3) == one
    assert len(one["crosstable"]) == 6


@pytest.mark.parametrize(
    ("bots", "verdict", "status", "said"),
    [
        ((GREEDY, RANDOM), "high", 0, "greedy over random is more than 0 points a deal."),
        ((RANDOM, GREEDY), "low", 3, "random over greedy is less than 9 points a deal."),
    ],
)
@pytest.mark.slow
def test_a_sequential_test_says_which_bot_is_better(
    bots: tuple[str, str], verdict: str, status: int, said: str
) -> None:
    words = (*bots, "--sprt", "0", "9")
    told = arena(*words, status=status).stdout
    assert f"The advantage of {said}" in told
    found = json.loads(arena(*words, "--json", status=status).stdout)
    test = found["sequential_test"]
    assert (test["verdict"], test["new"], test["low"], test["high"]) == (
        verdict,
        Path(bots[0]).name,
        0,
        9,
    )
    assert test["last_group"] + 1 == test["groups"] == found["groups_played"]
    decided = f"Decided by group {test['last_group']}, after {test['groups']} groups."
    assert decided in " ".join(told.split())
    again = shlex.split(told.splitlines()[-1].removeprefix("Play it again with: "))
    repeated = invoke(*again[1:], "--workers", "1", status=status).stdout
    assert _rows(repeated) == _rows(told)


@pytest.mark.slow
def test_a_sequential_test_depends_on_seed_and_bounds_alone() -> None:
    """Promise: results enter in schedule order, whichever process is done first."""
    words = (RANDOM, RANDOM, "--sprt", "0", "12", "--json")
    one, three = (
        timeless(json.loads(arena(*words, workers=workers, status=3).stdout)) for workers in (1, 3)
    )
    assert one == three


def test_a_sequential_test_that_runs_out_of_deals_is_undecided() -> None:
    words = (RANDOM, GREEDY, "--sprt", "0", "0.02", "--win-share", "--deals", "40")
    told = arena(*words, status=4).stdout
    assert "Undecided after 10 groups whether the advantage of random over greedy" in told
    test = json.loads(arena(*words, "--json", status=4).stdout)["sequential_test"]
    assert (test["verdict"], test["unit"], test["last_group"]) == ("undecided", "win-share", None)


def test_a_sequential_test_at_more_sides_has_each_bot_alone_in_turn() -> None:
    words = (GREEDY, RANDOM, "--variant", "briscola/3", "--sprt", "0", "300", "--elo", "--json")
    found = json.loads(arena(*words, status=0).stdout)
    assert found["alone"]
    assert found["groups_played"] == found["sequential_test"]["groups"] >= 60
    assert found["groups_played"] % 2 == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--elo",), "--elo belongs to --sprt LOW HIGH"),
        (("--alpha", "0.1"), "--alpha belongs to --sprt LOW HIGH"),
        (("--sprt", "0", "1", "--elo", "--win-share"), "--win-share or --elo, got both"),
        (("--sprt", "1", "0"), "the smaller one first, got 1 0"),
        (("--sprt", "0", "1", "--win-share"), "between -1 and 1, got 0 1"),
        (("--sprt", "0", "1", "--beta", "0"), "between 0 and 0.5, got 0"),
        (("--sprt", "0", "1", RANDOM), "compares two bots, got 3"),
    ],
)
def test_a_question_that_has_no_answer_is_refused(words: tuple[str, ...], said: str) -> None:
    assert said in arena(RANDOM, GREEDY, *words, status=2).stderr


def test_the_last_line_plays_the_same_again() -> None:
    told = arena(RANDOM, GREEDY, "--deals", "20", "--variant", "frusta?").stdout
    again = shlex.split(told.splitlines()[-1].removeprefix("Play it again with: "))
    repeated = invoke(*again[1:], "--workers", "1").stdout
    assert _rows(repeated) == _rows(told) != []


def test_whatever_the_bots_are_called_what_is_told_can_be_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names like an option, with commas and quotes; and a limit to its last digit."""
    monkeypatch.chdir(tmp_path)
    bad = "view.number == 7 and 1 / 0; return view.legal[0]"
    for folder, name, act in (("-dash", "good", "return view.legal[0]"), ('a,"b', "bad", bad)):
        shutil.move(write_bot(tmp_path, name, act=act), tmp_path / folder)
    options = ("--seed", SEED, "--deals", "4", "--limit", "0.12345678", "--workers", "1")
    told = invoke("arena", *options, "--", "-dash", "-dash").stdout.splitlines()[-1]
    assert "--limit 0.12345678 " in told
    again = shlex.split(told.removeprefix("Play it again with: "))
    assert invoke(*again[1:], "--workers", "1").stdout.splitlines()[-1] == told
    said = invoke("arena", *options, "--", "-dash", 'a,"b', status=1).stderr
    failure, told = said.splitlines()
    again = shlex.split(told.removeprefix("Play that match again with: "))
    assert failure.removesuffix(".") in invoke(*again[1:], status=1).stderr


@pytest.mark.slow
def test_kept_matches_are_found_shown_and_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those of tournaments are, by the command that the arena prints."""
    folder = tmp_path / "my arenas"
    told = arena(RANDOM, GREEDY, "--deals", "40", "--keep", folder).stdout
    kept, again = told.splitlines()[-2:]
    home, *words = shlex.split(kept.removeprefix("Kept as tournament 1: "))
    assert home == f"MAZZO_HOME={folder}"
    monkeypatch.setenv("MAZZO_HOME", str(folder))
    found = json.loads(invoke(*words[1:], "--json").stdout)
    margins = [match["result"]["margin"] for match in found]
    assert len(found) == 10
    assert margins == sorted(margins)
    assert "random: version 1" in invoke("replay", "show", found[0]["match"]).stdout
    rerun = invoke("replay", "rerun", "1/0/0", "--with", GREEDY, "--seat", "1").stdout
    assert "It decides as recorded to the end." in rerun or "differs" in rerun
    repeated = invoke(*shlex.split(again.removeprefix("Play it again with: "))[1:]).stdout
    assert _rows(repeated) == _rows(told)
    assert "Kept as tournament 2: " in repeated
    assert facts(RANDOM, GREEDY, "--deals", "4", "--keep", folder)["kept"] == {
        "home": str(folder),
        "tournament": 3,
    }


def test_what_cannot_keep_an_arena_is_refused_before_a_card_is_dealt(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    assert "cannot use the store" in arena(RANDOM, GREEDY, "--keep", file, status=1).stderr
    alone = arena(RANDOM, GREEDY, "--variant", "frap/6", "--keep", tmp_path, status=2)
    assert "expected a bot for each of the 6 sides of frap/6, got 2" in alone.stderr
    assert not (tmp_path / "mazzo.db").exists()
    copies = f"{GREEDY}*5"
    assert copies in alone.stderr
    whole = arena(RANDOM, copies, "--variant", "frap/6", "--deals", "1", "--keep", tmp_path)
    assert "Kept as tournament 1: " in whole.stdout


def test_a_bot_s_failure_is_told_though_nothing_can_be_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot's failure comes after that of the store, and the matches stored by then are named."""

    def refuse(*_: object, **__: object) -> float:
        raise StoreError("the disk is full")

    monkeypatch.setattr(keeping, "tell_end_time", refuse)
    ran = arena(write_tired(tmp_path), RANDOM, "--keep", tmp_path / "kept", status=1)
    full, tired = ran.stderr.splitlines()[:2]
    assert full == "mazzo: the disk is full"
    assert tired.startswith("mazzo: tired in seat ")
    assert "Kept as tournament 1: " in ran.stdout


def _rows(told: str) -> list[str]:
    """The rows of the table, without the times in their last column."""
    table = told.split("\n\n")[1]
    return [line.rsplit(maxsplit=1)[0] for line in table.splitlines()]


def test_two_of_the_same_bot_are_told_apart_and_exactly_even(tmp_path: Path) -> None:
    """The first legal action every time: mirroring takes all luck out."""
    bot = write_bot(tmp_path, "first")
    result = arena(bot, bot, "--deals", "40")
    rows = _rows(result.stdout)[1:]
    assert [row.split()[:4] for row in rows] == [
        ["1", "first#0", "60.00", "±0.00"],
        ["1", "first#1", "60.00", "±0.00"],
    ]
    assert "won" in result.stdout


@pytest.mark.parametrize(
    ("variant", "bots", "column"),
    [("briscola/2", 5, "won"), ("frap/4", 2, "place"), ("briscola/3", 4, "place")],
)
def test_what_is_printed_fits_80_columns(
    tmp_path: Path, variant: str, bots: int, column: str
) -> None:
    """Long names, a clock, and a crosstable where there is more than one table of three or more."""
    game = variant.partition("/")[0]
    long = write_bot(tmp_path, "a" * 32, games=f'["{game}"]')
    result = arena(*[long] * bots, "--variant", variant, "--deals", "1", "--time", "9+9")
    told = result.stdout.split("Play it again")[0]
    assert max(map(len, told.splitlines())) <= 80
    assert column in told
    assert "late" in told
    assert ("Score per deal against each other" in told) == (bots > 2)
    assert ("sits alone" in told) == (bots == 2)


def test_the_variant_is_one_that_all_of_them_play(tmp_path: Path) -> None:
    only = write_bot(tmp_path, "only", games='["tressette-meta-mazzo", "frusta"]')
    assert facts(GREEDY, only, "--deals", "1")["variant"] == "frusta/2"
    other = write_bot(tmp_path, "other", games='["frap/3"]')
    said = arena(only, other, status=2).stderr
    assert "only plays tressette-meta-mazzo, frusta; other plays frap/3" in said


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([RANDOM], "expected at least 2 bots, got 1"),
        ([RANDOM, "nobody"], "got 'nobody'"),
        ([RANDOM, RANDOM, "--variant", "whist/4"], "whist"),
        ([RANDOM, RANDOM, "--time", "fast"], "expected BANK+INCREMENT"),
        ([RANDOM, RANDOM, "--seed", "00"], "64 hexadecimal digits"),
        ([RANDOM, RANDOM, "--deals", "0"], "--deals"),
    ],
)
def test_what_cannot_be_played_is_refused(arguments: list[str], problem: str) -> None:
    result = invoke("arena", *arguments, status=2)
    assert problem in " ".join(result.stderr.split())
    assert result.stdout == ""


def test_late_decisions_are_counted_and_play() -> None:
    found = facts(RANDOM, GREEDY, "--deals", "4", "--limit", "0.0000001")
    assert found["deals_played"] == 4
    for line in found["standings"]:
        assert line["late"] == line["decisions"] == 80


def test_what_bots_print_is_no_output(tmp_path: Path, home: Home) -> None:
    noisy = write_bot(tmp_path, "noisy", act="os.write(1, b'noise'); return view.legal[0]")
    result = home("arena", noisy, RANDOM, "--deals", "1", "--workers", "1", "--json")
    assert result.json["deals_played"] == 4
    assert "noise" in result.err


# Bots that fail


@pytest.mark.parametrize(
    ("act", "problem"),
    [
        ("assert view.number < 7, 'oh'; return view.legal[0]", "AssertionError: oh (bot.py, line"),
        ("assert view.number < 7, 'oh\\nno'; return view.legal[0]", "AssertionError: oh no ("),
        ("return view.unseen[0] if view.number == 7 else view.legal[0]", "not legal"),
    ],
)
def test_a_bot_that_fails_ends_the_arena_and_can_be_watched_doing_it(
    tmp_path: Path, act: str, problem: str
) -> None:
    """Its name, the decision, and a `mazzo play` that comes to the same."""
    bad = write_bot(tmp_path, "bad", act=act)
    result = arena(RANDOM, bad, "--deals", "8", status=1)
    assert result.stdout == ""
    failure, again = result.stderr.splitlines()
    assert failure.startswith("mazzo: bad in seat 1, deal 1, its decision 7: ")
    assert problem in failure
    command = shlex.split(again.removeprefix("Play that match again with: "))
    repeated = invoke(*command[1:], status=1)
    assert failure.removesuffix(".") in repeated.stderr


@pytest.mark.parametrize("pause", [0, 0.3])
@pytest.mark.slow
def test_what_was_played_before_a_bot_failed_is_shown(tmp_path: Path, pause: float) -> None:
    """All of it, however many groups a worker is given at once: fewer where bots are slow."""
    tired = write_tired(tmp_path, pause)
    result = arena(tired, RANDOM, "--deals", "20", "--json", status=1)
    assert "tired in seat 0, deal 2, its decision 21: " in result.stderr
    found = json.loads(result.stdout)
    assert (found["groups_played"], found["groups"]) == (2, 5)
    assert {line["deals"] for line in found["standings"]} == {8}
    table = arena(tired, RANDOM, "--deals", "20", status=1).stdout
    assert "8 of 20 deals" in table


def test_a_process_that_a_bot_forks_answers_nobody(tmp_path: Path) -> None:
    """It goes on as if it were the worker; the figures are those of a bot that forks none."""
    quiet = write_bot(tmp_path, "quiet")
    expected = facts(quiet, RANDOM, "--deals", "8")["standings"]
    write_bot(tmp_path, "quiet", act="view.number == 3 and os.fork(); return view.legal[0]")
    assert facts(quiet, RANDOM, "--deals", "8")["standings"] == expected


def test_an_answer_that_nobody_asked_for_is_no_result(tmp_path: Path) -> None:
    code = """import gc
        from multiprocessing.connection import Connection
        from mazzo_server.home.arena.messages import PlayedGroups
        for each in gc.get_objects():
            if isinstance(each, Connection):
                each.send(PlayedGroups(groups=((10**9, ()),)))
        return view.legal[0]"""
    forger = write_bot(tmp_path, "forger", act=code)
    assert "answered what nobody asked" in arena(RANDOM, forger, "--deals", "8", status=1).stderr


@pytest.mark.parametrize(
    ("act", "how"),
    [
        ("os._exit(7)", "with exit status 7, while it played a match"),
        ("os.kill(os.getpid(), 9)", "by signal 9, perhaps since memory ran out, while it played"),
        ("(os.fork() or time.sleep(60)) and os._exit(7)", "with exit status 7"),
    ],
)
def test_a_process_that_ends_is_reported_with_the_match_that_it_was_at(
    tmp_path: Path, act: str, how: str
) -> None:
    """Promise: never a hang, also where a process that the bot has forked goes on."""
    code = f"view.seat == 0 and view.number == 3 and {act}; return view.legal[0]"
    bad = write_bot(tmp_path, "bad", act=code)
    failure, again = arena(RANDOM, bad, "--deals", "1", status=1).stderr.splitlines()
    assert how in failure
    assert f"--bots {bad},{RANDOM} --draws seats --seating " in again


@pytest.mark.parametrize(
    ("text", "status", "part"),
    [
        ("raise ValueError('not today')", 1, "bot bad cannot be loaded: ValueError: not today"),
        ("import os; os._exit(0)", 1, "exit status 0, while it loaded {bad}"),
        ("from mazzo import Bot", 2, "expected one class"),
        (
            "from mazzo import Bot\nclass Bad(Bot):\n"
            "    def act(self, view):\n        raise KeyboardInterrupt",
            1,
            "a bot raised KeyboardInterrupt",
        ),
    ],
)
def test_a_bot_that_cannot_be_loaded_is_named(
    tmp_path: Path, text: str, status: int, part: str
) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text(text + "\n")
    assert part.format(bad=bad) in arena(RANDOM, bad, status=status).stderr


_PIDS = """with open({pids!r}, 'a') as file:
            if os.environ.setdefault('STARTED', 'no') == 'no':
                import subprocess
                os.environ['STARTED'] = str(subprocess.Popen(['sleep', '600']).pid)
            print(os.getpid(), os.environ['STARTED'], file=file)
        return view.legal[0]"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_who_stops_sees_what_was_played_and_leaves_no_process(
    tmp_path: Path, home: Home, number: signal.Signals
) -> None:
    """And the command that plays all of it; whatever the bots have started ends, too.

    So does who closes the terminal.
    """
    pids = tmp_path / "pids"
    slow = write_bot(tmp_path, "slow", act=_PIDS.format(pids=str(pids)))
    process = home.start(
        *("arena", slow, RANDOM, "--deals", "1000000", "--seed", SEED, "--workers", "2")
    )
    # Four are two workers, and what each has started.
    until(
        lambda: (
            pids.exists()
            and pids.read_text().count("\n") > 400
            and len(set(pids.read_text().split())) == 4
        ),
        process,
    )
    stopped = kill(process, number)
    assert stopped.status == 130, stopped
    assert "mazzo: interrupted" in stopped.err
    assert " of 1,000,000 deals" in stopped.out
    assert f"--deals 1000000 --seed {SEED}" in stopped.out.splitlines()[-1]
    known = {int(word) for word in pids.read_text().split()}
    until(lambda: not any("".join(command_of(pid)) for pid in known))


def test_no_worker_outlives_a_command_that_is_killed(tmp_path: Path, home: Home) -> None:
    """Also one whose bot never answers."""
    pids = tmp_path / "pids"
    code = f"""open({str(pids)!r}, 'a').write(f'{{os.getpid()}}\\n')
        time.sleep(600)"""
    process = home.start("arena", write_bot(tmp_path, "stuck", act=code), RANDOM, "--workers", "2")
    until(lambda: pids.exists() and pids.read_text().count("\n") == 2, process)
    process.kill()
    process.communicate()
    until(lambda: not any("".join(command_of(int(pid))) for pid in pids.read_text().split()))


def test_who_stops_is_told_of_a_match_that_goes_on_and_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a bot that never answers can be watched doing it."""
    monkeypatch.setattr(Crew, "find_long_matches", partialmethod(Crew.find_long_matches, 0.0))
    code = "os.kill(os.getppid(), 15); time.sleep(600)"
    stuck = write_bot(tmp_path, "stuck", act=code)
    told, stopped = arena(stuck, RANDOM, "--deals", "4", status=130).stderr.splitlines()
    assert stopped == "mazzo: interrupted"
    said, _, again = told.partition(" s: ")
    assert said.startswith("mazzo: a match has gone on for ")
    assert f"--bots {stuck},{RANDOM} --draws seats --seating 0 --seed " in again


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_who_stops_is_told_of_a_bot_that_hangs_while_it_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    """Once, whatever the number of processes that load it, and nothing of results."""
    monkeypatch.setattr(Crew, "find_slow_bots", partialmethod(Crew.find_slow_bots, 0.0))
    hangs, first = tmp_path / "hangs.py", tmp_path / "first"
    hangs.write_text(
        "import os, time\n"
        f"try:\n    os.mkdir({str(first)!r})\n"
        "except FileExistsError:  # the other process loads it as well\n"
        "    os.kill(os.getppid(), 15)\n"
        "time.sleep(60)\n"
    )
    said = arena(RANDOM, hangs, *options, workers=2, status=130)
    told, stopped = said.stderr.splitlines()
    assert said.stdout == ""
    assert told.startswith(f"mazzo: {hangs} has been loading for ")
    assert stopped == "mazzo: interrupted"


def test_a_table_grows_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the deals, how many a second, and the rows so far; gone when it is over."""
    screen = StringIO()
    terminal = Console(file=screen, force_terminal=True, width=80, _environ={"TERM": "xterm"})
    monkeypatch.setattr(arena_module, "error_console", terminal)
    clock = itertools.count(0.0, 1.0)
    monkeypatch.setattr(arena_module, "monotonic", lambda: next(clock))
    arena(RANDOM, GREEDY, "--deals", "40")
    shown = screen.getvalue()
    assert "a second" in shown
    assert "score/deal" in shown
    assert "/40" in shown
