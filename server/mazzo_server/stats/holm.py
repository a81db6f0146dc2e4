"""Holm's procedure for several tests at once (Scandinavian Journal of Statistics 6, 1979)."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["reject_by_holm"]


def reject_by_holm(p_values: Sequence[float], *, level: float) -> list[bool]:
    """Return which to reject; the probability of rejecting any true one is `level` at most."""
    rejected = [False] * len(p_values)
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for step, index in enumerate(order):
        if p_values[index] > level / (len(p_values) - step):
            break
        rejected[index] = True
    return rejected
