"""What is offered at the cursor, as the scripts of the shells ask for it."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

import psycopg
import pytest
import typer.main

from mazzo.games import GAMES
from mazzo_server.cli.app import app
from mazzo_server.cli.shell.completion import platform
from mazzo_server.cli.shell.completion.shells import answer_shell
from mazzo_server.model import TournamentRequest
from mazzo_server.storage import Timetable, TournamentStatus, open_store
from support.club import HOSTILE, fill
from support.command import SECONDS, Home
from support.postgres import Databases
from support.sample_bots import write_bot
from support.served import serving

COMMAND = typer.main.get_command(app)  # the same for every question, as making it takes a moment

# Arguments and options whose values nobody can list, by what stands for the value in the help.
LISTED_BY_NOBODY = {
    "ADDRESS": "of a server: anywhere",
    "HOST:PORT": "anywhere, too",
    "FILE": "the shell completes files, for nothing is offered",
    "FILE.svg": "so it does",
    "URL": "of pages: anywhere",
    "FILE|-": "so it does",
    "[FILE|-]": "so it does",
    "TEXT": "free text",
    "HEX": "a seed",
    "WHEN": "a day or an age",
    "N": "a number",
    "K": "a number",
    "P": "a probability",
    "DAYS": "a number",
    "SECONDS": "a number",
    "DECISION": "a number",
    "BASE+INCREMENT": "two numbers",
    "LOW HIGH": "two numbers",
    "NAME=N,…": "numbers",
}
# Those of one command, where the same word stands for what can be listed elsewhere.
NEW_NAMES = {
    ("mazzo new", "name"): "the name of what is made",
    ("mazzo arena", "keep"): "where it is kept, mostly a new folder; shells know the others",
    ("mazzo web export", "folder"): "the same",
    ("mazzo auth create", "name"): "the name of a person",
    ("mazzo auth revoke", "token_id"): "only organisers may know tokens",
    ("mazzo hooks remove", "hook_id"): "only organisers may know hooks",
    ("mazzo hooks show", "hook_id"): "only organisers may know hooks",
    ("mazzo hooks test", "hook_id"): "only organisers may know hooks",
    ("mazzo ladder create", "share"): "a part of the processors",
    ("mazzo tournament watch", "run"): "what a report has told",
}


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Look, but leave it as it is."""
    home = Home(tmp_path_factory.mktemp("club") / "home")
    fill(home)
    return home


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers may take longer on a busy machine; a test of its own measures that."""
    monkeypatch.setattr(platform, "SERVER_SECONDS", SECONDS)
    monkeypatch.setattr(platform, "STORE_SECONDS", SECONDS)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without a bot."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def ask(home: Home, variables: dict[str, str]) -> str:
    """The answer in this process, as starting one takes longer than the answer."""
    out = StringIO()
    environment = home.environment() | variables
    with mock.patch.dict(os.environ, environment, clear=True), redirect_stdout(out):
        assert answer_shell(COMMAND) in (0, 1)
    return out.getvalue()


def fish(line: str, action: str = "get-args") -> dict[str, str]:
    return {
        "_MAZZO_COMPLETE": "complete_fish",
        "_TYPER_COMPLETE_FISH_ACTION": action,
        "_TYPER_COMPLETE_ARGS": line,
    }


def zsh(line: str) -> dict[str, str]:
    return {"_MAZZO_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": line}


def bash(*words: str) -> dict[str, str]:
    """The words as bash has them: cut at `=` and `:`, with their quotes."""
    return {
        "_MAZZO_COMPLETE": "complete_bash",
        "COMP_WORDS": "\n".join(("mazzo", *words)),
        "COMP_CWORD": str(len(words)),
    }


def offered(home: Home, line: str) -> dict[str, str]:
    """The words that are offered for the last one of a line, with what they are."""
    lines = ask(home, fish(f"mazzo {line}")).splitlines()
    pairs = (each.partition("\t") for each in lines if each)
    return {word: text for word, _, text in pairs}


def test_bots_are_offered_and_retired_ones_where_they_can_be_seen(club: Home) -> None:
    assert offered(club, "bots show ") == {"ann": "", "bob": "", "cleo": "retired"}
    assert [*offered(club, "matches --bot b")] == ["bob"]
    assert [*offered(club, "matches --bot ann --opponent ")] == ["ann", "bob", "cleo"]
    assert [*offered(club, "rankings explain ")] == ["ann", "bob", "cleo"]
    assert [*offered(club, "tournament add 2 ")] == ["ann", "bob"]
    assert [*offered(club, "tournament run briscola/2 --hero ")] == ["ann", "bob"]


def test_of_a_list_the_last_name_is_completed_and_none_is_offered_twice(club: Home) -> None:
    run = "tournament run briscola/2 --bots"
    assert [*offered(club, f"{run} ")] == ["ann", "bob"]
    assert [*offered(club, f"{run} ann,")] == ["ann,bob"]
    assert [*offered(club, f"{run} bob,ann,")] == []
    assert [*offered(club, f"{run}=ann,b")] == ["--bots=ann,bob"]
    assert [*offered(club, f"{run} 'ann*2,")] == ["ann*2,bob"]
    assert [*offered(club, "play briscola/4 --bots 'greedy*2,ra")] == ["greedy*2,random"]
    assert [*offered(club, "play briscola/4 --bots 'greedy*2,gr")] == []


def test_versions_are_those_of_the_bot(club: Home) -> None:
    assert [*offered(club, "bots trial bob --version ")] == ["2", "1"]
    assert offered(club, "bots activate ann ") == {
        "newest": "the newest one that is qualified",
        "1": "passed its trial",
    }
    assert [*offered(club, "bots activate nobody ")] == ["newest"]


def test_variants_are_offered_and_after_a_question_mark_their_options(club: Home) -> None:
    every = [f"{game.id}/{players}" for game in GAMES.values() for players in game.players]
    assert [*offered(club, "play ")] == every
    assert [*offered(club, "tournament run ")] == every
    assert [*offered(club, "matches --variant frap/1")] == ["frap/10", "frap/11", "frap/12"]
    assert [*offered(club, "play briscola/4?ta")] == [
        "briscola/4?talk=public",
        "briscola/4?talk=signal",
        "briscola/4?talk=off",
    ]
    assert [*offered(club, "play 'briscola/4?talk=off&")] == [
        "briscola/4?talk=off&leak=0.25",
        "briscola/4?talk=off&tie=replay",
        "briscola/4?talk=off&tie=last-trick",
    ]
    assert [*offered(club, "play briscola/2?t")] == [
        "briscola/2?tie=replay",
        "briscola/2?tie=last-trick",
    ]
    assert offered(club, "play nonsense?") == {}


def test_options_of_the_game_follow_the_variant(club: Home) -> None:
    assert [*offered(club, "play frusta/2 --option ")] == ["follow=strict", "follow=free-discard"]
    assert [*offered(club, "tournament plan briscola/4 --option talk=off --option t")] == [
        "tie=replay",
        "tie=last-trick",
    ]
    assert [*offered(club, "play frusta/2 --human ")] == ["0", "1"]
    assert [*offered(club, "play frusta/2 --show ")] == ["all", "0", "1"]
    assert [*offered(club, "play briscola/2 --draws ")] == [*GAMES["briscola"].draw_modes]
    assert [*offered(club, "tournament run frusta/2 --match ")] != []
    assert offered(club, "play nonsense --human ") == {}


def test_games_are_offered(club: Home) -> None:
    assert [*offered(club, "games bri")][:2] == ["briscola", "briscola-chiamata"]
    assert [*offered(club, "new my-bot --game fru")] == ["frusta", "frusta/2"]
    assert [*offered(club, "rankings fru")] == ["frusta", "frusta/2"]
    assert [*offered(club, "rankings exp")] == ["explain"]


def test_tournaments_are_offered_with_state_and_name(club: Home) -> None:
    found = offered(club, "tournament show ")
    assert [*found] == ["2", "1"]
    assert found["1"] == "finished: Spring"
    assert found["2"].startswith("created: x")
    for line in ("prune --tournament ", "bots logs ann --tournament ", "matches --tournament "):
        assert [*offered(club, line)] == ["2", "1"]


def test_open_tournaments_are_offered_with_what_is_played(home: Home) -> None:
    """Those that are not over; a hostile name comes to no shell."""
    fill(home)
    request = TournamentRequest(variant="briscola/2", isolation="none")
    with closing(open_store(home.path / "mazzo.db")) as store:
        for name in ("", "Cup", HOSTILE, "gone"):
            made = replace(request, name=name)
            store.add_open_tournament(made, Timetable(start_with=2), create_time=1.0)
        store.call_off(4, time=1.0)
    for command in ("enter", "leave", "call-off", "entries"):
        found = offered(home, f"tournament {command} ")
        assert [*found] == ["1", "2", "3"]
        assert (found["1"], found["2"]) == ("briscola/2", "briscola/2: Cup")
        assert found["3"].startswith("briscola/2: x")
    assert [*offered(home, "tournament enter 1 ")] == ["ann", "bob"]
    assert [*offered(home, "tournament open briscola/2 --every ")] == ["day", "week"]


def test_matches_are_offered_that_can_be_shown(club: Home) -> None:
    every = [f"1/{group}/0" for group in reversed(range(12))]
    found = offered(club, "replay show ")
    assert sorted(found) == sorted(every)
    assert set(found.values()) == {"briscola/2"}
    assert sorted(offered(club, "replay export 1/1")) == ["1/1/0", "1/10/0", "1/11/0"]
    assert offered(club, "replay show 2/") == {}
    assert sorted(offered(club, "matches --after 1/3")) == ["1/3/0"]
    assert sorted(offered(club, "tournament rerun 1 --match 3")) == ["3/0"]
    assert offered(club, "replay show x/") == {}


def test_what_became_of_a_tournament_is_told(home: Home) -> None:
    """One that nobody plays any more is interrupted; records that are gone can not be shown."""
    fill(home)
    with closing(open_store(home.path / "mazzo.db")) as store:
        store.prune(1)
        store.set_status(2, TournamentStatus.RUNNING)
    assert offered(home, "replay show ") == {}
    assert offered(home, "tournament resume ")["2"].startswith("interrupted: x")
    with closing(open_store(home.path / "mazzo.db")) as store:
        claim = store.claim(2)
        assert claim is not None
        assert offered(home, "tournament pause ")["2"].startswith("running: x")
        claim.release()


def test_options_and_their_words_are_offered(club: Home) -> None:
    assert "--mirror" in offered(club, "tournament run briscola/2 --m")
    assert "rotations" in offered(club, "tournament run briscola/2 --mirror ")
    assert [*offered(club, "tournament run briscola/2 --pairing=sw")] == ["--pairing=swiss"]
    assert "none" in offered(club, "bots submit x --isolation ")
    assert "node" in offered(club, "new x --lang ")


def test_every_help_can_be_offered(club: Home) -> None:
    """As Typer takes brackets in them for markup, which may be wrong."""
    for name, command in walk(COMMAND, ""):
        assert all(offered(club, f"{name} --").values()), name
        if getattr(command, "commands", {}) and name != "rankings":
            assert offered(club, f"{name} ").keys() == command.commands.keys()


def test_bots_at_home_are_folders_programs_and_sample_bots(club: Home, elsewhere: Path) -> None:
    write_bot(elsewhere, "my-bot")
    write_bot(elsewhere / "bots", "other")
    write_bot(elsewhere, ".hidden")
    (elsewhere / "notes").mkdir()
    (elsewhere / "mine.py").touch()
    (elsewhere / "my.zip").touch()
    assert [*offered(club, "arena my")] == ["my-bot"]
    assert [*offered(club, "arena greedy m")] == ["mine.py", "my-bot"]
    assert offered(club, "arena gre") == {"greedy": "sample bot"}
    assert [*offered(club, "arena bots/")] == ["bots/other"]
    assert [*offered(club, "play frusta/2 --bots greedy,./m")] == [
        "greedy,./mine.py",
        "greedy,./my-bot",
    ]
    assert [*offered(club, "replay rerun 1/0/0 --with my")] == ["my-bot"]
    assert [*offered(club, "check ")] == ["my-bot", "my.zip"]
    assert [*offered(club, "bots submit .h")] == [".hidden"]
    assert offered(club, "check not/there/") == {}


def test_every_argument_and_option_is_completed_that_can_be() -> None:
    """Whatever is new has a completer, or a reason in the lists above."""
    without, metavars = set(), set()
    for name, command in walk(COMMAND, "mazzo"):
        for item in command.params:
            if getattr(item, "is_flag", False) or item._custom_shell_complete is not None:
                continue
            metavar = item.metavar or ""
            if metavar in LISTED_BY_NOBODY:
                metavars.add(metavar)
            elif not item.name.endswith("_completion"):  # Typer's own
                without.add((name, item.name))
    assert without == NEW_NAMES.keys()
    assert metavars == LISTED_BY_NOBODY.keys()


def walk(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Every command and group by its full name."""
    yield name, command
    for word, inner in getattr(command, "commands", {}).items():
        yield from walk(inner, f"{name} {word}".strip())


