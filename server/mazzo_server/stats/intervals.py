"""The score per deal of an entrant, with its 95 % interval.

`strata` explains how the variance is estimated.
"""

from __future__ import annotations

from dataclasses import dataclass

from mazzo_server.stats.clusters import Tables, average_tables, group_by_table
from mazzo_server.stats.strata import find_spread, make_stratum
from mazzo_server.stats.student import compute_student_quantile

__all__ = ["CONFIDENCE", "LEAST_GROUPS", "Interval", "compute_mean_score", "estimate_score"]


CONFIDENCE = 0.95  # of an interval, both of its ends taken together
LEAST_GROUPS = 10
"""Fewer may all be alike by chance, such as three that one entrant has won. They show no variance,
and an interval of no width would say that nothing is left to luck."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A score per deal, in the points of the deal score, with its confidence interval."""

    mean: float | None  # None without a counted deal
    low: float | None  # None where the variance cannot be estimated
    high: float | None
    deals: int  # counted deals

    @property
    def margin(self) -> float | None:
        """The distance of the farther end from the mean; the nearer may be cut at a bound."""
        if self.mean is None or self.low is None or self.high is None:
            return None
        return max(self.mean - self.low, self.high - self.mean)


def estimate_score(tables: Tables, entrant: int, *, confidence: float = CONFIDENCE) -> Interval:
    """Return the mean of an entrant's tables, with equal weights: w_p is 1 / their number.

    So a table that was played more often, since its order was in doubt, does not count for more.
    The interval is mean ± t √V with the quantile t of Student's distribution. It covers the luck of
    the deals and of the bots' own choices, against these opponents: it tells nothing of others.
    There is none where all groups of each table are alike and fewer than `LEAST_GROUPS` in all.
    """
    own = group_by_table(tables, entrant)
    deals = sum(sums.deals for _, sums in own)
    if not own:
        return Interval(mean=None, low=None, high=None, deals=0)
    mean = float(average_tables(own))
    spread = find_spread([make_stratum(sums, 1 / len(own), {place: 1}) for place, sums in own])
    groups = sum(sums.groups for _, sums in own)
    if spread is None or (not spread.error and groups < LEAST_GROUPS):
        return Interval(mean=mean, low=None, high=None, deals=deals)
    margin = compute_student_quantile(spread.freedom, (1 + confidence) / 2) * spread.error
    return Interval(mean=mean, low=mean - margin, high=mean + margin, deals=deals)


def compute_mean_score(tables: Tables, entrant: int) -> float | None:
    """Return the score per deal alone; None without a counted deal."""
    own = group_by_table(tables, entrant)
    return float(average_tables(own)) if own else None
