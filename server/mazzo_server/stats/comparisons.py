"""Compares two scores per deal."""

from __future__ import annotations

from mazzo_server.stats.clusters import Tables, average_tables, group_by_table
from mazzo_server.stats.intervals import CONFIDENCE
from mazzo_server.stats.strata import Stratum, find_spread, make_stratum
from mazzo_server.stats.student import compute_probability_above_zero, compute_student_quantile

__all__ = ["compute_probability_better", "estimate_more_groups"]


_MOST_GROUPS = 10**9  # more than anybody can play


def compute_probability_better(tables: Tables, a: int, b: int) -> float | None:
    """Return the probability that a's true score per deal is above b's, each against its opponents.

    It is the probability by Student's t for the difference of the two means, approximately the
    posterior probability when nothing is known beforehand. Groups at different tables are taken as
    independent. At a table where both sat they are not, for what one wins the other loses: there
    the difference of the two scores is taken group by group, as one stratum of weight w = w_a +
    w_b, so that their covariance counts as it was observed.

    Returns None where either has no counted deal, or the variance cannot be estimated.
    """
    compared = _compare(tables, a, b)
    if compared is None:
        return None
    difference, strata = compared
    spread = find_spread(strata)
    return (
        None
        if spread is None
        else compute_probability_above_zero(difference, spread.error, spread.freedom)
    )


def estimate_more_groups(tables: Tables, a: int, b: int) -> int | None:
    """Return how many more groups each of their tables needs to tell the two apart.

    With so many, the difference of their scores per deal is as large as the margin of its 95 %
    interval, if difference and variances stay as they are; 0 where it already is.

    Returns None where the difference is 0 or the variance cannot be estimated, and where the number
    would be more than a billion.
    """
    compared = _compare(tables, a, b)
    if compared is None:
        return None
    difference, strata = compared
    spread = find_spread(strata)
    if spread is None or difference == 0:
        return None

    def is_separated(more: int) -> bool:
        expected = find_spread(strata, more)
        assert expected is not None
        return (
            abs(difference)
            >= compute_student_quantile(expected.freedom, (1 + CONFIDENCE) / 2) * expected.error
        )

    if is_separated(0):
        return 0
    enough = 1
    while not is_separated(enough):
        enough *= 2
        if enough > _MOST_GROUPS:
            return None
    too_few = enough // 2
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if is_separated(middle):
            enough = middle
        else:
            too_few = middle
    return enough


def _compare(tables: Tables, a: int, b: int) -> tuple[float, list[Stratum]] | None:
    """Return the difference of two scores per deal, and the tables behind it."""
    ours, theirs = group_by_table(tables, a), group_by_table(tables, b)
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
            strata.append(make_stratum(sums, sum(map(abs, weights.values())) / both, weights))
    return float(average_tables(ours) - average_tables(theirs)), strata
