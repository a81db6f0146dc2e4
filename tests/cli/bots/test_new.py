"""`mazzo new`: a bot's folder that plays, tests itself, and passes its trial as it is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mazzo.games import GAMES, parse_variant
from mazzo.local import play_match
from mazzo_server.home.bots import find_home_bot
from mazzo_server.model.manifest import parse_manifest
from support.command import SECONDS, Home
from support.node import answers_of, packages_of, run_node, with_node
from support.watched_bot import Watched

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "write-a-bot-in-javascript.md"
KNOWN = {game.id: game.players for game in GAMES.values()}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, to work in."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def games_of(folder: Path) -> tuple[str, ...]:
    manifest = parse_manifest((folder / "bot.toml").read_bytes(), known_games=KNOWN)
    assert manifest.name == folder.name
    return manifest.games


def own_test_of(folder: Path) -> str:
    """What its own test says, as its author runs it; it must pass."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "unittest", "discover", folder.name],
        cwd=folder.parent,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize(
    "game",
    [
        "briscola",
        *(pytest.param(game, marks=pytest.mark.prove) for game in GAMES if game != "briscola"),
    ],
)
def test_a_bot_in_python_passes_as_it_is(home: Home, here: Path, game: str) -> None:
    """Its own test, and the check with all that a submission is tried with."""
    said = home.inside("new", f"my-{game[:20]}", "--game", game).out
    (folder,) = here.iterdir()
    assert games_of(folder) == (game,)
    assert sorted(item.name for item in folder.iterdir()) == [
        *("README.md", "bot.py", "bot.toml", "test_bot.py")
    ]
    assert f"mazzo check {folder.name}\n" in said
    assert "Ran 3 tests" in own_test_of(folder)
    checked = home.inside("check", folder, "--json").json
    assert checked["trial"]["passed"], checked["trial"]
    assert checked["qualified"] == [f"{game}/{players}" for players in GAMES[game].players]


def test_its_test_finds_a_bot_that_breaks_the_rules(home: Home, here: Path) -> None:
    home.inside("new", "rude")
    bot = here / "rude" / "bot.py"
    bot.write_text(bot.read_text().replace("cheapest_first[0]", "view.trump_card"))
    with pytest.raises(AssertionError, match="BotError"):
        own_test_of(here / "rude")


def test_its_test_finds_a_bot_that_is_no_better_than_chance(home: Home, here: Path) -> None:
    home.inside("new", "lavish", "--game", "briscola/2")
    bot = here / "lavish" / "bot.py"
    worse = bot.read_text().replace("key=price)", "key=price, reverse=True)")
    bot.write_text(worse.replace("if view.beats(", "if not view.beats("))
    with pytest.raises(AssertionError, match="AssertionError: briscola/2"):
        own_test_of(here / "lavish")


@pytest.mark.parametrize(
    "game",
    [
        "briscola-chiamata",
        *(
            pytest.param(game, marks=pytest.mark.prove)
            for game in GAMES
            if game != "briscola-chiamata"
        ),
    ],
)
def test_a_bot_in_javascript_passes_as_it_is(home: Home, here: Path, game: str) -> None:
    home.inside("new", "my-js", "--lang", "node", "--game", game)
    folder = here / "my-js"
    assert games_of(folder) == (game,)
    assert (folder / "package-lock.json").is_file()
    # As `npm ci` would, of the same lock file.
    shutil.copytree(packages_of("node-random"), folder / "node_modules")
    checked = with_node(home)("check", folder, "--json").json
    assert checked["trial"]["passed"], checked["trial"]


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_in_javascript_passes_its_own_test(home: Home, here: Path, game: str) -> None:
    home.inside("new", "my-js", "--lang", "node", "--game", game)
    (here / "node_modules").symlink_to(packages_of("node-random"))
    run_node("--test", here / "my-js" / "bot.test.js")


