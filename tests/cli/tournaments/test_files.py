"""`mazzo tournament export`, `import` and `delete`, and `mazzo bots delete`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from mazzo_server.settings import DATABASE_VARIABLE, Settings
from mazzo_server.storage import TournamentStatus, open_store
from support.command import Home, kill, until
from support.manual_tournaments import Club
from support.postgres import Databases
from support.sample_bots import write_bot
from support.stored_rows import manifest_of
from support.terminal import at_terminal
from support.timeless import timeless

pytestmark = pytest.mark.slow


def fill(settings: Settings, *, groups: int = 2) -> None:
    """Give a home a finished tournament of three bots."""
    store = open_store(settings.store)
    for name in ("ann", "bob", "cleo"):
        for _ in range(2):
            store.add_version(
                name,
                content_hash="0" * 64,
                manifest=manifest_of(name, licence="MIT"),
                create_time=1.0,
            )
    club = Club(store=store, groups=groups)
    for group in club.groups:
        for seating in range(2):
            club.play(group.number, seating)
    store.set_status(1, TournamentStatus.FINISHED, end_time=1e9)
    store.close()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with that tournament."""
    filled = Home(tmp_path / "home")
    fill(Settings(home=filled.path))
    return filled


@pytest.fixture(params=["sqlite", "postgresql"])
def other(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    """An empty store."""
    if request.param == "sqlite":
        yield Home(tmp_path / "other")
    else:
        databases: Databases = request.getfixturevalue("databases")
        with databases.store() as url:
            yield Home(tmp_path / "other", {DATABASE_VARIABLE: url})


def test_a_tournament_goes_to_another_store_and_back(
    home: Home, other: Home, tmp_path: Path
) -> None:
    file = tmp_path / "cup.jsonl.zst"
    written = home.inside("tournament", "export", "1", file)
    assert written.out == f"Tournament 1 is written to {file}, with 12 matches.\n"
    taken = other.inside("tournament", "import", file, "--json")
    shown = home.inside("tournament", "show", "1", "--json").json
    assert taken.json == shown
    assert other.inside("tournament", "show", "1", "--json").json == shown
    rankings = [one.inside("rankings", "--json").json for one in (home, other)]
    assert rankings[0] == rankings[1]
    records = [one.inside("replay", "export", "1/3/1").out for one in (home, other)]
    assert records[0] == records[1]
    assert other.inside("bots", "list").out.startswith("No bots yet")
    assert "ann (retired)" in other.inside("bots", "list", "--all").out
    again = other.inside("tournament", "import", file, status=1)
    assert again.err == "mazzo: this tournament is here already: it is tournament 1\n"
    back = other.inside("tournament", "export", "1", tmp_path / "back.jsonl.zst")
    assert back.status == 0
    texts = [
        zstandard.ZstdDecompressor().stream_reader(path.read_bytes()).read()
        for path in (file, tmp_path / "back.jsonl.zst")
    ]
    assert texts[0] == texts[1]


def test_a_tournament_goes_through_a_pipe(home: Home, tmp_path: Path) -> None:
    """To a store elsewhere without a file; to a terminal nobody wants it."""
    other = Home(tmp_path / "other")
    writer = home.start("tournament", "export", "1", "-")
    packed, _ = writer.communicate(timeout=60)
    assert writer.returncode == 0
    taken = other("tournament", "import", "-", "--json", data=packed)
    assert taken.json["matches_played"] == 12
    with at_terminal(home, ("tournament", "export", "1", "-")) as terminal:
        terminal.wait_for("expected a file or a pipe")
        assert terminal.wait() == 2


def test_a_pipe_that_is_named_stays_one(home: Home, tmp_path: Path) -> None:
    """Export writes into a pipe, and through a link; it replaces neither by a file."""
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    writer = home.start("tournament", "export", "1", pipe)
    packed = pipe.read_bytes()
    writer.communicate(timeout=60)
    assert writer.returncode == 0
    assert pipe.is_fifo()
    link.symlink_to(tmp_path / "target")
    home.inside("tournament", "export", "1", link)
    assert link.is_symlink()
    assert (tmp_path / "target").read_bytes() == packed
    longest = tmp_path / (os.pathconf(tmp_path, "PC_NAME_MAX") * "a")
    home.inside("tournament", "export", "1", longest)
    assert longest.read_bytes() == packed


def test_what_cannot_be_read_or_written_is_told(home: Home, tmp_path: Path) -> None:
    for wrong in (b"", b"PK\3\4 a zip", zstandard.compress(b"{}\n"), zstandard.compress(b"\n")):
        file = tmp_path / "wrong"
        file.write_bytes(wrong)
        told = home.inside("tournament", "import", file, status=2).err
        assert told.startswith("mazzo: line ") or "expected a file of" in told
    assert "cannot read" in home.inside("tournament", "import", tmp_path / "none", status=2).err
    assert home.inside("tournament", "import", tmp_path, status=2).err
    assert home.inside("tournament", "export", "9", tmp_path / "new", status=2).err
    (tmp_path / "round").symlink_to("round")
    for name in ("no/new", "wrong/new", "round", 256 * "a", "/tmp/.."):
        assert home.inside("tournament", "export", "1", tmp_path / name, status=2).err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "round", "wrong"]
    assert len(home.inside("tournament", "list", "--json").json) == 1


