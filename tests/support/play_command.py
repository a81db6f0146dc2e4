"""`mazzo play` for tests: matches of a fixed seed, in process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from mazzo.game import Deal, Variant
from mazzo.games import GAMES
from mazzo.shuffle import SeededShuffles
from mazzo_server.cli.app import app
from support.command import SECONDS, Home
from support.sample_bots import SAMPLE_BOTS

__all__ = [
    "ANSWERS",
    "ANYTHING",
    "SEED",
    "VARIANTS",
    "invoke",
    "new_deal",
    "play",
    "ranking",
    "said",
    "shell",
]

SEED = bytes(range(32)).hex()
ANYTHING = str(SAMPLE_BOTS / "random" / "bot.py")
VARIANTS = [
    *(f"{game.id}/{game.players[0]}" for game in GAMES.values()),
    *(f"briscola/{players}" for players in (3, 4, 6)),
    *(f"frap/{players}" for players in (5, 12)),
    "briscola/4?leak=0.5&talk=signal",
    "tressette-pizzichino/2?packets=peek&reuse=on",
    "frap/4?blind-draws=on&draw-limit=3",
]
# Whatever is asked, one of these is an answer.
ANSWERS = "1\npass\n0\n2\n3\n4\n5\n6\n7\n" * 2000


def invoke(*arguments: str | Path, data: str | bytes = "", status: int = 0) -> Result:
    """Run `mazzo` in process, which must end with `status` and without a trace of Python."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=data)
    assert result.exit_code == status, (result.output, result.exception)
    assert "Traceback" not in result.output
    assert "\x1b" not in result.output
    return result


def play(variant: str, *arguments: str | Path, bots: str = ANYTHING, **more: Any) -> Result:
    """Play a match of a fixed seed."""
    chosen = ("--bots", bots) if bots else ()
    return invoke("play", variant, *chosen, "--seed", SEED, *arguments, **more)


def shell(home: Home, how: str, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run `mazzo` with its standard streams as a shell redirects them."""
    command = [sys.executable, "-m", "mazzo_server", *arguments]
    return subprocess.run(
        ["sh", "-c", f'exec "$@" {how}', "sh", *command],
        env=home.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


def said(result: Result) -> str:
    """What a command wrote to standard error, on one line and without a frame."""
    return " ".join(result.stderr.split())


def ranking(out: str) -> list[tuple[int, int, str, int]]:
    """The rows of the final table: rank, seat, name, sum of the deals."""
    rows = out.split("rank ")[-1].splitlines()[1:]
    found: list[tuple[int, int, str, int]] = []
    for row in rows:
        if not row.strip():
            return found
        rank, seat, name, *_, total = row.split()
        found.append((int(rank), int(seat), name, int(total)))
    raise AssertionError("the table does not end")


def new_deal(variant: Variant, number: int) -> Deal:
    """A deal that nobody has played yet; `worlds` draws from the top."""
    shuffles = SeededShuffles(bytes.fromhex(SEED), number)
    return variant.game.deal(variant, shuffles, dealer=number % variant.players)
