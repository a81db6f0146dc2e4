"""Bars 5 and 6: tournaments end to end, whatever is killed, stopped, crashed or late."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.command import Home, kill, standstill, until
from support.sample_bots import SAMPLES, enter, write_bot
from support.timeless import timeless

pytestmark = pytest.mark.slow

SEED = "5eed" * 16
PLAY = ("tournament", "run", "briscola/2", "--seed", SEED, "--json")
SLOW = "time.sleep(0.004)\n        return view.legal[-1]"  # 0.2 s a match and more


@pytest.fixture(scope="session")
def slow_home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with bots that are slow enough to be caught in mid-tournament."""
    folder = tmp_path_factory.mktemp("slow")
    home = Home(folder / "home")
    enter(home, *(write_bot(folder, name, act=SLOW) for name in ("snail", "tortoise")))
    return home


@pytest.fixture(scope="session")
def whole(slow_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the tournament of the slow bots gives when nobody interrupts it."""
    return timeless(_copy(slow_home, tmp_path_factory.mktemp("whole"))(*INTERRUPTED).json)


INTERRUPTED = (*PLAY, "--groups", "10", "--concurrency", "2")


def _copy(home: Home, folder: Path) -> Home:
    return Home(Path(shutil.copytree(home.path, folder / "home")))


def rows(tournament: Any) -> dict[str, Any]:
    """The rows of the standings by name."""
    return {row["name"]: row for row in tournament["standings"]["rows"]}


def in_the_middle(home: Home, process: Any, *, least: int = 3) -> None:
    """Wait until some matches are stored; the tournament must not be over."""
    until(lambda: home.status_of() is not None and len(home.stored_matches()) >= least, process)


# Bar 5


@pytest.mark.prove
def test_results_do_not_depend_on_concurrency(
    sample_home: Home, copy_home: Callable[[Home, str], Home]
) -> None:
    results = []
    for number in (1, 8):
        home = copy_home(sample_home, f"home-{number}")
        run = home(*PLAY, "--deals", "20", "--concurrency", str(number))
        assert run.err == ""  # progress is for terminals
        assert home.inside("tournament", "show", "1", "--json").out == run.out
        assert home.inside("tournament", "resume", "1", "--json").out == run.out
        results.append(run.json)
    assert timeless(results[0]) == timeless(results[1])
    done = results[0]
    assert done["state"] == "finished"
    assert done["seed"] == SEED
    assert done["seed_chosen"]
    assert done["matches_played"] == done["matches_total"] == 30
    assert sorted(rows(done)) == list(SAMPLES)
    assert done["end_time"] is not None


def test_another_seed_gives_another_tournament(samples: Home) -> None:
    arguments = ("tournament", "run", "briscola/2", "--deals", "8", "--json")
    first, second = (timeless(run(*arguments).json) for run in (samples, samples.inside))
    assert not first["seed_chosen"]
    assert first["seed"] != second["seed"]
    assert first["standings"]["rows"] != second["standings"]["rows"]


def test_logs_of_a_tournament_speak_of_that_one_alone(samples: Home) -> None:
    """Nothing is said of the bot's trial, which may have failed."""
    samples.inside("tournament", "create", "briscola/2")
    told = samples.inside("bots", "logs", "greedy", "--tournament", "1").out
    assert told.startswith("Of tournament 1 there is nothing to tell: if greedy takes part, it ")
    assert "trial" not in told


@pytest.mark.prove
def test_killed_and_resumed_it_gives_the_same(slow_home: Home, tmp_path: Path, whole: Any) -> None:
    """Its bots outlive it for a moment, and disturb nobody."""
    home = _copy(slow_home, tmp_path)
    process = home.start(*INTERRUPTED)
    in_the_middle(home, process)
    os.kill(process.pid, signal.SIGKILL)
    kill(process)
    before = home.stored_matches()
    assert 3 <= len(before) < 20
    shown = home.inside("tournament", "show", "1", "--json").json
    assert shown["state"] == "interrupted"
    assert shown["seed"] == ""  # nobody may know the cards to come
    assert shown["matches_played"] == len(before)
    assert "mazzo tournament resume 1" in home.inside("tournament", "show", "1").out
    resumed = home("tournament", "resume", "1", "--json").json
    assert timeless(resumed) == whole
    after = home.stored_matches()
    assert set(before) < set(after)
    assert len(after) == len(set(after)) == 20


def test_ctrl_c_stops_and_resume_goes_on(slow_home: Home, tmp_path: Path, whole: Any) -> None:
    home = _copy(slow_home, tmp_path)
    process = home.start(*INTERRUPTED)
    in_the_middle(home, process)
    stopped = kill(process, signal.SIGINT)  # a terminal tells the whole group
    assert stopped.status == 130, stopped
    assert "mazzo tournament resume 1" in stopped.err
    assert "Traceback" not in stopped.err
    assert stopped.out == ""
    assert len(home.stored_matches()) < 20
    assert home.inside("tournament", "list", "--json").json[0]["state"] == "interrupted"
    result = home("tournament", "resume", "1", "--json", "--concurrency", "7")
    assert timeless(result.json) == whole
    assert home.inside("tournament", "resume", "1", "--json").out == result.out
    assert "finished" in home.inside("tournament", "resume", "1").out


def test_only_one_process_plays_a_tournament(slow_home: Home, tmp_path: Path, whole: Any) -> None:
    home = _copy(slow_home, tmp_path)
    process = home.start(*INTERRUPTED)
    in_the_middle(home, process)
    with standstill(process):  # which costs no bot its time, for the platform's stalls are its own
        refused = home("tournament", "resume", "1", status=1)
        assert "being played already" in refused.err
        listed = home.inside("tournament", "list", "--json").json
        assert [item["state"] for item in listed] == ["running"]
        assert listed[0]["standings"] is None
        assert 3 <= listed[0]["matches_played"] < 20
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert out.decode() == home.inside("tournament", "show", "1", "--json").out
    assert timeless(home.inside("tournament", "show", "1", "--json").json) == whole


def test_versions_are_pinned(slow_home: Home, tmp_path: Path, whole: Any) -> None:
    home = _copy(slow_home, tmp_path)
    process = home.start(*INTERRUPTED)
    in_the_middle(home, process)
    kill(process)
    enter(home, write_bot(tmp_path, "snail", act="return view.legal[0]"))
    home.inside("bots", "retire", "tortoise")
    assert timeless(home("tournament", "resume", "1", "--json").json) == whole
    home("bots", "submit", write_bot(tmp_path, "tortoise", act=SLOW))
    newer = home.inside(*PLAY, "--deals", "4").json
    assert {item["name"]: item["version"] for item in newer["entrants"]} == {
        "snail": 2,
        "tortoise": 2,
    }
    ranked = home.inside("rankings", "briscola/2", "--json").json[0]
    assert ranked["tournaments"] == 2
    assert {(row["name"], row["version"], row["tournaments"]) for row in ranked["rows"]} == {
        (name, version, 1) for name in ("snail", "tortoise") for version in (1, 2)
    }


# Bar 6

FAULTY = {
    "crasher": {"act": "os._exit(3)"},
    "hanger": {"act": "time.sleep(60)"},
    "cheat": {"act": "return min(set(range(40)) - set(map(int, view.legal)))"},
    "babbler": {"main": "babble()", "act": "pass"},
    "sleeper": {"main": "time.sleep(60)"},
}
_BABBLE = """

def babble():
    import queue

    import grpc

    from mazzo.v1 import play_pb2

    said = queue.SimpleQueue()
    said.put(play_pb2.PlayRequest(join=play_pb2.Join(capacity=1)).SerializeToString())
    channel = grpc.insecure_channel(os.environ["MAZZO_ADDRESS"])
    play = channel.stream_stream("/mazzo.v1.PlayService/Play")
    token = "Bearer " + os.environ["MAZZO_TOKEN"]
    for data in play(iter(said.get, None), metadata=(("authorization", token),)):
        if play_pb2.PlayResponse.FromString(data).frame.decisions:
            said.put(b"\\xff" * 100)


if __name__"""


def _faulty(folder: Path, name: str) -> Path:
    code = FAULTY[name]
    bot = write_bot(folder, name, act=code.get("act", "pass"), main=code.get("main", "run(Tested)"))
    if name == "babbler":
        file = bot / "bot.py"
        file.write_text(file.read_text().replace("\n\nif __name__", _BABBLE))
    return bot


@pytest.fixture(scope="session")
def faulty_home(sample_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The sample bots among faulty ones. A trial waits long for a sleeper: it sleeps later."""
    folder = tmp_path_factory.mktemp("faulty")
    home = _copy(sample_home, folder)
    enter(home, *(_faulty(folder, name) for name in FAULTY if name != "sleeper"))
    return home


def test_faults_are_named_and_the_others_results_stand(faulty_home: Home, tmp_path: Path) -> None:
    home = _copy(faulty_home, tmp_path)
    # It passes its trial, and later never starts: its bundle is spoilt in the store.
    late = write_bot(tmp_path, "sleeper")
    content = home.inside("bots", "submit", late, "--json").json["versions"][0]["content_hash"]
    (home.path / "bundles" / content / "bot.py").write_text("import time\ntime.sleep(60)\n")

    names = ",".join(("greedy", "random", *FAULTY))
    short = ("--time", "60+0", "--limit", "0.5", "--start-up", "3", "--groups", "1")
    done = home(*PLAY, "--bots", names, *short).json
    assert done["state"] == "finished"
    row = rows(done)
    assert set(row) == {"greedy", "random", *FAULTY}
    assert "had not joined after 3 s" in row["sleeper"]["withdrawn"]
    assert row["sleeper"]["rank"] == 0
    named: dict[str, set[str]] = {}
    for fault in done["standings"]["faults"]:
        named.setdefault(fault["name"], set()).add(fault["termination"])
        assert fault["owner"] == "bot"
        assert fault["reason"]
    assert named == {
        "crasher": {"crashed"},
        "hanger": {"out-of-time"},
        "cheat": {"illegal-action"},
        "babbler": {"malformed-answer"},
    }
    for name in named:
        assert row[name]["faults"] > 0
        assert row[name]["losses"] > 0
    for name in ("greedy", "random"):
        assert row[name]["faults"] == 0
        assert row[name]["wins"] >= 4  # over each of those who forfeit
    # Without the faulty ones the two have the same result against each other.
    alone = home.inside(*PLAY, "--bots", "greedy,random", *short).json
    pair = [{"greedy", "random"}] * 2
    found = [
        [cell for cell in item["standings"]["crosstable"] if {cell["name"], cell["opponent"]} == p]
        for item, p in zip((done, alone), pair, strict=True)
    ]
    assert sorted(found[0], key=str) == sorted(found[1], key=str)
    out = home.inside("tournament", "show", "1").out
    assert "Forfeits" in out
    assert "withdrawn" in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.prove
def test_a_crash_at_a_position_costs_the_same_at_every_concurrency(
    sample_home: Home, tmp_path: Path
) -> None:
    moody = write_bot(
        tmp_path,
        "moody",
        act="sum(map(int, view.legal)) % 13 or os._exit(1)\n        return view.legal[0]",
        capacity=16,
    )
    results = []
    for number in (1, 8):
        (tmp_path / str(number)).mkdir()
        home = _copy(sample_home, tmp_path / str(number))
        enter(home, moody)
        arguments = ("--bots", "moody,greedy", "--groups", "5", "--concurrency", str(number))
        results.append(timeless(home(*PLAY, *arguments).json))
    assert results[0] == results[1]
    assert rows(results[0])["moody"]["faults"] > 0


# What else a tournament can be


@pytest.mark.parametrize(
    ("variant", "matches"),
    [("briscola/3", 3), ("briscola/4", 6), ("briscola/4?talk=off", 6), ("briscola/6", 6)],
)
def test_other_forms(samples: Home, variant: str, matches: int) -> None:
    done = samples.inside("tournament", "run", variant, "--groups", "1", "--json").json
    assert done["state"] == "finished"
    assert done["variant"] == variant
    assert done["matches_played"] == done["matches_total"] == matches
    assert done["standings"]["faults"] == []
    ranking = samples.inside("rankings", variant, "--json").json
    assert [row["name"] for row in ranking[0]["rows"]] == [
        row["name"] for row in done["standings"]["rows"]
    ]


def test_options_names_lists_and_rankings(samples: Home) -> None:
    assert samples.inside("tournament", "list", "--json").json == []
    first = samples(
        *("tournament", "run", "briscola/4", "--option", "talk=off", "--bots", "greedy,random"),
        *("--groups", "1", "--mirror", "off", "--match", "deals:1", "--name", "Quiet café"),
        "--json",
    ).json
    assert first["name"] == "Quiet café"
    assert first["variant"] == "briscola/4?talk=off"
    assert (first["mirror"], first["match_format"]) == ("off", "deals:1")
    second = samples.inside(*PLAY, "--match", "target:3", "--groups", "1", "--time", "5+0.5").json
    assert second["id"] == first["id"] + 1
    assert second["clock_seconds"]["bank"] == 5
    samples.inside(*PLAY, "--deals", "4", "--bots", "greedy,random")
    listed = samples.inside("tournament", "list", "--json").json
    assert [item["id"] for item in listed] == [3, 2, 1]
    assert listed[2] == first | {"standings": None}
    assert "Quiet café" in samples.inside("tournament", "list").out
    ranked = samples.inside("rankings", "--json").json
    assert [item["variant"] for item in ranked] == ["briscola/2", "briscola/4?talk=off"]
    played = {row["name"]: row["tournaments"] for row in ranked[0]["rows"]}
    assert played == {"counting": 1, "greedy": 2, "random": 2}
    assert "2 finished tournaments" in samples.inside("rankings", "briscola/2").out


def test_tables_fit_80_columns_with_the_longest_names(samples: Home, tmp_path: Path) -> None:
    names = [f"{'the-bot-with-the-longest-name-at':.31}{letter}" for letter in "abc"]
    enter(samples, *(write_bot(tmp_path, name) for name in names))
    run = ("tournament", "run", "briscola/2", "--groups", "1", "--name", "n" * 100)
    results = [samples(*run)]
    results += [samples.inside(*command) for command in (("tournament", "list"), ("rankings",))]
    for result in results:
        assert max(map(len, result.out.splitlines())) <= 80
    for name in names:
        assert any(name in line for line in results[0].out.splitlines()), results[0].out


@pytest.mark.prove
def test_full_size_results_do_not_depend_on_concurrency(
    sample_home: Home, copy_home: Callable[[Home, str], Home]
) -> None:
    results = []
    for number in (1, 4, 16):
        home = copy_home(sample_home, f"home-{number}")
        done = home(*PLAY, "--deals", "400", "--concurrency", str(number)).json
        assert done["matches_played"] == 600
        results.append(timeless(done))
    assert results[0] == results[1] == results[2]


def test_copies_of_a_bot_play_against_each_other(samples: Home, tmp_path: Path) -> None:
    """Copies: rows, results and a file of their own, and no ranking."""
    run = ("tournament", "run", "briscola/2", "--bots", "greedy*2", "--deals", "4")
    done = samples.inside(*run, "--json").json
    assert done["name"] == "briscola/2: greedy*2"
    assert sorted(rows(done)) == ["greedy", "greedy*2"]
    assert {row["groups"] for row in rows(done).values()} == {1}
    shown = samples.inside("tournament", "show", "1").out
    assert "Copies of one bot play here: the standings are in no ranking." in shown
    assert samples.inside("rankings", "--json").json == []
    told = samples.inside("rankings", "explain", "greedy", "--tournament", "1", status=1).err
    assert "copies of one bot play in tournament 1" in told
    assert (
        "takes part in tournament 1"
        in samples.inside("bots", "delete", "greedy", "--yes", status=1).err
    )
    record, file = tmp_path / "match.jsonl", tmp_path / "cup.zst"
    record.write_text(samples.inside("replay", "export", "1/0/0").out)
    assert "1/0/0: true." in samples.inside("replay", "verify", record).out
    samples.inside("tournament", "export", "1", file)
    other = Home(tmp_path / "other")
    taken = other.inside("tournament", "import", file, "--json").json
    assert taken["standings"] == done["standings"]
