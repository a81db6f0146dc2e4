"""Bots of the scenarios: a few lines each, written into the folder of a session."""

from __future__ import annotations

from pathlib import Path

from goldens.session import Session
from support.sample_bots import enter

__all__ = ["ACTS", "GAMES", "SAMPLE_BOTS", "enter_bots", "write_bot"]

SAMPLE_BOTS = Path(__file__).parents[2] / "sample_bots"
GAMES = (
    "briscola",
    "briscola-chiamata",
    "frusta",
    "tressette-meta-mazzo",
    "tressette-pizzichino",
    "frap",
)
# Answers by the view and the given seed alone, all different.
ACTS = {
    "ada": "return view.random.choice(view.legal)",
    "bea": "return view.legal[0]",
    "cleo": "return view.legal[-1]",
    "dora": "return view.legal[len(view.legal) // 2]",
    "eva": "return view.random.choice(view.legal[: 1 + len(view.legal) // 2])",
    "fay": "return view.random.choice(view.legal[len(view.legal) // 2 :])",
    "gia": "return view.legal[view.random.randrange(2) - 1]",
    "hana": "return view.legal[len(view.legal) // 3]",
    "ida": "return view.legal[len(view.history) % len(view.legal)]",
    "joan": "return view.legal[-(1 + len(view.history)) % len(view.legal)]",
    "kim": "return view.legal[min(1, len(view.legal) - 1)]",
    "lea": "return view.legal[max(-2, -len(view.legal))]",
}
_PROGRAM = """import os
import sys
import time

from mazzo import Bot, run


class Tested(Bot):
    def act(self, view):
        {act}


if __name__ == "__main__":
    {main}
"""


def write_bot(
    session: Session,
    name: str,
    act: str = "",
    *,
    main: str = "run(Tested)",
    games: tuple[str, ...] = GAMES,
    capacity: int = 64,
    more: str = "",
) -> Path:
    """Write a bot's folder; `act` and `main` are its code, by default what `ACTS` has."""
    folder = session.folder / "bots" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.py").write_text(_PROGRAM.format(act=act or ACTS[name], main=main))
    listed = ", ".join(f'"{game}"' for game in games)
    (folder / "bot.toml").write_text(
        f'name = "{name}"\ngames = [{listed}]\ncommand = ["python", "bot.py"]\n'
        f'capacity = {capacity}\nauthor = "the goldens"\nlicence = "Apache-2.0"\n{more}'
    )
    return folder


def enter_bots(session: Session, *bots: str | Path) -> None:
    """Have bots in the home as after a submission; a name stands for one of `ACTS`."""
    folders = [write_bot(session, bot) if isinstance(bot, str) else bot for bot in bots]
    session.home.inside("bots", "list")  # makes the home
    enter(session.home, *folders)
