"""The standings of a tournament: a pure fold over its mirror groups, and its results."""

from mazzo_server.results.standings.audit import Audit
from mazzo_server.results.standings.audit_process import compute_audit
from mazzo_server.results.standings.bracket import PlayedBout, PlayedPool
from mazzo_server.results.standings.fold import Fold
from mazzo_server.results.standings.seat_bias import SeatBias
from mazzo_server.results.standings.shares import add_scores, count_shares, judge_group, rank_group
from mazzo_server.results.standings.values import (
    Course,
    FaultEntry,
    Pair,
    Row,
    Standings,
)

__all__ = [
    "Audit",
    "Course",
    "FaultEntry",
    "Fold",
    "Pair",
    "PlayedBout",
    "PlayedPool",
    "Row",
    "SeatBias",
    "Standings",
    "add_scores",
    "compute_audit",
    "count_shares",
    "judge_group",
    "rank_group",
]
