"""The bots of `mazzo play`: where they are found, and what they do wrong."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

import mazzo
import mazzo.program
from mazzo.games import GAMES, parse_variant
from mazzo_server.home.bots import HomeBotError, find_home_bot, list_sample_bots
from support.command import Home
from support.play_command import (
    ANSWERS,
    SEED,
    play,
    said,
)
from support.sample_bots import SAMPLE_BOTS, write_bot

pytestmark = pytest.mark.usefixtures("eighty_columns")


def test_sample_bots_are_known_by_name_and_others_by_folder_or_file(tmp_path: Path) -> None:
    assert set(list_sample_bots()) == {path.parent.name for path in SAMPLE_BOTS.glob("*/bot.toml")}
    folder = write_bot(tmp_path, "first", games='["briscola"]')
    facts = json.loads(
        play("briscola/3", "--json", bots=f"{folder},greedy,{folder / 'bot.py'}").stdout
    )
    assert [seat["bot"] for seat in facts["seats"]] == ["first", "greedy", "bot"]
    assert [seat["given"] for seat in facts["seats"]] == [
        str(folder),
        "greedy",
        str(folder / "bot.py"),
    ]


def test_two_bots_may_have_helpers_of_the_same_name(tmp_path: Path) -> None:
    for name, index in (("low", 0), ("high", -1)):
        folder = write_bot(tmp_path, name, act="return choose(view)", games='["frusta"]')
        (folder / "helper.py").write_text(f"def choose(view):\n    return view.legal[{index}]\n")
        code = (folder / "bot.py").read_text()
        (folder / "bot.py").write_text(f"from helper import choose\n{code}")
    bots = f"{tmp_path / 'low'},{tmp_path / 'high'}"
    facts = json.loads(play("frusta", "--match", "deals:1", "--json", bots=bots).stdout)
    record = facts["deals"][0]
    record["actions"] = record["actions"][:1]
    leader = 1 - record["dealer"]
    hand = record["shuffles"][0][:10]
    pack = GAMES["frusta"].pack
    ordered = sorted(hand, key=pack.parse)
    assert record["actions"] == [ordered[-leader]]  # low in seat 0, high in seat 1


def test_a_bot_finds_its_own_modules_and_files_whenever_it_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on the platform, where the folder is the working directory of a process of its own."""
    for name, index in (("low", 0), ("high", -1)):
        act = "import helper; return helper.choose(view)"
        folder = write_bot(tmp_path, name, act=act, games='["frusta"]')
        (folder / "lib").mkdir()
        (folder / "lib" / "late.py").write_text(f"INDEX = {index}\n")
        (folder / "index.txt").write_text(str(index))
        (folder / "helper.py").write_text(
            "from pathlib import Path\n"
            "def choose(view):\n"
            "    from lib.late import INDEX\n"
            "    assert INDEX == int(Path('index.txt').read_text())\n"
            "    return view.legal[INDEX]\n"
        )
        made = "class Tested(Bot):\n    def __init__(self):\n        import lib.late\n"
        code = (folder / "bot.py").read_text()
        (folder / "bot.py").write_text(code.replace("class Tested(Bot):\n", f"{made}\n"))
    monkeypatch.chdir(tmp_path)
    before = set(sys.modules), sys.path[:]
    play("frusta", "--match", "deals:1", bots="low,high/bot.py")
    added = {name for name in set(sys.modules) - before[0] if not name.startswith("mazzo_home_bot")}
    assert not added & {"helper", "lib", "lib.late"}
    assert (Path.cwd(), sys.path) == (tmp_path, before[1])


def test_json_is_all_that_comes_out_whatever_a_bot_writes(home: Home, tmp_path: Path) -> None:
    act = "os.write(1, b'hey'); os.system('echo ho'); return view.legal[0]"
    folder = write_bot(tmp_path, "loud", act=act)
    arguments = ("play", "briscola/2", "--bots", folder, "--match", "deals:1")
    result = home(*arguments, "--json")
    assert len(result.json["deals"]) == 1
    assert (result.err.count("hey"), result.err.count("ho\n")) == (40, 40)
    told = home(*arguments)
    assert "Trick 20" in told.out
    assert "hey" not in told.out