def test_where_a_file_is_expected_the_shell_completes_it(club: Home, elsewhere: Path) -> None:
    """It does so where nothing is offered, with all that it knows of files."""
    (elsewhere / "records.jsonl").touch()
    for line in (
        "deal run ",
        "replay verify rec",
        "bots list --ca=",
        "replay export 1/0/0 --output ",
    ):
        assert offered(club, line) == {}
        assert ask(club, fish(f"mazzo {line}", "is-args")) == ""
    assert ask(club, bash("deal", "run", "")).strip() == ""
    assert ask(club, zsh("mazzo deal run ")).strip() == "_files"
    assert ask(club, zsh("mazzo bots list --ca=re")).strip() == "compset -P 1 '*='; _files"


def test_fish_is_told_whether_there_is_anything(club: Home) -> None:
    environment = club.environment()
    for line, status in (("mazzo bots show a", 0), ("mazzo deal run ", 1)):
        with mock.patch.dict(os.environ, environment | fish(line, "is-args"), clear=True):
            assert answer_shell(COMMAND) == status


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("bots", "show", ""), ["ann", "bob", "cleo"]),
        (("tournament", "run", "x", "--bots", "="), ["ann", "bob"]),
        (("tournament", "run", "x", "--bots", "=", "ann,b"), ["ann,bob"]),
        (("play", "briscola/4?talk", "="), ["public", "signal", "off"]),
        (("play", "briscola/4?talk", "=", "o"), ["off"]),
        (("play", r"briscola/4\?talk", "=", "o"), ["off"]),
        (("play", "briscola/4?talk=o"), [r"briscola/4\?talk=off"]),
        (("play", "'briscola/4?talk=o"), ["briscola/4?talk=off"]),
        (("matches", "--variant", "=", "briscola/4?talk", "=", "o"), ["off"]),
        (("play", "briscola/4", "--option", "talk", "=", "s"), ["signal"]),
        (("bots", "list", "--server", "localhost", ":", "1", "--j"), ["--json"]),
        (("replay", "show", "1/11"), ["1/11/0"]),
        (("play", "frusta/2", "--bots", "greedy*1,ra"), [r"greedy\*1,random"]),
        (("play", "frusta/2", "--bots", '"greedy*1,ra'), ["greedy*1,random"]),
    ],
)  # fmt: skip
def test_bash_gets_what_takes_the_place_of_the_word_as_it_cuts_words(
    club: Home, words: Sequence[str], expected: list[str]
) -> None:
    assert ask(club, bash(*words)).splitlines() == expected


