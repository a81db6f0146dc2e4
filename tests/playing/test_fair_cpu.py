"""Bar: with fair cpu, a bot that keeps every core busy costs the others less than 20 %."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from attacks.battle import ISOLATION
from mazzo_server.model import TimeControl
from mazzo_server.play.instances.cpu.cores import Cores
from mazzo_server.sandbox import Limits, open_sandbox
from mazzo_server.settings import Isolation, list_usable_processors
from support.scripted_tournaments import Arena, sdk
from support.timings import measure_median

pytestmark = pytest.mark.alone

CPU_SECONDS = 0.05  # of a decision

HONEST = sdk(
    f"""
    until = time.thread_time() + {CPU_SECONDS}
    while time.thread_time() < until:
        pass
    """
)
SPINNER = sdk(
    """
    until = time.monotonic() + 0.2
    while time.monotonic() < until:
        pass
    spun = sum(time.clock_gettime(~pid << 3 | 2) for pid in spinning)  # their processor time
    os.write(2, f"spun for {spun} s\\n".encode())
    """,
    start="""
    spinning = []
    for _ in range(min(4 * os.cpu_count(), 40)):
        spinning.append(os.fork())
        if not spinning[-1]:
            while True:
                pass
    """,
)
CALM = sdk("time.sleep(0.2)")
_SPUN = re.compile(r"spun for ([0-9.]+) s")


def charged(arena: Arena, opponent: str) -> float:
    """Seconds for a decision of the honest bot, while its opponent has to think all the time."""
    arena.lives.inner = open_sandbox(Isolation(ISOLATION))
    arena.lives.logs.clear()
    cores = Cores(list_usable_processors())
    specs = [
        replace(arena.spec(script, capacity=1), cores=cores, limits=Limits(cores=1.0))
        for script in (HONEST, opponent)
    ]
    for folder in (arena.folder, *(spec.bundle for spec in specs)):
        folder.chmod(0o755)  # where the platform is root, a bot is not
    time = TimeControl(bank=600.0, increment=0.0, limit=60.0)
    result = arena.play(specs, groups=2, time=time)
    assert result.finished
    assert len(result.outcomes) == 2
    seconds = decisions = 0.0
    for outcome in result.outcomes:
        assert not outcome.faults
        seat = outcome.entrants.index(0)
        seconds += outcome.thinking_seconds[seat]
        decisions += outcome.decisions[seat]
    spun = [float(told) for log in arena.lives.logs.values() for told in _SPUN.findall(log)]
    assert max(spun, default=0.0) >= (0.1 * decisions if opponent is SPINNER else 0.0)
    return seconds / decisions


def cost(arena: Arena) -> float:
    """How many times as much the honest bot is charged beside a spinner as beside a calm bot."""
    calm, spinning = (charged(arena, opponent) for opponent in (CALM, SPINNER))
    print(f"{calm * 1e3:.1f} ms beside a calm bot, {spinning * 1e3:.1f} ms beside a spinner")
    return spinning / calm


@pytest.mark.prove
def test_a_bot_runs_on_one_processor_at_a_time(arena: Arena) -> None:
    """Fair cpu: on the one that it was lent. Needs control groups for cpuset."""
    arena.lives.inner = open_sandbox(Isolation(ISOLATION))
    seen = "os.write(2, f'on {sorted(os.sched_getaffinity(0))}\\n'.encode())"
    (processor, *_) = list_usable_processors()
    cores = Cores([processor])
    specs = [
        replace(arena.spec(sdk(seen)), cores=cores, limits=Limits(cores=1.0)) for _ in range(2)
    ]
    for folder in (arena.folder, *(spec.bundle for spec in specs)):
        folder.chmod(0o755)
    assert arena.play(specs).finished
    for log in arena.lives.logs.values():
        assert {line for line in log.splitlines() if line.startswith("on")} == {f"on [{processor}]"}


@pytest.mark.prove
@pytest.mark.timing
def test_who_spins_on_every_core_costs_others_less_than_a_fifth(arena: Arena) -> None:
    """Needs control groups for cpu and the freezer, and two cores with nothing else to do."""
    assert measure_median(lambda: cost(arena), runs=5) < 1.2
