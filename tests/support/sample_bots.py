"""Bots of these tests, good and bad."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

from mazzo_server.bots.bundles import BundleStore
from mazzo_server.bots.bundles.packing import pack
from mazzo_server.model import KNOWN_GAMES
from mazzo_server.settings import Settings
from mazzo_server.storage import Store, open_store
from support import stored_rows as stored
from support.command import Home

__all__ = ["SAMPLES", "SAMPLE_BOTS", "enter", "keep", "write_bot"]

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


def enter(home: Home, *bots: Path) -> None:
    """Have bots in a home as after submissions, without waiting for the trial of each."""
    with closing(open_store(home.path / "mazzo.db")) as store:
        keep(home, store, *bots)


def keep(home: Home, store: Store, *bots: Path) -> None:
    """The same, where the home has its store elsewhere, or it is open already."""
    bundles = BundleStore(Settings(home=home.path).bundles, known_games=KNOWN_GAMES)
    for bot in bots:
        bundle = bundles.add(pack(bot))
        name = bundle.manifest.name
        store.add_version(
            name,
            content_hash=bundle.content_hash,
            manifest=bundle.manifest,
            create_time=1.0,
        )
        stored.qualify(store, name)
