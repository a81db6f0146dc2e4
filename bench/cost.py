"""What it costs that workers play, and not the platform's process: `bench.scale --cost`."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from bench.hosted import Hosted, measure

__all__ = ["print_cost"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    variant: str
    bots: int
    groups: int  # to try with, and three times as many
    bar: float  # times the CPU of one process, at most


_CASES = (
    _Case(variant="briscola/2", bots=2, groups=4000, bar=1.05),
    _Case(variant="frap/12", bots=12, groups=20, bar=1.10),
)


def print_cost(*, minutes: float, rounds: int, workers: int, isolation: str) -> None:
    """Play tournaments of about so many minutes by turns, in one process and by workers."""
    print(
        f"CPU a decision of all processes, tournaments of random bots, isolation {isolation}, by "
        f"turns; {rounds} rounds",
        flush=True,
    )
    for case in _CASES:
        groups = _find_groups(case, minutes * 60, isolation)
        ratios = []
        for _ in range(rounds):
            alone = _play(case, groups, workers=1, isolation=isolation)
            shared = _play(case, groups, workers=workers, isolation=isolation)
            ratios.append(shared.cpu_seconds / alone.cpu_seconds)
            print(
                f"  {case.variant}, {case.bots} bots: one process {_describe(alone)}; "
                f"{workers} workers {_describe(shared)}: {ratios[-1]:.3f} times",
                flush=True,
            )
        cost = median(ratios)
        verdict = "met" if cost <= case.bar else "missed"
        print(f"  {case.variant}: {cost:.3f} times, bar {case.bar:.2f}: {verdict}", flush=True)


def _find_groups(case: _Case, seconds: float, isolation: str) -> int:
    """Return how many groups one process plays in so many seconds, which starts are a part of."""
    few, more = case.groups, 3 * case.groups
    short, long = (
        _play(case, groups, workers=1, isolation=isolation).seconds for groups in (few, more)
    )
    each = (long - short) / (more - few)
    return max(few + round((seconds - short) / each), 1)


def _play(case: _Case, groups: int, *, workers: int, isolation: str) -> Hosted:
    return measure(
        groups=groups,
        capacity=64,
        isolation=isolation,
        workers=workers,
        variant=case.variant,
        bots=case.bots,
    )


def _describe(host: Hosted) -> str:
    return (
        f"{host.cpu_seconds * 1e6:.1f} µs in {host.seconds:.0f} s, "
        f"{host.frame_decisions:.1f} decisions a frame"
    )
