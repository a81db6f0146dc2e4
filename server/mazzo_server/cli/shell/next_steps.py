"""`mazzo` alone: what one might do next, from where one is."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from mazzo_server.cli.text.output import console
from mazzo_server.model import MANIFEST_NAME
from mazzo_server.results.commentary import clean
from mazzo_server.settings import SERVER_VARIABLE, Settings

__all__ = ["print_next_steps"]

_WIDTH = 38  # columns of the commands


def print_next_steps() -> None:
    """Print a few commands that fit this folder, the server that is named, and the home."""
    for title, steps in _list_steps():
        console.print(title, soft_wrap=True)
        for command, what in steps:
            console.print(f"  {command:{_WIDTH}}  {what}", soft_wrap=True)
        console.print()
    console.print("All commands: mazzo --help")


def _list_steps() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    bot = _find_bot_folder()
    if bot:
        given = clean(shlex.quote(bot))
        where = "This folder is a bot" if bot == "." else f"{given} is a bot"
        yield (
            f"{where}:",
            [
                (f"mazzo check {given}", "try it as a submission is tried"),
                (f"mazzo arena {given} random", "see how good it is"),
                (f"mazzo bots submit {given}", "let it enter tournaments"),
            ],
        )
    server = os.environ.get(SERVER_VARIABLE, "")
    if server or _has_store():
        where = f"The server at {clean(server)}" if server else "Your bots and tournaments"
        playing = (
            ("mazzo tournament list", "what is played")
            if server
            else ("mazzo tournament run briscola/2", "play a tournament")
        )
        yield (
            f"{where}:",
            [
                ("mazzo bots list", "who is there"),
                playing,
                ("mazzo rankings", "who is best"),
                ("mazzo matches", "what was played last"),
            ],
        )
    if not bot:
        yield (
            "Begin here:" if not server else "At home:",
            [
                ("mazzo games", "what can be played"),
                ("mazzo play briscola/2 --human 0", "play a match yourself"),
                ("mazzo new my-bot --game briscola", "make a bot"),
            ],
        )


def _find_bot_folder() -> str:
    """Return this folder, or the first one in it, that is a bot; "" if there is none."""
    with suppress(OSError):  # a folder that cannot be read, or is gone
        if Path(MANIFEST_NAME).is_file():
            return "."
        for file in sorted(Path().glob(f"*/{MANIFEST_NAME}")):
            return str(file.parent)
    return ""


def _has_store() -> bool:
    store = Settings.from_environment().store
    try:
        return isinstance(store, str) or store.is_file()
    except OSError:
        return False
