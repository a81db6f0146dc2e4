"""Bots that fail in the usual ways. For each way there is a sentence that says what to mend."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import Home
from support.node import with_node
from support.sample_bots import write_bot

pytestmark = pytest.mark.slow

# What stands in the place of `run`, what is said, and what is to be mended.
STARTS = {
    "module": (
        "import torch",
        "ModuleNotFoundError: No module named 'torch'",
        "mend: the platform has no package torch, only Mazzo and NumPy beside Python's own",
    ),
    "mazzo": ("import mazzo.bots", "No module named 'mazzo.bots'", "there is no mazzo.bots in it"),
    "name": (
        "from mazzo import Robot",
        "cannot import name 'Robot'",
        "there is no Robot in mazzo",
    ),
    "no run": ("pass", "its process exited with status 0", "for it has no `run(...)`: end it with"),
    "network": (
        "import socket; socket.create_connection(('192.0.2.1', 80))",
        "mend: there is no network",
        "bring what the bot needs in its folder",
    ),
    "name server": (
        "import urllib.request as r; r.urlopen('http://example.org')",
        "mend: there is no network",
        "bring what the bot needs in its folder",
    ),
    "file": (
        "open('/home/ann/weights.bin')",
        "No such file or directory: '/home/ann/weights.bin'",
        "mend: the bot finds its own folder and nothing else of your machine",
    ),
    "syntax": ("if True print('x')", "SyntaxError: ", "it runs Python 3."),
}
# The same of what stands in `act`.
THREADS = """import threading
        for _ in range(200):
            threading.Thread(target=time.sleep, args=(9,), daemon=True).start()"""
ACTS = {
    "memory": (
        "self.much = bytearray(1 << 30)",
        "MemoryError",
        "mend: it needs more memory than it may have: 512 MiB (memory_mib,",
    ),
    "threads": (
        THREADS,
        "can't start new thread",
        "mend: it may have 64 processes and threads at a time (processes,",
    ),
    "open files": (
        "self.files = [open('/bot/bot.py') for _ in range(300)]",
        "Too many open files",
        "mend: a process may have 256 files open (open_files in",
    ),
    "file size": (
        "open('/tmp/x', 'wb').truncate(65 << 20)",
        "File too large",
        "mend: a file that it writes may have 64 MiB (disk_mib,",
    ),
    "disk": (
        "[open(f'/tmp/{number}', 'wb').write(bytes(1 << 24)) for number in range(9)]",
        "No space left on device",
        "mend: all of /tmp may hold 64 MiB (disk_mib,",
    ),
    "read-only": (
        "open('/bot/notes', 'w')",
        "Read-only file system",
        "mend: it may write to /tmp alone",
    ),
    "error": ("raise RuntimeError('no idea')", "RuntimeError: no idea", "mend: look at bot.py"),
    "no action": ("return None", "BotError: Tested.act: expected", "mend: "),
}


def check(home: Home, bot: Path) -> str:
    """What it says of a bot that fails, as one line."""
    return " ".join(home.inside("check", bot, "--isolation", "bubblewrap", status=1).out.split())


@pytest.mark.parametrize("case", STARTS)
def test_a_bot_that_does_not_start(home: Home, tmp_path: Path, case: str) -> None:
    main, said, mend = STARTS[case]
    told = check(home, write_bot(tmp_path, "ann", main=main))
    assert said in told
    assert mend in told
    assert told.endswith("ann fails its trial: it cannot enter any tournament.")


@pytest.mark.parametrize("case", ACTS)
def test_a_bot_that_fails_in_play(home: Home, tmp_path: Path, case: str) -> None:
    act, said, mend = ACTS[case]
    told = check(home, write_bot(tmp_path, "ann", act=act))
    assert said in told
    assert mend in told
    assert "asyncio" not in told


@pytest.mark.parametrize(
    ("command", "mend"),
    [
        ('["pyhton", "bot.py"]', "starts with pyhton, which is not there: expected `python`"),
        ('["python", "main.py"]', "but there is no program main.py in the bot's folder"),
        ('["./bot.py"]', "starts with ./bot.py, which is not executable: chmod +x"),
    ],
)
def test_a_wrong_command(home: Home, tmp_path: Path, command: str, mend: str) -> None:
    bot = write_bot(tmp_path, "ann")
    manifest = (bot / "bot.toml").read_text()
    (bot / "bot.toml").write_text(manifest.replace('["python", "bot.py"]', command))
    assert mend in check(home, bot)


def test_a_guard_that_is_wrong(home: Home, tmp_path: Path) -> None:
    bot = write_bot(tmp_path, "ann")
    program = (bot / "bot.py").read_text()
    (bot / "bot.py").write_text(program.replace('"__main__"', '"main"'))
    assert "so it never came to its `run(...)`: check that the line before it" in check(home, bot)


def test_a_guard_that_is_missing(home: Home, tmp_path: Path) -> None:
    """Where it matters: what multiprocessing starts runs the whole program again."""
    bot = write_bot(tmp_path, "ann")
    spawn = """import multiprocessing