def test_an_interrupted_import_leaves_nothing(tmp_path: Path) -> None:
    """After Ctrl-C nothing at all; after a kill something that the next import removes."""
    home = Home(tmp_path / "home")
    fill(Settings(home=home.path), groups=100)
    file = tmp_path / "cup"
    home("tournament", "export", "1", file)
    other = Home(tmp_path / "other")
    other("tournament", "list")

    def begin(number: int) -> Any:
        process = other.start("tournament", "import", file)
        until(lambda: len(other.stored_matches(number)) > 0, process)
        return process

    interrupted = begin(1)
    interrupted.send_signal(2)
    _, told = interrupted.communicate(timeout=60)
    assert interrupted.returncode == 130, told
    assert b"Traceback" not in told
    assert other.inside("tournament", "list", "--json").json == []

    kill(begin(2))
    (left,) = other.inside("tournament", "list", "--json").json
    assert left["state"] == "incomplete"
    shown = other.inside("tournament", "show", "2").out
    assert "`mazzo tournament delete 2` removes it" in " ".join(shown.split())
    taken = other("tournament", "import", file, "--json").json
    assert timeless(taken) == timeless(
        home.inside("tournament", "show", "1", "--json").json | {"id": 3}
    )
    assert [row["id"] for row in other.inside("tournament", "list", "--json").json] == [3]


def test_deleting_asks_first_and_leaves_no_ranking(home: Home) -> None:
    assert len(home.inside("rankings", "--json").json) == 1
    refused = home.inside("tournament", "delete", "1", status=2)
    assert "expected --yes, for nobody is here to ask" in refused.err
    for answer, status in (("n", 1), ("y", 0)):
        with at_terminal(home, ("tournament", "delete", "1")) as terminal:
            terminal.wait_for("Delete tournament 1, test, with 12 matches? [y/N]:")
            terminal.type(f"{answer}\n")
            assert terminal.wait() == status
    assert home.inside("tournament", "list", "--json").json == []
    assert home.inside("rankings", "--json").json == []
    assert home.inside("tournament", "delete", "1", "--yes", status=2).err.startswith(
        "mazzo: there is no tournament 1"
    )


def test_a_bot_is_deleted_unless_results_need_it(home: Home) -> None:
    refused = home.inside("bots", "delete", "ann", "--yes", status=1).err
    assert refused.replace("\n", " ").startswith(
        "mazzo: ann takes part in tournament 1, and results"
    )
    home.inside("tournament", "delete", "1", "--yes")
    assert home.inside("bots", "delete", "ann", "--yes", "--json").json == {
        "name": "ann",
        "versions": 2,
    }
    assert "expected a bot's name" in home.inside("bots", "show", "ann", status=2).err


def test_the_files_of_a_deleted_bot_go_unless_another_has_them(samples: Home) -> None:
    folders = {path.name for path in (samples.path / "bundles").iterdir() if path.is_dir()}
    content = samples.inside("bots", "show", "greedy", "--json").json["versions"][0]["content_hash"]
    assert content in folders
    samples.inside("bots", "delete", "greedy", "--yes")
    left = {path.name for path in (samples.path / "bundles").iterdir() if path.is_dir()}
    assert {name for name in folders - left if "." not in name} == {content}


def test_a_name_is_free_again_for_another_author(home: Home, tmp_path: Path) -> None:
    home.inside("tournament", "delete", "1", "--yes")
    home.inside("bots", "delete", "ann", "--yes")
    bot = write_bot(tmp_path, "ann", act="return view.legal[0]")
    submitted = home("bots", "submit", bot, "--json", "--isolation", "none").json
    assert submitted["versions"][-1]["version"] == 1
