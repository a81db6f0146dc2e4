"""The score per deal of an entrant, with its 95 % interval.

`strata` says how the variance is estimated.
"""

from __future__ import annotations

from dataclasses import dataclass

from mazzo_server.stats.clusters import Tables, mean_of_tables, tables_of
from mazzo_server.stats.strata import find_spread, make_stratum
from mazzo_server.stats.student import student_quantile

__all__ = ["CONFIDENCE", "Interval", "mean_score", "score_per_deal"]


CONFIDENCE = 0.95  # of an interval, both of its ends taken together


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


def score_per_deal(tables: Tables, entrant: int, *, confidence: float = CONFIDENCE) -> Interval:
    """The mean of the tables where an entrant sat, each weighing the same: w_p is 1 / their number.

    So a table that was played more often, since its order was in doubt, does not count for
    more. The interval is mean ± t √V with the quantile t of Student's distribution. It speaks
    of the luck of the deals and of the bots' own, against these opponents: it says nothing of
    others.
    """
    own = tables_of(tables, entrant)
    deals = sum(sums.deals for _, sums in own)
    if not own:
        return Interval(mean=None, low=None, high=None, deals=0)
    mean = float(mean_of_tables(own))
    spread = find_spread([make_stratum(sums, 1 / len(own), {place: 1}) for place, sums in own])
    if spread is None:
        return Interval(mean=mean, low=None, high=None, deals=deals)
    margin = student_quantile(spread.freedom, (1 + confidence) / 2) * spread.error
    return Interval(mean=mean, low=mean - margin, high=mean + margin, deals=deals)


def mean_score(tables: Tables, entrant: int) -> float | None:
    """The score per deal alone; None without a counted deal."""
    own = tables_of(tables, entrant)
    return float(mean_of_tables(own)) if own else None