multiprocessing.set_start_method("spawn", force=True)
child = multiprocessing.Process(target=print)
child.start()
child.join()
assert child.exitcode == 0
run(Tested)
"""
    (bot / "bot.py").write_text((bot / "bot.py").read_text().partition("if __name__")[0] + spawn)
    assert 'put `if __name__ == "__main__":` before `run(...)`' in check(home, bot)


def test_packages_of_node_that_are_not_installed(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    home.inside("new", "js", "--lang", "node", "--game", "briscola/2")
    command = ("check", tmp_path / "js", "--isolation", "bubblewrap")
    told = " ".join(with_node(home)(*command, status=1).out.split())
    assert "mend: the package @grpc/grpc-js is not in node_modules" in told
    assert "npm install" in told


def test_one_failure_is_told_once_with_its_variants(home: Home, tmp_path: Path) -> None:
    """Promise: also where the error's text differs, as long as it is raised in the same place."""
    act = "assert view.players == 2, f'{view.hand[0]}'\n        return view.legal[0]"
    bot = write_bot(tmp_path, "ann", act=act, games='["briscola"]')
    told = check(home, bot)
    assert told.count("AssertionError") == 1
    assert "the same in briscola/4, briscola/6" in told
    assert "FAIL briscola/3: crashed" in told
    assert told.endswith("ann fails its trial: it may enter briscola/2 alone.")


def test_what_holds_with_isolation_alone_is_not_said_without(home: Home, tmp_path: Path) -> None:
    """Bug guarded against: limits were named that nobody keeps."""
    bare = ("--isolation", "none")
    bot = write_bot(tmp_path, "ann", act="self.much = bytearray(1 << 60)")
    told = " ".join(home.inside("check", bot, *bare, status=1).out.split())
    assert "MemoryError" in told
    assert "mend: look at bot.py, line 11" in told
    renamed = "import ctypes; ctypes.CDLL(None).prctl(15, b'\\xff\\xfe', 0, 0, 0)"
    good = write_bot(tmp_path, "bea", main=f"{renamed}\n    run(Tested)")
    last = home.inside("check", good, *bare).out.splitlines()[-2]
    assert last.endswith(" MiB.")
    assert " of " not in last.rpartition(";")[2]


def test_an_error_that_was_printed_before_is_not_the_cause(home: Home, tmp_path: Path) -> None:
    act = (
        "import traceback\n        try: import torch\n        except ImportError: "
        "traceback.print_exc()\n        os.kill(os.getpid(), 11)"
    )
    told = check(home, write_bot(tmp_path, "ann", act=act))
    assert "torch" not in told.partition("mend:")[2].partition("The same trial")[0]
    assert "| ModuleNotFoundError: No module named 'torch'" in told  # it is what it wrote


