"""How soon the first mirror groups are complete, and what it costs: `bench.scale --early`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from unittest.mock import patch

from bench.hosted import Hosted, measure
from mazzo_server.tournaments.executor.local import LocalExecutor

__all__ = ["print_early"]

_SHARE_BAR, _SECONDS_BAR, _SPEED_BAR = 0.1, 20.0, 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    variant: str
    bots: int
    groups: int  # of a table, to try with
    think: float = 0.0  # seconds of a processor, a decision


_CASES = (
    _Case(variant="briscola/2", bots=2, groups=2000),
    _Case(variant="briscola/2", bots=4, groups=20, think=0.01),
    _Case(variant="briscola/4", bots=2, groups=1000),
    _Case(variant="briscola/4", bots=4, groups=10, think=0.01),
    _Case(variant="frap/12", bots=12, groups=40),
    _Case(variant="frap/12", bots=12, groups=4, think=0.01),
)


def print_early(*, minutes: float, rounds: int, isolation: str) -> None:
    """Play tournaments of about so many minutes by turns, all groups at once and as usual."""
    print(
        f"The first complete mirror group, isolation {isolation}, by turns; {rounds} rounds; bars: "
        f"a tenth of the run or {_SECONDS_BAR:.0f} s, {_SPEED_BAR:.0%} of the speed",
        flush=True,
    )
    for case in _CASES:
        short = _play(case, case.groups, isolation)
        groups = max(round(case.groups * minutes * 60 / short.seconds), case.groups)
        speeds, early = [], []
        for _ in range(rounds):
            with _all_at_once():
                whole = _play(case, groups, isolation)
            usual = _play(case, groups, isolation)
            speeds.append(usual.decisions_per_second / whole.decisions_per_second)
            early.append(usual.first_whole_seconds)
            print(
                f"  {case.variant}, {case.bots} bots that think {case.think * 1000:.0f} ms: all at "
                f"once {_describe(whole)}; as usual {_describe(usual)}: {speeds[-1]:.3f} times",
                flush=True,
            )
        is_early = median(early) <= max(_SECONDS_BAR, _SHARE_BAR * usual.seconds)
        verdict = "met" if is_early and median(speeds) >= _SPEED_BAR else "missed"
        print(f"    {median(speeds):.3f} times the speed: {verdict}", flush=True)


@contextmanager
def _all_at_once() -> Iterator[None]:
    """Let one batch have all groups."""
    with patch.dict(LocalExecutor.__init__.__kwdefaults__, in_batches=False):
        yield


def _play(case: _Case, groups: int, isolation: str) -> Hosted:
    return measure(
        groups=groups,
        capacity=64,
        isolation=isolation,
        variant=case.variant,
        bots=case.bots,
        think=case.think,
    )


def _describe(host: Hosted) -> str:
    return f"{host.first_whole_seconds:.0f} of {host.seconds:.0f} s"