def test_bash_gets_names_of_files_with_their_quotes(club: Home, elsewhere: Path) -> None:
    write_bot(elsewhere, "it").rename(elsewhere / "it's $1")
    assert ask(club, bash("check", "it")).splitlines() == [r"it\'s\ \$1"]
    assert ask(club, bash("check", "it", "--verbose")).splitlines() == ["--verbose"]
    assert ask(club, bash("check", "'it")).splitlines() == [""]


def test_zsh_gets_code_in_which_nothing_of_a_stranger_is_evaluated(club: Home) -> None:
    code = ask(club, zsh("mazzo tournament show "))
    assert code.startswith("local -a offers; offers=(")
    assert code.endswith("); _describe -V word offers\n")
    assert r"'deals\:2:usual'" in ask(club, zsh("mazzo play frusta/2 --match "))
    # The same words for every shell with single quotes.
    offers = shlex.split(code.partition("(")[2].rpartition(")")[0])
    assert [offer.partition(":")[0] for offer in offers] == ["2", "1"]
    ran = subprocess.run(["sh", "-c", f"set -- {shlex.join(offers)}"], capture_output=True)
    assert ran.returncode == 0


@pytest.mark.parametrize("action", ["get-args", "is-args"])
@pytest.mark.parametrize("line", ["tournament show ", "prune --tournament "])
def test_names_of_strangers_are_harmless_in_every_shell(club: Home, line: str, action: str) -> None:
    assert "\x1b" in HOSTILE
    found = ask(club, fish(f"mazzo {line}", action)) + ask(club, zsh(f"mazzo {line}"))
    assert all(char.isprintable() or char in "\n\t" for char in found)
    assert "[" not in found.replace("[...]", "")
    assert ask(club, bash(*line.split(), "")).split() == ["2", "1"]


