"""Commands that tests run in their own process: they must leave nothing behind."""

from __future__ import annotations

import logging
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from support import command
from support.command import Home
from support.sample_bots import write_bot


def state() -> list[Any]:
    """Of this process, what a command sets up for itself."""
    loggers = [logging.getLogger(name) for name in (None, "mazzo_server")]
    return [
        dict(os.environ),
        [(logger.level, logger.handlers[:]) for logger in loggers],
        [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)],
        signal.getitimer(signal.ITIMER_REAL),
    ]


@pytest.mark.parametrize("arguments", [("bots", "list", "--json"), ("bots", "show", "nobody")])
def test_a_command_leaves_the_process_as_it_was(home: Home, arguments: tuple[str, ...]) -> None:
    before = state()
    home.inside(*arguments, status=None)
    assert state() == before


def test_a_command_knows_nothing_of_whoever_runs_the_tests(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAZZO_SERVER", "unix:/nowhere")
    assert home.inside("bots", "list", "--json").json == []
    assert (home.path / "mazzo.db").exists()


def test_a_command_that_does_not_end_is_ended(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a failure of the one test, rather than of whatever waits for all of them."""
    endless = write_bot(tmp_path, "endless", act="time.sleep(1000)")
    monkeypatch.setattr(command, "SECONDS", 0.5)
    assert home.inside("play", "briscola/2", "--bots", endless, status=None).status == 130
