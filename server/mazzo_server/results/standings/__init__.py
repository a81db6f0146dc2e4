"""The standings of a tournament: a pure fold over its mirror groups, and what comes of it."""

from mazzo_server.results.standings.fold import MOST_FAULTS, Fold, compute
from mazzo_server.results.standings.seat_bias import PlaceScore, SeatBias
from mazzo_server.results.standings.shares import group_ranks, group_result
from mazzo_server.results.standings.values import (
    FaultEntry,
    FaultKind,
    Pair,
    Row,
    Standings,
    Withdrawal,
)

__all__ = [
    "MOST_FAULTS",
    "FaultEntry",
    "FaultKind",
    "Fold",
    "Pair",
    "PlaceScore",
    "Row",
    "SeatBias",
    "Standings",
    "Withdrawal",
    "compute",
    "group_ranks",
    "group_result",
]
