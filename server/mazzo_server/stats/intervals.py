"""The score per deal: its 95 % interval, and the comparison of two of them.

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
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement

__all__ = [
    "Cluster",
    "Interval",
    "Sums",
    "Tables",
    "mean_score",
    "more_groups",
    "probability_better",
    "score_per_deal",
    "student",
]

_CONFIDENCE = 0.95  # of an interval, both of its ends taken together
_MOST_GROUPS = 10**9  # more than that nobody can play


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """What one entrant scored in one mirror group."""

    score: int  # sum of the deal scores over the counted deals
    deals: int  # counted deals


class Sums:
    """What the mirror groups of one table add up to; groups without counted deals are left out.

    Entrants go by their place at the table, in the order of its key in `Tables`.
    """

    __slots__ = ("_pairs", "deals", "deals_squared", "groups", "products", "score_deals", "scores")

    def __init__(self, entrants: int) -> None:
        self.groups = 0  # n
        self.deals = 0  # Σ m
        self.deals_squared = 0  # Σ m²
        self.scores = [0] * entrants  # Σ y
        self.score_deals = [0] * entrants  # Σ y m
        self._pairs = tuple(combinations_with_replacement(range(entrants), 2))
        self.products = [0] * len(self._pairs)  # Σ y_a y_b for a ≤ b, by a, then b

    def add(self, scores: Sequence[int], *, deals: int) -> None:
        """Take in a group: what each entrant scored over its counted deals, which all share."""
        if not deals:
            return
        self.groups += 1
        self.deals += deals
        self.deals_squared += deals * deals
        for place, score in enumerate(scores):
            self.scores[place] += score
            self.score_deals[place] += score * deals
        for index, (a, b) in enumerate(self._pairs):
            self.products[index] += scores[a] * scores[b]

    def numbers(self) -> list[int]:
        """All of it, for `of`."""
        whole = [self.groups, self.deals, self.deals_squared]
        return whole + self.scores + self.score_deals + self.products

    @classmethod
    def of(cls, entrants: int, numbers: Sequence[int]) -> Sums:
        """What `numbers` gave."""
        sums = cls(entrants)
        sums.groups, sums.deals, sums.deals_squared = numbers[:3]
        sums.scores = list(numbers[3 : 3 + entrants])
        sums.score_deals = list(numbers[3 + entrants : 3 + 2 * entrants])
        sums.products = list(numbers[3 + 2 * entrants :])
        return sums

    def variance(self, weights: Mapping[int, int]) -> float:
        """s² of Σ weight · score per deal / Σ |weight|, over some places.

        Correctly rounded; raises where there is one group.
        """
        score = sum(weight * self.scores[place] for place, weight in weights.items())
        score_deals = sum(weight * self.score_deals[place] for place, weight in weights.items())
        squares = sum(
            weights[a] * weights[b] * product * (1 if a == b else 2)
            for (a, b), product in zip(self._pairs, self.products, strict=True)
            if a in weights and b in weights
        )
        # Σ (y_i M − Y m_i)², where M is Σ m_i and Y is Σ y_i
        deviations = (
            squares * self.deals**2
            - 2 * score * score_deals * self.deals
            + score**2 * self.deals_squared
        )
        scale = sum(map(abs, weights.values()))
        return deviations * self.groups**2 / (self.deals**4 * (self.groups - 1) * scale**2)


Tables = Mapping[tuple[int, ...], Sums]
"""By the entrants of a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A score per deal, in the points of the deal score, with its confidence interval."""

    mean: float | None  # None without a counted deal
    low: float | None  # None where the variance cannot be estimated
    high: float | None
    deals: int  # counted deals

    @property
    def margin(self) -> float | None:
        """How far its ends are from the mean; where one stands at what is possible, the other."""
        if self.mean is None or self.low is None or self.high is None:
            return None
        return max(self.mean - self.low, self.high - self.mean)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stratum:
    """A table's part in Σ w_p r_p; where it is a difference, r_p is that of both, as weighed."""

    weight: float  # w_p
    groups: int
    variance: float | None  # s_p²; None with one group


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spread:
    error: float  # standard error, √V
    freedom: float  # degrees of freedom, at least 1


def score_per_deal(tables: Tables, entrant: int, *, confidence: float = _CONFIDENCE) -> Interval:
    """The mean of the tables where an entrant sat, each weighing the same: w_p is 1 / their number.

    So a table that was played more often, since its order was in doubt, does not count for
    more. The interval is mean ± t √V with the quantile t of Student's distribution. It speaks
    of the luck of the deals and of the bots' own, against these opponents: it says nothing of
    others.
    """
    own = _of(tables, entrant)
    deals = sum(sums.deals for _, sums in own)
    if not own:
        return Interval(mean=None, low=None, high=None, deals=0)
    mean = float(_mean(own))
    spread = _spread([_stratum(sums, 1 / len(own), {place: 1}) for place, sums in own])
    if spread is None:
        return Interval(mean=mean, low=None, high=None, deals=deals)
    margin = _t_quantile(spread.freedom, (1 + confidence) / 2) * spread.error
    return Interval(mean=mean, low=mean - margin, high=mean + margin, deals=deals)


