"""Bars on times: each asserts a median, since noise of the machine spoils any one run."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

RUNS = 3


def measure_median(measure: Callable[[], float], *, runs: int = RUNS) -> float:
    """Return the median of what `measure` returns in each of several runs."""
    found = [measure() for _ in range(runs)]
    print("measured", *(f"{one:.4g}" for one in found))
    return median(found)