def test_what_a_bot_prints_stays_out_of_the_telling(tmp_path: Path) -> None:
    folder = write_bot(tmp_path, "loud", act="print('hey'); return view.legal[0]")
    result = play("briscola/2", "--json", "--match", "deals:1", bots=str(folder))
    assert json.loads(result.stdout)["seed"] == SEED
    assert "hey" in result.stderr


FAILING = {
    "raises": (
        "raise ValueError('no \\x1b[31midea')",
        ("raises in seat 0", "ValueError: no", "line 11"),
    ),
    "leaves": ("sys.exit(3)", ("leaves in seat 0", "SystemExit: 3", "deal 1", "decision 1")),
    "none": ("return None", ("none in seat 0", "expected one of view.legal", "got None")),
    "cancels": (
        "import asyncio; raise asyncio.CancelledError",
        ("CancelledError: no message", "line 11"),
    ),
    "exits": ("raise GeneratorExit('over')", ("GeneratorExit: over", "line 11")),
    "silent": (
        "raise type('Odd', (BaseException,), {'__str__': lambda error: 1 / 0})",
        ("Odd: a message that cannot be shown", "line 11"),
    ),
    "long": ("raise ValueError('x' * 10**6)", ("ValueError: x", "x… (bot.py, line 11)")),
    "liar": (
        "return type('Lie', (int,), {'__int__': lambda n: -5, '__lt__': lambda n, m: False, "
        "'__le__': lambda n, m: True, '__ge__': lambda n, m: True})(10**6)",
        ("liar in seat 0", "expected one of view.legal"),
    ),
    "nameless": (
        "return type('Odd', (), {'__repr__': lambda odd: 1 / 0})()",
        ("nameless in seat 0", "expected one of view.legal"),
    ),
    "illegal": (
        "return next(a for a in view.variant.game.actions if a not in view.legal)",
        ("illegal in seat 0", "deal 1, its decision 1: expected one of", "is not legal"),
    ),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_bot_that_fails_is_named(tmp_path: Path, name: str) -> None:
    act, parts = FAILING[name]
    folder = write_bot(tmp_path, name, act=act)
    result = play("briscola/2", bots=f"{folder},greedy", status=1)
    assert [part for part in parts if part not in said(result)] == [], said(result)
    assert f"--seed {SEED}" in result.stderr
    assert len(result.stderr) < 2000


def _spoilt(tmp_path: Path) -> dict[str, Path]:
    """Bots that cannot be used, each by a word."""
    spoilt = {word: write_bot(tmp_path, word) for word in ("other", "bare", "native", "twice")}
    (spoilt["other"] / "bot.toml").write_text(
        (spoilt["other"] / "bot.toml").read_text().replace("briscola/2", "frusta")
    )
    (spoilt["bare"] / "bot.toml").unlink()
    (spoilt["native"] / "bot.toml").write_text(
        (spoilt["native"] / "bot.toml").read_text().replace('["python", "bot.py"]', '["./bot"]')
    )
    spoilt["outside"] = write_bot(tmp_path, "outside")
    (spoilt["outside"] / "bot.toml").write_text(
        (spoilt["outside"] / "bot.toml").read_text().replace("bot.py", "../twice/bot.py")
    )
    code = "from mazzo import Bot\n"
    for name in ("A", "B"):
        code += f"class {name}(Bot):\n    def act(self, view):\n        return view.legal[0]\n"
    (spoilt["twice"] / "bot.py").write_text(code)
    unfit = f"{code.splitlines()[0]}\nclass Forgetful(Bot):\n    def play(self): ...\n"
    files = {"empty": "", "syntax": "def", "top": "1 / 0", "exit": "exit(0)", "actless": unfit}
    for word, text in files.items():
        spoilt[word] = tmp_path / f"{word}.py"
        spoilt[word].write_text(text)
    spoilt["text"] = tmp_path / "notes.txt"
    spoilt["text"].write_text("no bot")
    return spoilt


REFUSED = [
    ("other", 2, ("other", "frusta", "briscola/2", "bot.toml")),
    ("bare", 2, ("bot.toml", "bare")),
    ("native", 2, ("./bot", "Python file")),
    ("twice", 2, ("one class", "A, B")),
    ("outside", 2, ("'../twice/bot.py'", "is outside")),
    ("empty", 2, ("one class", "none")),
    ("actless", 2, ("one class", "method act", "got Forgetful without it")),
    ("text", 2, ("notes.txt", "greedy", "random", "tournaments only")),
    ("syntax", 1, ("syntax", "cannot be loaded", "SyntaxError")),
    ("top", 1, ("top", "cannot be loaded", "ZeroDivisionError", "line 1")),
    ("exit", 1, ("exit", "cannot be loaded", "ended while", 'if __name__ == "__main__"', "line 1")),
]


@pytest.mark.parametrize(("word", "status", "parts"), REFUSED, ids=[row[0] for row in REFUSED])
def test_bots_that_cannot_be_used(
    tmp_path: Path, word: str, status: int, parts: tuple[str, ...]
) -> None:
    bot = _spoilt(tmp_path)[word]
    result = play("briscola/2", bots=f"greedy,{bot}", status=status)
    assert [part for part in parts if part not in said(result)] == [], said(result)
    assert result.stdout == ""


BARE = {
    "alone": "run(Tested)\n1 / 0",
    "in a function": "def main():\n    run(Tested)\n    sys.exit(1)\nmain()",
    "with a capacity": "import mazzo\nmazzo.run(Tested(), capacity=4)",
    "from its module": "from mazzo.program import run as begin\nbegin(Tested)",
    "as a status": "sys.exit(run(Tested))",
}


def write_bare(folder: Path, end: str) -> Path:
    """Return a bot's folder whose program ends so, without a guard."""
    bot = write_bot(folder, "frank")
    start = (bot / "bot.py").read_text().partition("if __name__")[0]
    (bot / "bot.py").write_text(f"{start}{end}\n")
    return bot


@pytest.mark.parametrize("end", BARE.values(), ids=BARE)
def test_a_program_without_a_guard_is_loaded_up_to_its_run(tmp_path: Path, end: str) -> None:
    """As it would play in a tournament, and `run` is itself again afterwards."""
    bot = find_home_bot(str(write_bare(tmp_path, end)), parse_variant("briscola/2"))
    assert bot.kind.__name__ == "Tested"
    assert mazzo.run is mazzo.program.run
    with pytest.raises(SystemExit, match="2"):
        mazzo.run(bot.kind)  # no platform has started it


@pytest.mark.slow
def test_a_bot_that_passes_its_trial_plays_at_home(tmp_path: Path) -> None:
    """A bug of an earlier version: `mazzo check` passed what `play` and `arena` refused."""
    bot, home = write_bare(tmp_path, BARE["alone"]), Home(tmp_path / "home")
    assert "passes" in home("check", bot, "--isolation", "none").out
    home("play", "briscola/2", "--bots", f"{bot},greedy")
    home("arena", bot, "greedy", "--deals", "8", "--workers", "2")


def test_what_a_bot_logs_stands_beside_what_it_does_for_whom_it_is_shown(tmp_path: Path) -> None:
    act = "self.log(f'\x1b[2Jdecision {view.number}'); return view.legal[0]"
    bots = f"{write_bot(tmp_path, 'loud', act=act)},greedy"
    out = play("briscola/2", "--match", "deals:1", bots=bots).stdout
    assert re.findall(r"^Log +loud: \[2Jdecision (\d+)$", out, re.MULTILINE) == [
        str(number) for number in range(1, 21)
    ]
    shown = play("briscola/2", "--match", "deals:1", "--show", "0", bots=bots).stdout
    assert shown.count("decision 20") == 1
    assert "Log " not in play("briscola/2", "--match", "deals:1", "--show", "1", bots=bots).stdout
    mine = ("--match", "deals:1", "--human", "1")
    bot = bots.split(",")[0]
    assert "Log " not in play("briscola/2", *mine, bots=bot, data=ANSWERS).stdout
    both = play("briscola/2", *mine, "--show", "all", bots=bot, data=ANSWERS).stdout
    assert len(re.findall(r"^(?:> )?Log +loud: \[2Jdecision \d+$", both, re.MULTILINE)) == 20


def test_a_bot_whose_folder_is_gone_is_named(tmp_path: Path) -> None:
    bot = write_bot(tmp_path, "lost")
    found = find_home_bot(str(bot), parse_variant("briscola/2"))
    shutil.rmtree(bot)
    with pytest.raises(HomeBotError, match=r"lost in seat 0 cannot be made: FileNotFoundError"):
        found.seat("lost in seat 0")
