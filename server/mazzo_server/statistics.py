"""The score per deal: its 95 % interval, and the comparison of two of them.

The deals of a mirror group are no independent observations: they share their cards, and are
played by the same entrants. So the group is the unit (a *cluster*), and the tables of
entrants, whose number of groups is fixed by the schedule, are the *strata*. At table p with
groups i = 1 … n_p of m_i counted deals and scores that sum to y_i, let

    r_p = Σ y_i / Σ m_i            the table's score per deal
    z_i = (y_i − r_p m_i) / m̄_p    a group's deviation (its mean less r_p, if all m_i are equal)
    s_p² = Σ z_i² / (n_p − 1)      their variance, n_p − 1 degrees of freedom

which is the linearised variance of a ratio (Cochran, Sampling Techniques, 3rd ed. 1977, 2.11
and 6.10). An estimate Σ w_p r_p then has variance V = Σ w_p² s_p² / n_p, with degrees of
freedom V² / Σ (w_p² s_p² / n_p)² / (n_p − 1) (Satterthwaite 1946; Welch 1947).

A table with a single group shows no variance. It takes the one pooled over the tables that
have two or more, s² = Σ (n_p − 1) s_p² / Σ (n_p − 1), which assumes that luck is alike at all
tables. Where no table has two groups nothing can be estimated.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Cluster", "Interval", "Sample", "probability_better", "score_per_deal"]

_UPPER = 0.975  # the upper end of a two-sided 95 % interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """What one entrant scored in one mirror group."""

    score: int  # sum of the deal scores over the counted deals
    deals: int  # counted deals


Sample = Mapping[tuple[int, ...], Sequence[Cluster]]
"""The groups of one entrant by table, in schedule order.

Two entrants at the same table have the same groups there, each with the same counted deals.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A score per deal, in the points of the deal score, with its 95 % confidence interval."""

    mean: float | None  # None without a counted deal
    low: float | None  # None where the variance cannot be estimated
    high: float | None
    deals: int  # counted deals


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stratum:
    weight: float  # w_p
    deviations: Sequence[float]  # z_i; they sum to 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spread:
    error: float  # standard error, √V
    freedom: float  # degrees of freedom, at least 1


def score_per_deal(groups: Sample) -> Interval:
    """The mean over all counted deals, each deal weighing the same: w_p is the table's share.

    The interval is mean ± t √V with the quantile t of Student's distribution. It speaks of
    the luck of the deals and of the bots' own, against these opponents: it says nothing of
    others.
    """
    tables = [_counted(clusters) for clusters in groups.values()]
    score = sum(cluster.score for clusters in tables for cluster in clusters)
    deals = _deals(cluster for clusters in tables for cluster in clusters)
    if not deals:
        return Interval(mean=None, low=None, high=None, deals=0)
    mean = score / deals
    spread = _spread(
        [
            _Stratum(weight=_deals(clusters) / deals, deviations=_deviations(clusters))
            for clusters in tables
            if clusters
        ]
    )
    if spread is None:
        return Interval(mean=mean, low=None, high=None, deals=deals)
    margin = _t_quantile(spread.freedom, _UPPER) * spread.error
    return Interval(mean=mean, low=mean - margin, high=mean + margin, deals=deals)


def probability_better(a: Sample, b: Sample) -> float | None:
    """The probability that a's true score per deal is above b's, each against its opponents.

    It is that of Student's t for the difference of the two means, approximately the posterior
    probability when nothing is known beforehand. Groups at different tables are taken as
    independent. At a table where both sat they are not, for what one wins the other loses:
    there the difference of the two scores is taken group by group, as one stratum of weight
    w = w_a + w_b, so that their covariance is counted as it was observed.

    None where either has no counted deal, or the variance cannot be estimated.
    """
    mean_a, mean_b = score_per_deal(a), score_per_deal(b)
    if mean_a.mean is None or mean_b.mean is None:
        return None
    strata = []
    for table in (*a, *(table for table in b if table not in a)):
        ours, theirs = _counted(a.get(table, ())), _counted(b.get(table, ()))
        weight_a, weight_b = _deals(ours) / mean_a.deals, _deals(theirs) / mean_b.deals
        weight = weight_a + weight_b
        if ours and theirs:
            pairs = zip(_deviations(ours), _deviations(theirs), strict=True)
            deviations = [(weight_a * x - weight_b * y) / weight for x, y in pairs]
        else:
            deviations = _deviations(ours or theirs)
        if deviations:
            strata.append(_Stratum(weight=weight, deviations=deviations))
    spread = _spread(strata)
    if spread is None:
        return None
    difference = mean_a.mean - mean_b.mean
    if spread.error == 0:
        return 0.5 if difference == 0 else float(difference > 0)
    return _t_distribution(spread.freedom, difference / spread.error)


# SciPy takes a third of a second to import, and most commands compute no interval.


def _t_quantile(freedom: float, probability: float) -> float:
    """Below which point Student's t lies with this probability."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, probability))


def _t_distribution(freedom: float, point: float) -> float:
    """The probability that Student's t lies below a point."""
    from scipy.special import stdtr

    return float(stdtr(freedom, point))


def _counted(clusters: Iterable[Cluster]) -> list[Cluster]:
    return [cluster for cluster in clusters if cluster.deals]


def _deals(clusters: Iterable[Cluster]) -> int:
    return sum(cluster.deals for cluster in clusters)


def _deviations(clusters: Sequence[Cluster]) -> list[float]:
    """z_i of each group; scores and deals are whole numbers, so equal groups give exactly 0."""
    score, deals = sum(cluster.score for cluster in clusters), _deals(clusters)
    return [
        (cluster.score * deals - score * cluster.deals) * len(clusters) / deals**2
        for cluster in clusters
    ]


def _spread(strata: Sequence[_Stratum]) -> _Spread | None:
    """The standard error of Σ w_p r_p, or None where no stratum has two groups."""
    repeated = [stratum for stratum in strata if len(stratum.deviations) > 1]
    if not repeated:
        return None
    free = sum(len(stratum.deviations) - 1 for stratum in repeated)
    lone = math.fsum(s.weight**2 for s in strata if len(s.deviations) == 1)
    parts = []  # of V, with the degrees of freedom of each
    for stratum in repeated:
        groups = len(stratum.deviations)
        variance = math.fsum(z * z for z in stratum.deviations) / (groups - 1)
        share = stratum.weight**2 / groups + lone * (groups - 1) / free
        parts.append((share * variance, groups - 1))
    total = math.fsum(part for part, _ in parts)
    if total == 0:
        return _Spread(error=0.0, freedom=free)
    # Parts of the whole, since the square of a tiny variance might vanish.
    freedom = 1 / math.fsum((part / total) ** 2 / own for part, own in parts)
    return _Spread(error=math.sqrt(total), freedom=freedom)
