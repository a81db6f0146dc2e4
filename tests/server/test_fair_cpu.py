"""Bar: with fair cpu, a bot that keeps every core busy costs the others less than 20 %."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

import pytest

from mazzo_server.definition import TimeControl
from mazzo_server.master.cores import Cores, usable_processors
from mazzo_server.sandbox import Limits, open_sandbox
from server.arena import Arena, sdk
from server.attacks.battle import ISOLATION

CPU_SECONDS = 0.05  # of a decision
ROUNDS = 3

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
    """,
    start="""
    for _ in range(2):
        if os.fork() == 0:
            while True:
                pass
    """,
)
CALM = sdk("time.sleep(0.2)")


def charged(arena: Arena, opponent: str, *, fair: bool) -> float:
    """Seconds for a decision of the honest bot, while its opponent has to think all the time."""
    arena.lives.inner = open_sandbox(ISOLATION)
    cores = Cores(usable_processors()) if fair else None
    limits = Limits(cores=1.0 if fair else None)
    specs = [
        replace(arena.spec(script, capacity=1), cores=cores, limits=limits)
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
    return seconds / decisions


@pytest.mark.prove
def test_a_bot_runs_on_one_processor_at_a_time(arena: Arena) -> None:
    """Fair cpu: on the one that it was lent. Needs control groups for cpuset."""
    arena.lives.inner = open_sandbox(ISOLATION)
    seen = "os.write(2, f'on {sorted(os.sched_getaffinity(0))}\\n'.encode())"
    (processor, *_) = usable_processors()
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
def test_who_spins_on_every_core_costs_others_less_than_a_fifth(arena: Arena) -> None:
    """Needs control groups for cpu and the freezer, and two cores with nothing else to do."""
    ratios: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(ROUNDS):
        for fair, found in ratios.items():
            calm = charged(arena, CALM, fair=fair)
            found.append(charged(arena, SPINNER, fair=fair) / calm)
            print(f"fair={fair}: {calm * 1e3:.1f} ms beside a calm bot, × {found[-1]:.2f}")
    assert median(ratios[True]) < 1.2
    assert median(ratios[False]) > 1.2, "the spinner does not spin"