def mean_score(tables: Tables, entrant: int) -> float | None:
    """The score per deal alone; None without a counted deal."""
    own = _of(tables, entrant)
    return float(_mean(own)) if own else None


def probability_better(tables: Tables, a: int, b: int) -> float | None:
    """The probability that a's true score per deal is above b's, each against its opponents.

    It is that of Student's t for the difference of the two means, approximately the posterior
    probability when nothing is known beforehand. Groups at different tables are taken as
    independent. At a table where both sat they are not, for what one wins the other loses:
    there the difference of the two scores is taken group by group, as one stratum of weight
    w = w_a + w_b, so that their covariance is counted as it was observed.

    None where either has no counted deal, or the variance cannot be estimated.
    """
    compared = _compared(tables, a, b)
    if compared is None:
        return None
    difference, strata = compared
    spread = _spread(strata)
    return None if spread is None else student(difference, spread.error, spread.freedom)


def more_groups(tables: Tables, a: int, b: int) -> int | None:
    """How many more groups each of their tables would have to play to tell the two apart.

    That is, so that the difference of their scores per deal is as large as the margin of its
    95 % interval, if difference and variances stay as they are; 0 where it is already.

    None where the difference is 0 or the variance cannot be estimated, and where it would be
    more than a billion.
    """
    compared = _compared(tables, a, b)
    if compared is None:
        return None
    difference, strata = compared
    spread = _spread(strata)
    if spread is None or difference == 0:
        return None

    def separated(more: int) -> bool:
        expected = _spread(strata, more)
        assert expected is not None
        return (
            abs(difference) >= _t_quantile(expected.freedom, (1 + _CONFIDENCE) / 2) * expected.error
        )

    if separated(0):
        return 0
    enough = 1
    while not separated(enough):
        enough *= 2
        if enough > _MOST_GROUPS:
            return None
    too_few = enough // 2
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if separated(middle):
            enough = middle
        else:
            too_few = middle
    return enough


def student(estimate: float, error: float, freedom: float) -> float:
    """The probability that the truth is above 0: Student's t; ½ for an estimate of exactly 0."""
    if error == 0:
        return 0.5 if estimate == 0 else float(estimate > 0)
    # SciPy takes a third of a second to import, and most commands compute no interval.
    from scipy.special import stdtr

    return float(stdtr(freedom, estimate / error))


def _t_quantile(freedom: float, probability: float) -> float:
    """Below which point Student's t lies with this probability."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, probability))


def _of(tables: Tables, entrant: int) -> list[tuple[int, Sums]]:
    """The tables where an entrant sat in a counted deal, with its place."""
    return [
        (table.index(entrant), sums)
        for table, sums in tables.items()
        if entrant in table and sums.groups
    ]


def _mean(own: Sequence[tuple[int, Sums]]) -> Fraction:
    """Σ r_p / their number, exactly."""
    scores: Counter[int] = Counter()  # by the table's deals, of which few are different
    for place, sums in own:
        scores[sums.deals] += sums.scores[place]
    return sum((Fraction(score, deals) for deals, score in scores.items()), Fraction()) / len(own)


def _compared(tables: Tables, a: int, b: int) -> tuple[float, list[_Stratum]] | None:
    """The difference of two scores per deal, and the tables that it comes from."""
    ours, theirs = _of(tables, a), _of(tables, b)
    if not ours or not theirs:
        return None
    both = len(ours) * len(theirs)  # w_a = 1 / len(ours) and w_b, as whole numbers times 1 / both
    strata = []
    for table, sums in tables.items():
        weights = {}
        if a in table:
            weights[table.index(a)] = len(theirs)
        if b in table:
            weights[table.index(b)] = -len(ours)
        if weights and sums.groups:
            strata.append(_stratum(sums, sum(map(abs, weights.values())) / both, weights))
    return float(_mean(ours) - _mean(theirs)), strata


def _stratum(sums: Sums, weight: float, weights: Mapping[int, int]) -> _Stratum:
    """A table that brings in Σ weights · scores per deal, of places of it, as w_p of the whole."""
    variance = sums.variance(weights) if sums.groups > 1 else None
    return _Stratum(weight=weight, groups=sums.groups, variance=variance)


def _spread(strata: Sequence[_Stratum], more: int = 0) -> _Spread | None:
    """The standard error of Σ w_p r_p, or None where no stratum has two groups.

    With `more` groups at each, if the variances stay what they are.
    """
    repeated = list(_repeated(strata))
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
        parts = [  # of V, with the degrees of freedom of each
            (
                (s.weight**2 / s.groups + lone * (s.groups - 1) / free) * variance,
                s.groups - 1,
            )
            for s, variance in repeated
        ]
    total = math.fsum(part for part, _ in parts)
    if total == 0:
        return _Spread(error=0.0, freedom=sum(own for _, own in parts))
    # Parts of the whole, since the square of a tiny variance might vanish.
    freedom = 1 / math.fsum((part / total) ** 2 / (own + 2) for part, own in parts) - 2
    least, most = min(own for _, own in parts), sum(own for _, own in parts)
    return _Spread(error=math.sqrt(total), freedom=min(max(freedom, least), most))


def _repeated(strata: Sequence[_Stratum]) -> Iterator[tuple[_Stratum, float]]:
    for stratum in strata:
        if stratum.variance is not None:
            yield stratum, stratum.variance
