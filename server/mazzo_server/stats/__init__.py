"""Numbers in, numbers out: intervals, TrueSkill, sequential tests."""

from mazzo_server.stats.clusters import Cluster, Sums, Tables
from mazzo_server.stats.comparisons import compute_probability_better, estimate_more_groups
from mazzo_server.stats.excesses import Excess, PairAudit, audit_pairs
from mazzo_server.stats.histogram import Histogram, HistogramSums
from mazzo_server.stats.holm import reject_by_holm
from mazzo_server.stats.intervals import (
    LEAST_GROUPS,
    Interval,
    compute_mean_score,
    estimate_score,
)
from mazzo_server.stats.season import compute_season_ratings
from mazzo_server.stats.sequential import SequentialTest, SequentialVerdict
from mazzo_server.stats.student import compute_probability_above_zero
from mazzo_server.stats.trueskill import BETA, Rating, Ratings, inherit_rating

__all__ = [
    "BETA",
    "LEAST_GROUPS",
    "Cluster",
    "Excess",
    "Histogram",
    "HistogramSums",
    "Interval",
    "PairAudit",
    "Rating",
    "Ratings",
    "SequentialTest",
    "SequentialVerdict",
    "Sums",
    "Tables",
    "audit_pairs",
    "compute_mean_score",
    "compute_probability_above_zero",
    "compute_probability_better",
    "compute_season_ratings",
    "estimate_more_groups",
    "estimate_score",
    "inherit_rating",
    "reject_by_holm",
]