@pytest.mark.parametrize(
    ("variant", "words"),
    [
        ("briscola-chiamata/5", {"bid", "pass", "trump", "call"}),
        ("frap/4", {"look", "frap", "whist", "pass", "discard", "stand", "decline"}),
        ("tressette-pizzichino/2", {"declare", "pluck", "packet"}),
    ],
)
def test_a_bot_in_javascript_says_what_one_in_python_does(
    home: Home, here: Path, variant: str, words: set[str]
) -> None:
    """Whatever it says before cards are played, or beside them."""
    for name, lang in (("py", "python"), ("js", "node")):
        home.inside("new", name, "--lang", lang, "--game", variant)
    (here / "node_modules").symlink_to(packages_of("node-random"))
    asked = parse_variant(variant)
    watched = Watched(find_home_bot("py", asked).seat("py"))
    for number in range(30):
        seed = bytes([number] * 32)
        play_match(variant, [watched] * asked.players, seed=seed, match_format="deals:2")
    cards = len(asked.game.pack.cards)
    said = [(view, int(action)) for view, action in watched.decisions if int(action) >= cards]
    assert answers_of(here / "js", [view for view, _ in said]) == [action for _, action in said]
    codes = {asked.game.actions[action].code for _, action in said}
    assert words <= {code.partition(":")[0] for code in codes}


def test_the_bot_of_the_page_passes_the_test_of_the_folder(home: Home, here: Path) -> None:
    """Pasted as it stands."""
    (bot,) = re.findall(r"^```js\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    home.inside("new", "my-js", "--lang", "node")
    (here / "my-js" / "bot.js").write_text(bot)
    (here / "node_modules").symlink_to(packages_of("node-random"))
    run_node("--test", here / "my-js" / "bot.test.js")


def test_one_number_of_players_may_be_asked_for(home: Home, here: Path) -> None:
    said = home.inside("new", "four", "--game", "briscola/4").out
    assert games_of(here / "four") == ("briscola/4",)
    assert "mazzo play briscola/4 --bots four" in said
    assert "Ran 3 tests" in own_test_of(here / "four")


def test_a_bot_may_be_called_like_a_game(home: Home, here: Path) -> None:
    home.inside("new", "briscola", "--game", "frusta")
    assert games_of(here / "briscola") == ("frusta",)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("My-Bot",), "name: expected 1 to 32 lower-case letters"),
        (("../up",), "name: expected 1 to 32 lower-case letters"),
        (("",), "name: expected 1 to 32 lower-case letters"),
        (("a" * 33,), "name: expected 1 to 32 lower-case letters"),
        (("ann", "--game", "chess"), "expected games among briscola, "),
        (("ann", "--game", "briscola/5"), "expected briscola with players among 2, 3, 4, 6"),
        (("ann", "--game", "briscola/2?talk=off"), "remove the question mark and what follows"),
        (("ann", "--lang", "cobol"), "expected python or node, got 'cobol'"),
    ],
)
def test_what_cannot_be_is_refused(
    home: Home, here: Path, arguments: tuple[str, ...], message: str
) -> None:
    refused = home.inside("new", *arguments, status=2)
    assert message in " ".join(refused.err.split())
    assert list(here.iterdir()) == []
    assert refused.out == ""


def test_what_is_there_is_left_alone(home: Home, here: Path) -> None:
    """Whatever it is."""
    (here / "folder").mkdir()
    (here / "file").write_text("mine")
    (here / "link").symlink_to("nowhere")
    before = sorted(here.iterdir())
    for name in ("folder", "file", "link"):
        refused = home.inside("new", name, status=2)
        assert f"expected the name of a new folder, got '{name}'" in refused.err
    assert sorted(here.iterdir()) == before
    assert list((here / "folder").iterdir()) == []
    assert (here / "file").read_text() == "mine"


def test_where_nothing_can_be_written_it_says_so(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/proc")  # where not even root can make a folder
    refused = home.inside("new", "ann", status=1)
    assert "cannot make the folder ann here: " in refused.err


def test_on_a_full_disk_nothing_is_left(home: Home, here: Path) -> None:
    """Here no file may be longer than nothing."""
    done = subprocess.run(
        ["bash", "-c", 'ulimit -f 0; exec "$0" -m mazzo_server new ann', sys.executable],
        env=home.environment() | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("mazzo: cannot make the folder ann here: ")
    assert list(here.iterdir()) == []


def test_interrupted_half_way_nothing_is_left(
    home: Home, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[Any] = []

    def interrupted(*arguments: Any) -> None:
        copied.append(arguments)
        if len(copied) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(shutil, "copyfile", interrupted)
    home.inside("new", "ann", status=130)
    assert len(copied) == 2
    assert list(here.iterdir()) == []
