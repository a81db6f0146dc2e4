"""Bots of these tests, good and bad."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

from cli.command import Home
from mazzo_server.storage import open_store
from server import stored

__all__ = ["SAMPLES", "SAMPLE_BOTS", "qualify", "write_bot"]

SAMPLE_BOTS = Path(__file__).parents[2] / "sample_bots"
SAMPLES = ("counting", "greedy", "random")

_BOT = """
import os
import sys
import time

from mazzo import Bot, View, run


class Tested(Bot):
    def act(self, view: View):
        {act}


if __name__ == "__main__":
    {main}
"""


def write_bot(
    folder: Path,
    name: str,
    *,
    act: str = "return view.legal[0]",
    main: str = "run(Tested)",
    games: str = '["briscola/2"]',
    capacity: int = 1,
    extra: str = "",
) -> Path:
    """A bot's folder; `act` and `main` are its code, indented as they stand."""
    bot = folder / name
    if bot.exists():
        shutil.rmtree(bot)
    bot.mkdir(parents=True)
    (bot / "bot.py").write_text(_BOT.format(act=act, main=main))
    (bot / "bot.toml").write_text(
        f'name = "{name}"\ngames = {games}\ncommand = ["python", "bot.py"]\n'
        f'capacity = {capacity}\nauthor = "the tests"\nlicence = "Apache-2.0"\n{extra}'
    )
    return bot


def qualify(home: Home, name: str) -> None:
    """Let the newest version of a bot enter what it claims, whatever its trial came to."""
    with closing(open_store(home.path / "mazzo.db")) as store:
        stored.qualify(store, name)
