"""Bots that play in the process of the command: told of their matches, heard, and guarded."""

from __future__ import annotations

from pathlib import Path

import pytest

from mazzo import Bot
from mazzo.games import parse_variant
from mazzo.local import play_match
from mazzo_server.home.bots import HomeBotError, find_home_bot

BRISCOLA = parse_variant("briscola/2")
TOLD = """
from mazzo import Bot

class Told(Bot):
    def on_start(self, started):
        self.seat = started.seat
        1 / {start}

    def act(self, view):
        self.log(f"seat {{self.seat}}")
        return view.legal[0]

    def on_end(self, ended):
        assert ended.started.seat == self.seat
        1 / {end}
"""


def told(folder: Path, *, start: int = 1, end: int = 1) -> list[Bot]:
    """The bot of a file, in both seats; with a zero it fails when a match starts or ends."""
    file = folder / "told.py"
    file.write_text(TOLD.format(start=start, end=end))
    home = find_home_bot(str(file), BRISCOLA)
    return [home.seat(f"told in seat {seat}") for seat in (0, 1)]


def test_what_a_bot_at_home_logs_is_heard(tmp_path: Path) -> None:
    """The guard around it hands on its matches and its notes."""
    match = play_match(BRISCOLA, told(tmp_path), seed=bytes(32), match_format="deals:1")
    assert sorted(match.notes[0]) == ["seat 0"] * 20 + ["seat 1"] * 20


@pytest.mark.parametrize(("hook", "line"), [("start", 7), ("end", 15)])
def test_a_hook_that_fails_is_named(tmp_path: Path, hook: str, line: int) -> None:
    """Like a decision that fails: whose it is, what it was, and where."""
    bots = told(tmp_path, **{hook: 0})
    with pytest.raises(
        HomeBotError,
        match=rf"told in seat 0, on_{hook}: ZeroDivisionError: .* \(told.py, line {line}\)",
    ):
        play_match(BRISCOLA, bots, seed=bytes(32), match_format="deals:1")
