"""`mazzo` alone says what one might do next."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from support.command import Home
from support.sample_bots import enter, write_bot


def commands(home: Home) -> list[str]:
    """Those that are printed, each of which must be one."""
    lines = home.inside().out.splitlines()
    assert lines[-1] == "All commands: mazzo --help"
    assert max(map(len, lines)) <= 80
    found = [line.strip().partition("  ")[0] for line in lines if line.startswith("  ")]
    for command in found:
        mazzo, *words = shlex.split(command)
        assert mazzo == "mazzo"
        assert "Usage:" in home.inside(*words, "--help").out
    return found


def test_whoever_has_nothing_is_told_where_to_begin(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert commands(home) == [
        "mazzo games",
        "mazzo play briscola/2 --human 0",
        "mazzo new my-bot --game briscola",
    ]
    assert not home.path.exists()


def test_beside_a_bot_or_in_it_the_bot_is_what_one_works_on(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = write_bot(tmp_path, "my-bot").rename(tmp_path / "my bot")
    monkeypatch.chdir(tmp_path)
    assert "mazzo check 'my bot'" in commands(home)
    monkeypatch.chdir(bot)
    assert commands(home)[0] == "mazzo check ."


@pytest.mark.slow
def test_where_there_are_bots_tournaments_come_next(home: Home, tmp_path: Path) -> None:
    home.inside("bots", "list")
    enter(home, write_bot(tmp_path, "ann"))
    assert "mazzo tournament run briscola/2" in commands(home)
    looks = [step for step in commands(home) if step.split()[1] in ("bots", "matches", "rankings")]
    assert len(looks) == 3
    for step in looks:  # as they stand
        home.inside(*step.split()[1:])
    away = Home(tmp_path / "away", {"MAZZO_SERVER": "club.example:7770"})
    assert "The server at club.example:7770:" in away.inside().out
    assert "mazzo rankings" in commands(away)
    assert "mazzo tournament list" in commands(away)  # who runs them is its organiser
    assert not any(step.startswith("mazzo tournament run") for step in commands(away))


def test_a_folder_that_is_gone_is_no_error(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert "mazzo games" in commands(home)
