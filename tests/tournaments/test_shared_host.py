"""Several platforms on one host: their bots have a uid each, and share its processors.

They are real commands with bots in real sandboxes. What is asserted comes from the bots, who write
when they computed and as whom, and from the table of processes of the host.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from attacks.noting import NotedLife, note_processes, read_notes
from mazzo_server.settings import list_usable_processors
from support.command import SECONDS, Home, kill
from support.sample_bots import enter

pytestmark = [pytest.mark.alone, pytest.mark.prove]

BOTS = 24  # two of which meet at a table of a round
UIDS = 128  # for all platforms: some more than live at a time, so that they want the same ones
LIGHT = Path(__file__).parents[1] / "support" / "light_bot.py"
LOOK = 0.1  # seconds between two looks at the processes of the host

Span = tuple[int, int]
"""From when to when, in nanoseconds of the machine's clock."""


def write_light_bot(folder: Path, name: str) -> Path:
    bot = folder / name
    bot.mkdir(parents=True)
    (bot / "bot.py").write_bytes(LIGHT.read_bytes())
    (bot / "bot.toml").write_text(
        f'name = "{name}"\ngames = ["briscola/2"]\ncommand = ["python", "-I", "-S", "bot.py"]\n'
        'author = "the tests"\nlicence = "Apache-2.0"\n'
    )
    return bot


def make_home(path: Path) -> Home:
    home = Home(path / "home", _inherit_notes())
    home("bots", "list")
    enter(home, *(write_light_bot(path / "bots", f"light-{number}") for number in range(BOTS)))
    return home


def _inherit_notes() -> dict[str, str]:
    """What the programs need that note their instances."""
    names = [name for name in os.environ if name.startswith("MAZZO_TEST_")]
    return {name: os.environ[name] for name in [*names, "PYTHONPATH"]}


@dataclass(slots=True)
class Census:
    """Looks again and again at who lives on this host, and remembers what must not be."""

    most: int = 0  # instances at the same time
    shared: list[str] = field(default_factory=list)  # uids of two instances that live

    def watch(self, is_over: threading.Event) -> None:
        while not is_over.wait(LOOK):
            supervisors = find_supervisors()
            self.most = max(self.most, sum(map(len, supervisors.values())))
            for uid, pids in supervisors.items():
                # While it looked, one may have ended before the other began.
                if len(living := [pid for pid in pids if read_uid(pid) == uid]) > 1:
                    self.shared.append(f"{uid}: {living}")


def find_supervisors() -> dict[int, list[int]]:
    """The outermost process of each sandbox, by its uid; of those that have one for themselves."""
    found = {}
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = dict(re.findall(r"(\w+):\t(\S+)", status.read_text(errors="replace")))
        except OSError:  # it has just ended
            continue
        found[int(status.parent.name)] = lines["Name"], int(lines["PPid"]), int(lines["Uid"])
    supervisors = defaultdict(list)
    for pid, (name, parent, uid) in found.items():
        if name == "bwrap" and uid and found.get(parent, ("", 0, 0))[2] != uid:
            supervisors[uid].append(pid)
    return supervisors


