"""A bot that searches thinks by its clock: it is never late, though the machine is busy.

The processes are real. What is promised is a limit of 100 ms for a decision on two cores that
two others keep busy all the time.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mazzo.games import parse_variant
from mazzo_server.model import TimeControl
from mazzo_server.play.instances.sandboxed import SandboxedSpec
from mazzo_server.sandbox import Limits
from support.scripted_tournaments import Arena

SAMPLES = Path(__file__).parents[2] / "sample_bots"
TENTH = TimeControl(bank=60.0, increment=0.0, limit=0.1)
BANK = TimeControl(bank=0.1, increment=0.1, limit=5.0)


@contextmanager
def load(processes: int) -> Iterator[None]:
    """So many processes that do nothing but compute."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def late(arena: Arena, variant: str, time: TimeControl, *, groups: int) -> tuple[int, int]:
    """How often two searching bots were late, and how many decisions they had."""
    spec = SandboxedSpec(
        name="ismcts",
        bundle=SAMPLES / "ismcts",
        command=("python", "bot.py"),
        capacity=1,
        start_up=60.0,
        sandbox=arena.lives,
        limits=Limits(),
    )
    rules = parse_variant(variant)
    result = arena.play(
        [spec] * rules.players,
        variant=variant,
        draws=rules.game.draw_modes[-1],
        time=time,
        groups=groups,
        concurrency=1,
    )
    assert result.finished
    assert not any(outcome.faults for outcome in result.outcomes)
    decisions = sum(sum(outcome.decisions) for outcome in result.outcomes)
    return sum(sum(outcome.late) for outcome in result.outcomes), decisions


@pytest.mark.prove
@pytest.mark.parametrize("time", [TENTH, BANK], ids=["limit", "bank"])
@pytest.mark.parametrize(
    "variant",
    ["briscola/2", "frusta/2", "tressette-meta-mazzo/2", "tressette-pizzichino/2", "frap/2"],
)
def test_100_ms_are_enough_under_a_load_of_two_cores(
    arena: Arena, variant: str, time: TimeControl
) -> None:
    with load(2):
        late_ones, decisions = late(arena, variant, time, groups=10)
    assert decisions > 100
    assert late_ones == 0
