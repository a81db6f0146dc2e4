"""Remote bots as their authors run them: the same file, a key, and a server somewhere."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from cli.server.test_serve import stop
from support.command import Home, kill, until
from support.sample_bots import enter, write_bot

pytestmark = pytest.mark.slow

# Slow enough to be interrupted in the middle of a match.
SLOW = "time.sleep(0.02); return view.legal[0]"


@contextmanager
def at_home(
    home: Home, bot: Path, address: str, key: str
) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A bot's program on its author's machine, and the file of what it says."""
    said = bot / "said"
    variables = {"MAZZO_ADDRESS": address, "MAZZO_KEY": key}
    with said.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "bot.py"],
            cwd=bot,
            env=home.environment() | variables,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
        try:
            yield process, said
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def says(process: subprocess.Popen[bytes], said: Path, text: str) -> None:
    """Wait until the program has said it."""
    until(lambda: text in said.read_text() or process.poll() is not None)
    assert text in said.read_text()


def ended(process: subprocess.Popen[bytes], said: Path, status: int) -> list[str]:
    """Wait for the end of the program; what it said, line by line."""
    assert process.wait(timeout=60) == status, said.read_text()
    assert "Traceback" not in said.read_text()
    return said.read_text().splitlines()


def registered(home: Home, name: str = "far", *arguments: str) -> str:
    """A remote bot; its key."""
    register = ("bots", "register", name, "--game", "briscola/2", *arguments, "--json")
    answer = home.inside(*register).json
    assert (answer["bot"]["remote"], answer["bot"]["connected"]) == (True, False)
    return str(answer["key"])


def test_the_same_file_plays_here_and_there(home: Home, tmp_path: Path) -> None:
    """Registered, started with its key, listed, played, and gone with Ctrl-C."""
    bot = write_bot(tmp_path, "near")
    home("bots", "submit", bot, "--isolation", "none")
    key = registered(home)
    assert "remote, away" in home.inside("bots", "list").out
    with serving(home) as (server, address):
        client = Home(home.path, {"MAZZO_SERVER": f"unix:{tmp_path / 's'}"})
        with at_home(home, bot, address, key) as (process, said):
            says(process, said, f"mazzo: connected to {address} as far, waiting for a tournament")
            # It says so a moment before it has joined.
            until(lambda: "remote, connected" in client.inside("bots", "show", "far").out)
            run = ("tournament", "run", "briscola/2", "--groups", "3", "--isolation", "none")
            mirrored = client.inside(*run, "--bots", "far,near", status=2)
            assert "--allow-remote-mirror" in mirrored.err
            played = client(
                *run, "--bots", "far,near", "--mirror", "off", "--grace", "3", "--json"
            ).json
            assert played["clock_seconds"]["grace"] == 3
            assert [one["remote"] for one in played["entrants"]] == [True, False]
            assert played["matches_played"] == 3
            assert not played["standings"]["faults"]
            says(process, said, "mazzo: waiting for the next tournament")
            process.send_signal(signal.SIGINT)
            lines = ended(process, said, 130)
            assert [line.partition(" to ")[0] for line in lines] == [
                "mazzo: connected",
                "mazzo: playing",
                "mazzo: waiting for the next tournament",
            ]
        until(lambda: "remote, away" in client.inside("bots", "list").out)
        assert key not in (stop(server) + said.read_text())