def read_uid(pid: int) -> int | None:
    """None: it lives no more."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(errors="replace")
    except OSError:
        return None
    dead = re.search(r"^State:\t[ZX]", text, re.MULTILINE)
    uid = re.search(r"^Uid:\t(\d+)", text, re.MULTILINE)
    return int(uid[1]) if uid and not dead else None


@contextmanager
def census() -> Iterator[Census]:
    taken, is_over = Census(), threading.Event()
    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(taken.watch, is_over)
        try:
            yield taken
        finally:
            is_over.set()
        watching.result()


def repeat(is_over: threading.Event, start: Callable[[], subprocess.Popen[bytes]]) -> None:
    """Run a command again and again; the last one is interrupted, and ends its bots."""
    while not is_over.is_set():
        process = start()
        while process.poll() is None and not is_over.wait(0.1):
            pass
        is_interrupted = process.poll() is None
        ended = kill(process, signal.SIGINT)
        assert is_interrupted or ended.status == 0, ended


def await_starts(wanted: int, notes: Path, runs: Sequence[Future[None]]) -> None:
    """Return when so many instances were started, or a run has failed."""
    starts, latest = 0, time.monotonic()
    while starts < wanted and not any(run.done() for run in runs):
        time.sleep(1.0)
        found = sum(path.read_bytes().count(b'"began"') for path in notes.glob("*.jsonl"))
        if found > starts:
            starts, latest = found, time.monotonic()
        assert time.monotonic() < latest + SECONDS, f"nothing begins any more after {starts} starts"


def spans_of(life: NotedLife) -> dict[int, list[Span]]:
    """When an instance computed, by its uid: at its start, and for each decision."""
    spans = defaultdict(list)
    for line in re.findall(r"^\d+ \d+ \d+$", life.log, re.MULTILINE):
        uid, begin, end = map(int, line.split())
        spans[uid].append((begin, end))
    return spans


def most_at_once(spans: Sequence[Span]) -> int:
    """Of so many spans there is a moment in all of them; they do not hold their ends."""
    turns = sorted([(end, -1) for _, end in spans] + [(begin, 1) for begin, _ in spans])
    now = most = 0
    for _, change in turns:
        now += change
        most = max(most, now)
    return most


@pytest.mark.parametrize("starts", [200, pytest.param(10_000, marks=pytest.mark.slow)])
def test_platforms_share_a_host(tmp_path: Path, starts: int) -> None:
    """Promise: no uid lives twice, and no more bots think at a time than there are cores.

    Two workers of a command, a command that plays by itself, and trials, all at the same time.
    Needs root, and control groups for cpu and the freezer. 10,000 starts take a quarter of an hour.
    """
    with note_processes(uids=UIDS) as notes:
        homes = [make_home(tmp_path / name) for name in ("workers", "embedded")]
        trials = Home(tmp_path / "trials", homes[0].variables)
        bot = write_light_bot(tmp_path, "light")
        swiss = ("--pairing", "swiss", "--rounds", "20", "--match", "deals:1", "--groups", "1")
        play = ("tournament", "run", "briscola/2", *swiss, "--cpu", "fair", "--workers")
        commands = [
            partial(homes[0].start, *play, "2"),
            partial(homes[1].start, *play, "1"),
            partial(trials.start, "check", bot),
        ]
        is_over, began = threading.Event(), time.monotonic()
        with census() as taken, ThreadPoolExecutor(len(commands)) as pool:
            runs = [pool.submit(repeat, is_over, command) for command in commands]
            try:
                await_starts(starts, notes, runs)
            finally:
                is_over.set()
            for run in runs:
                run.result()
        lives = read_notes(notes)
    seconds = time.monotonic() - began
    print(f"{len(lives)} starts in {seconds:.0f} s, at most {taken.most} instances at a time")
    assert len(lives) >= starts
    check_uids(lives, taken)
    check_processors(lives)


def check_uids(lives: list[NotedLife], taken: Census) -> None:
    """No uid lives twice, as the host sees it and as the bots tell."""
    assert taken.shared == []
    assert taken.most > BOTS
    spans = [spans_of(life) for life in lives]
    by_uid = defaultdict(list)
    for each in spans:
        assert len(each) <= 1, "an instance keeps its uid"
        for uid, computing in each.items():
            by_uid[uid].append((computing[0][0], computing[-1][1]))
    assert sum(map(len, by_uid.values())) > 0.9 * len(lives), "others were ended before they began"
    assert len(by_uid) <= UIDS
    assert {uid: most for uid, held in by_uid.items() if (most := most_at_once(held)) > 1} == {}


def check_processors(lives: list[NotedLife]) -> None:
    """All processors are used, none by two bots, and every platform has its part."""
    spans = [
        (life.process, each) for life in lives for held in spans_of(life).values() for each in held
    ]
    assert most_at_once([each for _, each in spans]) == len(list_usable_processors())
    used = Counter[int]()
    for process, (begin, end) in spans:
        used[process] += end - begin
    print(f"{used.total() / 1e9:.0f} s of computing by the bots of {len(used)} processes")
    assert len(used) >= 4
