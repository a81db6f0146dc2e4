"""The variance of a score per deal, and of a difference of two.

The deals of a mirror group are no independent observations: they share their cards, and are
played by the same entrants. So the group is the unit (a *cluster*), and the tables of
entrants, whose number of groups is fixed by the schedule, are the *strata*. At table p with
groups i = 1 … n_p of m_i counted deals and scores that sum to y_i, let

    r_p = Σ y_i / Σ m_i            the table's score per deal
    z_i = (y_i − r_p m_i) / m̄_p    a group's deviation (its mean less r_p, if all m_i are equal)
    s_p² = Σ z_i² / (n_p − 1)      their variance, n_p − 1 = ν_p degrees of freedom

which is the linearised variance of a ratio (Cochran, Sampling Techniques, 3rd ed. 1977, 2.11
and 6.10). An estimate Σ w_p r_p then has variance V = Σ v_p with v_p = w_p² s_p² / n_p, and
degrees of freedom V² / Σ v_p² / (ν_p + 2) − 2, at least the least ν_p and at most Σ ν_p. That
is Welch's correction (1947) of Satterthwaite's V² / Σ v_p² / ν_p (1946), which takes too few
where there are many tables of few groups: its 95 % intervals cover 97.5 % at two groups each.

A table with a single group shows no variance. It takes the one pooled over the tables that
have two or more, s² = Σ ν_p s_p² / Σ ν_p, which assumes that luck is alike at all tables.
Where no table has two groups nothing can be estimated.

All of this follows from sums of whole numbers (`Sums`), so it is exact until the last
division: groups that are equal have a variance of exactly 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mazzo_server.stats.clusters import Sums

__all__ = ["Stratum", "find_spread", "make_stratum"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """One table's part in Σ w_p r_p; in a difference, r_p is the weighted score of both."""

    weight: float  # w_p
    groups: int
    variance: float | None  # s_p²; None with one group


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    error: float  # standard error, √V
    freedom: float  # degrees of freedom, at least 1


def make_stratum(sums: Sums, weight: float, weights: Mapping[int, int]) -> Stratum:
    """Return a table with the weight w_p, whose r_p is Σ weights · scores per deal of places."""
    variance = sums.compute_variance(weights) if sums.groups > 1 else None
    return Stratum(weight=weight, groups=sums.groups, variance=variance)


def find_spread(strata: Sequence[Stratum], more: int = 0) -> Spread | None:
    """Return the standard error of Σ w_p r_p, or None where no stratum has two groups.

    With `more`, it assumes so many more groups in each stratum and the same variances.
    """
    repeated = list(_list_repeated(strata))
    if not repeated:
        return None
    free = sum(stratum.groups - 1 for stratum, _ in repeated)
    pooled = math.fsum((s.groups - 1) * variance for s, variance in repeated) / free
    if more:
        parts = [
            (
                stratum.weight**2
                * (pooled if stratum.variance is None else stratum.variance)
                / (stratum.groups + more),
                stratum.groups + more - 1,
            )
            for stratum in strata
        ]
    else:
        lone = math.fsum(stratum.weight**2 for stratum in strata if stratum.variance is None)
        parts = [  # parts of V, with the degrees of freedom of each
            (
                (s.weight**2 / s.groups + lone * (s.groups - 1) / free) * variance,
                s.groups - 1,
            )
            for s, variance in repeated
        ]
    total = math.fsum(part for part, _ in parts)
    if total == 0:
        return Spread(error=0.0, freedom=sum(own for _, own in parts))
    # Parts of the total, since the square of a tiny variance might vanish.
    freedom = 1 / math.fsum((part / total) ** 2 / (own + 2) for part, own in parts) - 2
    least, most = min(own for _, own in parts), sum(own for _, own in parts)
    return Spread(error=math.sqrt(total), freedom=min(max(freedom, least), most))


def _list_repeated(strata: Sequence[Stratum]) -> Iterator[tuple[Stratum, float]]:
    for stratum in strata:
        if stratum.variance is not None:
            yield stratum, stratum.variance
