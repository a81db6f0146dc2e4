"""Matches of a schedule as messages."""

from __future__ import annotations

from mazzo.v1 import replay_pb2
from mazzo_server.results import MatchStatus, ScheduledMatch

__all__ = ["encode_scheduled_match"]

_STATES = {
    MatchStatus.WAITING: replay_pb2.MATCH_STATE_WAITING,
    MatchStatus.HIDDEN: replay_pb2.MATCH_STATE_HIDDEN,
    MatchStatus.OPEN: replay_pb2.MATCH_STATE_OPEN,
    MatchStatus.VOID: replay_pb2.MATCH_STATE_VOID,
    MatchStatus.PRUNED: replay_pb2.MATCH_STATE_PRUNED,
}


def encode_scheduled_match(match: ScheduledMatch) -> replay_pb2.ScheduledMatch:
    """Encode a match of a schedule, without its record."""
    return replay_pb2.ScheduledMatch(
        group=match.group,
        seating=match.seating,
        entrants=match.entrants,
        commitment=match.commitment.hex(),
        state=_STATES[match.status],
    )