def test_nothing_is_made_where_there_is_no_home(home: Home) -> None:
    for line in ("bots show ", "tournament show ", "replay show ", "bots trial x --version "):
        assert offered(home, line) == {}
    assert not home.path.exists()


@pytest.mark.parametrize("content", [b"", b"no store at all"])
def test_what_is_no_store_stays_as_it_is(home: Home, content: bytes) -> None:
    home.path.mkdir()
    (home.path / "mazzo.db").write_bytes(content)
    assert offered(home, "bots show ") == {}
    assert home.files() == {"mazzo.db": content}


def test_a_store_is_only_read(club: Home) -> None:
    before = club.files()
    for line in ("bots show ", "tournament show ", "replay show ", "bots trial bob --version "):
        assert offered(club, line)
    assert club.files() == before


def test_a_database_without_a_store_gets_none(home: Home, databases: Databases) -> None:
    with databases.database() as address:
        away = Home(home.path, {"MAZZO_DATABASE_URL": address})
        assert offered(away, "bots show ") == {}
        with closing(psycopg.connect(address)) as connection:
            found = connection.execute("SELECT to_regclass('tournaments')").fetchone()
        assert found == (None,)


def test_a_server_is_asked_where_one_is_named(club: Home, tmp_path: Path) -> None:
    away = Home(tmp_path / "away")
    with serving(club, "--isolation", "none") as (_, (address,)):
        for line in (f"bots show --server {address} ", f"bots show --server={address} "):
            assert offered(away, line) == {"ann": "", "bob": "", "cleo": "retired"}
        named = Home(tmp_path / "away", {"MAZZO_SERVER": address})
        assert [*offered(named, "bots trial bob --version ")] == ["2", "1"]
        assert offered(named, "bots activate ann ")["1"] == "passed its trial"
        assert offered(named, "tournament show 1") == {"1": "finished: Spring"}
        assert len(offered(named, "replay show ")) == 12
        assert [*offered(named, "tournament rerun 1 --match 3")] == ["3/0"]
        assert [*offered(named, "tournament run briscola/2 --bots ")] == ["ann", "bob"]
    assert not away.path.exists()