def test_different_ends_are_different_failures_with_what_was_written_then(
    home: Home, tmp_path: Path
) -> None:
    act = (
        "if view.players == 3: print('I am three'); os._exit(3)\n"
        "        if view.players == 4: raise KeyError('four')\n"
        "        if view.players == 6: os._exit(6)\n        return view.legal[0]"
    )
    told = check(home, write_bot(tmp_path, "ann", act=act, games='["briscola"]'))
    assert told.count("FAIL ") == 3
    three, four, six = told.split("FAIL ")[1:]
    assert "exited with status 3 | I am three mend: what it wrote says where it ended" in three
    assert "KeyError: 'four'" in four
    assert "exited with status 6 mend: it wrote nothing that says where it ended" in six


def test_all_that_it_wrote_is_shown_when_it_is_wanted(home: Home, tmp_path: Path) -> None:
    act = "print('hel' + 'lo'); raise RuntimeError('no idea')"
    bot = write_bot(tmp_path, "ann", act=act)
    assert "hello" not in check(home, bot)
    told = home.inside("check", bot, "--verbose", status=1).out
    assert "hello" in told
    assert "asyncio" in told


def test_submit_ends_as_check_does(home: Home, tmp_path: Path) -> None:
    """Promise: the same verdict, and the same status: 0 passed, 1 failed."""
    good, bad = write_bot(tmp_path, "ann"), write_bot(tmp_path, "bob", act="raise RuntimeError")
    for bot, status in ((good, 0), (bad, 1)):
        checked, submitted = (
            home.inside(*command, bot, status=status).out.splitlines()
            for command in (("check",), ("bots", "submit"))
        )
        assert checked[-1] == submitted[-1]
        assert checked[-1].startswith(f"{bot.name} {'fails' if status else 'passes'} its trial")
    home.inside("bots", "trial", "bob", status=1)
    assert home.inside("bots", "submit", bad, "--json", status=1).json["name"] == "bob"
    assert "mazzo bots logs bob" in home.inside("bots", "show", "bob").out


def test_times_and_memory_are_told_beside_their_limits(home: Home, tmp_path: Path) -> None:
    bot = write_bot(tmp_path, "ann", act="time.sleep(0.02); return view.legal[0]")
    told = " ".join(home.inside("check", bot).out.split())
    assert " Start " in told
    assert " s of 20 s; longest decision 0.0" in told
    assert " s of 5 s; memory " in told
    trial = home.inside("check", bot, "--json").json["trial"]
    assert 0.02 <= trial["matches"][0]["longest_seconds"] < 5
    assert 10 << 20 < int(trial["memory_bytes"]) < int(trial["limits"]["memory_bytes"])
    held = write_bot(tmp_path, "bea", main="kept = b'x' * (200 << 20)\n    run(Tested)")
    more = home.inside("check", held, "--json").json["trial"]["memory_bytes"]
    assert int(more) > int(trial["memory_bytes"]) + (150 << 20)


@pytest.mark.prove
def test_the_limits_that_hold_are_told(home: Home, tmp_path: Path) -> None:
    """Those of MAZZO_LIMITS, and of them what the bot asks for."""
    act = "self.much = bytearray(200 << 20); return view.legal[0]"
    bot = write_bot(tmp_path, "large", act=act)
    home.variables["MAZZO_LIMITS"] = "memory_mib=190"
    assert "than it may have: 190 MiB (memory_mib," in check(home, bot)
    home.variables["MAZZO_LIMITS"] = "memory_mib=800"
    out = home.inside("check", bot, "--isolation", "bubblewrap").out
    assert "of 800 MiB" in out or "of 864 MiB" in out  # with the space in /tmp, in a control group
    bot = write_bot(tmp_path, "large", act=act, extra="memory_mib = 180\n")
    assert "than it may have: 180 MiB (memory_mib," in check(home, bot)
    bot = write_bot(tmp_path, "large", act=act, extra="memory_mib = 801\n")
    assert "key memory_mib: expected at most 800, which is what" in " ".join(
        home.inside("check", bot, status=2).err.split()
    )
