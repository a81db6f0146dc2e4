"""`mazzo new`: makes a bot's folder that is ready to play."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import mazzo_server
from mazzo.games import GAMES
from mazzo_server.cli.home.games import encode_game
from mazzo_server.cli.shell.completion.games import complete_game
from mazzo_server.cli.shell.connection import execute
from mazzo_server.cli.shell.options import make_word_option
from mazzo_server.cli.text.output import console
from mazzo_server.errors import InvalidInputError, PlatformError
from mazzo_server.home import list_sample_bots
from mazzo_server.model import KNOWN_GAMES, make_remote_manifest

__all__ = ["new"]

_TEMPLATES = Path(mazzo_server.__file__).parent / "home" / "templates"
# In these files the name and the game of the template itself are replaced.
_TOLD = ("README.md", "bot.toml")
_NAME, _GAME, _VARIANT = "my-bot", '"briscola"', "briscola/2"
_NODE = "node-random"  # the sample bot with the files that every bot in JavaScript needs
_FROM_NODE = ("mazzo.js", "package.json", "package-lock.json", "proto")


class Lang(StrEnum):
    """The language in which a bot is written."""

    PYTHON = "python"
    NODE = "node"


def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Of the bot, and of its folder, made here.")
    ],
    lang: Annotated[
        str,
        typer.Option("--lang", **make_word_option(list(Lang)), help="What it is written in."),
    ] = Lang.PYTHON,
    game: Annotated[
        str,
        typer.Option(
            "--game",
            metavar="GAME",
            autocompletion=complete_game,
            help="That it plays, such as frusta or briscola/4.",
        ),
    ] = "briscola",
) -> None:
    """Make a bot: a folder with bot.toml, a bot that plays, a test, and what to do next.

    Example: mazzo new my-bot --game frusta
    """

    # SIGTERM and Ctrl-C wait until the folder is complete or removed.
    async def work() -> Path:
        return _make(name, Lang(lang), game)

    folder = execute(work())
    files = sorted(f"{item.name}{'/' if item.is_dir() else ''}" for item in folder.iterdir())
    console.print(f"{name} is made: {', '.join(files)}. Next:", soft_wrap=True)
    readme = (folder / "README.md").read_text("utf-8")
    for line in readme.splitlines():
        if line.startswith("$ "):
            console.print(f"  {line.removeprefix('$ ')}", soft_wrap=True)


def _make(name: str, lang: Lang, game: str) -> Path:
    """Make the folder and return it.

    Raises `InvalidInputError` where the folder exists, or the name is no name for a bot.
    """
    from mazzo_server.bots import list_forms  # only a few commands need it

    manifest = make_remote_manifest(
        name, games=[game], capacity=0, author=name, known_games=KNOWN_GAMES
    )
    folder = Path(name)
    if folder.exists() or folder.is_symlink():
        raise InvalidInputError(
            f"expected the name of a new folder, got {name!r}, which is here already; take another "
            "name, or remove it"
        )
    replaced = {_NAME: name, _GAME: json.dumps(game), _VARIANT: list_forms(manifest)[0].text}
    try:
        # The folder appears whole or not at all.
        with tempfile.TemporaryDirectory(prefix=".new-", dir=folder.parent) as scratch:
            made = Path(scratch) / name
            made.mkdir()
            for place, source in _list_sources(lang, game.partition("/")[0]):
                _copy(source, made / place, replaced)
            if lang is Lang.NODE:
                text = json.dumps(encode_game(GAMES[game.partition("/")[0]]), indent=1)
                (made / "game.json").write_text(f"{text}\n", "utf-8")
            made.rename(folder)
    except OSError as error:
        raise PlatformError(f"cannot make the folder {name} here: {error.strerror}") from error
    return folder


def _list_sources(lang: Lang, game: str) -> Iterator[tuple[str, Path]]:
    """Return each name in the folder, and the file or folder of which it is a copy."""
    templates = _TEMPLATES / lang
    for item in sorted(templates.iterdir()):
        if item.is_file():
            yield item.name, item
    if lang is Lang.PYTHON:
        own = templates / game
        # Both games of Tressette are played by one bot.
        folder = own if own.is_dir() else templates / game.partition("-")[0]
        yield "bot.py", folder / "bot.py"
    else:
        for shared in _FROM_NODE:
            yield shared, list_sample_bots()[_NODE] / shared


def _copy(source: Path, target: Path, replaced: dict[str, str]) -> None:
    if source.is_dir():
        shutil.copytree(source, target)
    elif target.name in _TOLD:
        old = "|".join(map(re.escape, replaced))
        text = re.sub(old, lambda found: replaced[found[0]], source.read_text("utf-8"))
        target.write_text(text, "utf-8")
    else:
        shutil.copyfile(source, target)