@contextmanager
def serving(home: Home, port: str = "0") -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A server at a port and at the socket `s` beside the home, without isolation."""
    addresses = ("--listen", f"unix:{home.path.parent / 's'}", "--listen", f"127.0.0.1:{port}")
    process = home.start("serve", *addresses, "--isolation", "none")
    assert process.stdout is not None
    try:
        process.stdout.readline()
        address = process.stdout.readline().decode().split()[-1]
        assert re.fullmatch(r"127\.0\.0\.1:\d+", address)
        yield process, address
    finally:
        kill(process)


def test_an_embedded_platform_sends_the_organiser_to_a_server(home: Home, tmp_path: Path) -> None:
    """Nobody could dial in to a command."""
    enter(home, write_bot(tmp_path, "near"))
    registered(home)
    run = ("tournament", "run", "briscola/2", "--mirror", "off", "--isolation", "none")
    refused = home.inside(*run, "--bots", "far,near", status=2)
    assert "far plays from another machine" in refused.err
    assert "mazzo serve" in refused.err
    assert home.inside("tournament", "list", "--json").json == []


def test_a_key_that_is_not_taken_ends_the_program(home: Home, tmp_path: Path) -> None:
    """Wrong, or revoked while the bot waits: status 2, in words, and no second attempt."""
    key = registered(home)
    bot = write_bot(tmp_path, "bot")
    with serving(home) as (_, address):
        client = Home(home.path, {"MAZZO_SERVER": f"unix:{tmp_path / 's'}"})
        with at_home(home, bot, address, key[:-1] + "_") as (process, said):
            (line,) = ended(process, said, 2)
            assert "does not take this key: it was mistyped, revoked or replaced. Who" in line
            assert key[:-1] not in line
        for no_key in ("è" + key, f"{key}\n{key}"):
            with at_home(home, bot, address, no_key) as (process, said):
                (line,) = ended(process, said, 2)
                assert "mazzo bots register" in line
                assert key not in line
        with at_home(home, bot, address, f" {key}\n") as (process, said):  # from a file, perhaps
            says(process, said, "waiting")
            renewed = client.inside("bots", "register", "far", "--new-key").out.splitlines()[-1]
            *_, line = ended(process, said, 2)
            assert "revoked" in line
        with at_home(home, bot, address, renewed) as (process, said):
            says(process, said, "waiting")
    with_both = home.inside("bots", "register", "far", "--new-key", "--capacity", "2", status=2)
    assert "register it twice" in with_both.err


def test_what_is_not_set_is_named(home: Home, tmp_path: Path) -> None:
    """A program that nobody told where to play."""
    bot = write_bot(tmp_path, "bot")
    with at_home(home, bot, "", "key") as (process, said):
        (line,) = ended(process, said, 2)
        assert {"MAZZO_ADDRESS", "MAZZO_TOKEN", "MAZZO_KEY"} <= set(
            re.findall("MAZZO_[A-Z]+", line)
        )
    with at_home(home, bot, "nowhere", "key") as (process, said):
        (line,) = ended(process, said, 2)
        assert "MAZZO_ADDRESS: expected HOST:PORT" in line


def test_ctrl_c_in_a_match(home: Home, tmp_path: Path) -> None:
    """The first says what a second one costs; the second one goes at once."""
    enter(home, write_bot(tmp_path, "near"))
    key = registered(home)
    bot = write_bot(tmp_path, "bot", act=SLOW)
    with serving(home) as (_, address):
        client = Home(home.path, {"MAZZO_SERVER": f"unix:{tmp_path / 's'}"})
        with at_home(home, bot, address, key) as (process, said):
            says(process, said, "waiting")
            run = client.start(
                *("tournament", "run", "briscola/2", "--mirror", "off", "--isolation", "none"),
                *("--bots", "far,near", "--groups", "20", "--concurrency", "1"),
                *("--start-up", "3", "--json"),
            )
            says(process, said, "playing")
            process.send_signal(signal.SIGINT)
            says(process, said, "plays on until this part of the tournament is over, then leaves")
            process.send_signal(signal.SIGINT)
            ended(process, said, 130)
            out, err = run.communicate(timeout=60)
            assert run.returncode == 0, err
            assert b"nobody dialled in within 3 s" in out


def test_a_server_that_was_killed_plays_on_with_other_cards(home: Home, tmp_path: Path) -> None:
    """The bot dials in again by itself; what was finished is there once."""
    enter(home, write_bot(tmp_path, "near"))
    key = registered(home)
    bot = write_bot(tmp_path, "bot", act=SLOW)
    run = ("tournament", "run", "briscola/2", "--mirror", "off", "--isolation", "none")
    with serving(home) as (server, address):
        client = Home(home.path, {"MAZZO_SERVER": f"unix:{tmp_path / 's'}"})
        with at_home(home, bot, address, key) as (process, said):
            says(process, said, "waiting")
            playing = client.start(
                *run, "--bots", "far,near", "--groups", "4", "--concurrency", "1"
            )
            until(lambda: len(home.stored_matches()) >= 1, server)
            kill(server)
            kill(playing)
            says(process, said, "connection lost")
            with serving(home, address.rpartition(":")[2]):
                says(process, said, "back")
                resumed = client("tournament", "resume", "1", "--json").json
                assert (resumed["state"], resumed["matches_played"]) == ("finished", 4)
                assert not resumed["standings"]["faults"]
            stored = home.stored_matches()
            assert len(stored) == len(set(stored)) == 4
            with closing(sqlite3.connect(home.path / "mazzo.db")) as store:
                attempts = [n for (n,) in store.execute("SELECT attempt FROM matches")]
            # One was being played; the one before it was over and may not have been stored yet.
            assert sorted(attempts) in ([0, 0, 0, 1], [0, 0, 1, 1])
