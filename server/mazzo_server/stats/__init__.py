"""Numbers in, numbers out: intervals, TrueSkill, sequential tests."""

from mazzo_server.stats.clusters import Cluster, Sums, Tables
from mazzo_server.stats.comparisons import more_groups, probability_better
from mazzo_server.stats.intervals import Interval, mean_score, score_per_deal
from mazzo_server.stats.student import student
from mazzo_server.stats.trueskill import BETA, PRIOR, Rating, Ratings

__all__ = [
    "BETA",
    "PRIOR",
    "Cluster",
    "Interval",
    "Rating",
    "Ratings",
    "Sums",
    "Tables",
    "mean_score",
    "more_groups",
    "probability_better",
    "score_per_deal",
    "student",
]