def test_a_server_is_shown_the_token_of_the_command_line(home: Home, tmp_path: Path) -> None:
    fill(home)
    token = tmp_path / "token"
    token.write_text(home("auth", "create", "organiser").out)
    with serving(home, "--isolation", "none", "--listen", "127.0.0.1:0") as (_, (address,)):
        line = f"bots show --server {address} "
        assert offered(home, line) == {}
        assert [*offered(home, f"{line} --token-file {token} ")] == ["ann", "bob", "cleo"]


@pytest.fixture
def silent(tmp_path: Path) -> Iterator[str]:
    """The address of a server that takes connections, and says nothing."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        yield f"unix:{tmp_path / 's'}"


def test_the_command_ends_though_a_server_does_not_answer(club: Home, silent: str) -> None:
    answer = Home(club.path, {"MAZZO_SERVER": silent} | fish("mazzo bots show "))()
    assert (answer.out.strip(), answer.err) == ("", "")


@pytest.mark.timing
@pytest.mark.slow
def test_a_server_that_does_not_answer_costs_a_second(
    club: Home, silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "SERVER_SECONDS", 1.0)
    took = []
    for _ in range(3):
        start = time.monotonic()
        assert offered(club, f"bots show --server {silent} ") == {}
        took.append(time.monotonic() - start)
    assert 1.0 < median(took) < 1.5


@pytest.mark.parametrize(
    "variables",
    [
        {"_MAZZO_COMPLETE": "complete_bash"},
        {"_MAZZO_COMPLETE": "complete_bash", "COMP_WORDS": "mazzo", "COMP_CWORD": "x"},
        {"_MAZZO_COMPLETE": "complete_zsh"},
        fish("mazzo bots show 'a\\"),
        fish("mazzo nonsense --nonsense x"),
        fish("mazzo play --seating x x"),
        fish("mazzo bots show --server nonsense "),
        fish("mazzo bots show --token-file not/there --server localhost:1 "),
        fish("mazzo check \x00"),
    ],
)  # fmt: skip
def test_whatever_is_asked_the_answer_is_nothing_and_no_error(
    home: Home, variables: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    variables = {name: text.replace("\x00", "\\0") for name, text in variables.items()}
    assert ask(home, variables).strip() in ("", "_files")
    assert capfd.readouterr() == ("", "")


def test_the_scripts_ask_for_it_by_the_variable_that_is_read(home: Home) -> None:
    """And the command itself answers, with nothing on standard error."""
    for shell in ("bash", "zsh", "fish"):
        variables = {
            "_MAZZO_COMPLETE": f"source_{shell}",
            "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",
        }
        ran = subprocess.run(
            [Path(sys.executable).parent / "mazzo"],
            env=home.environment() | variables,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert f"_MAZZO_COMPLETE=complete_{shell}" in ran.stdout
    answer = Home(home.path, fish("mazzo bots sh"))()
    assert (answer.out.partition("\t")[0], answer.err) == ("show", "")
    for line, status in (("mazzo bots sh", 0), ("mazzo deal run ", 1)):
        assert Home(home.path, fish(line, "is-args"))(status=status).err == ""


def test_what_is_printed_on_the_way_is_not_seen(
    home: Home, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def complain(**given: str) -> None:
        print("Waiting 5 s", file=sys.stderr)
        print("word")
        sys.exit(1)

    for name, text in fish("mazzo ").items():
        monkeypatch.setenv(name, text)
    monkeypatch.setenv("COLUMNS", "80")
    assert answer_shell(complain) == 0
    assert capfd.readouterr() == ("word\n", "")
