"""Messages of challenges."""

from __future__ import annotations

from typing import Final

from mazzo.v1 import challenge_pb2
from mazzo_server.serving.grpc.messages.timestamps import encode_time
from mazzo_server.storage import TournamentStatus
from mazzo_server.tournaments.challenges import ChallengeRequest, ChallengeStanding

__all__ = ["decode_challenge_request", "encode_challenge"]

_STATES: Final = {
    TournamentStatus.CREATED: challenge_pb2.CHALLENGE_STATE_WAITING,
    TournamentStatus.RUNNING: challenge_pb2.CHALLENGE_STATE_WAITING,  # until a server goes on
    TournamentStatus.PAUSED: challenge_pb2.CHALLENGE_STATE_PAUSED,
    TournamentStatus.CANCELLED: challenge_pb2.CHALLENGE_STATE_CANCELLED,
    TournamentStatus.FINISHED: challenge_pb2.CHALLENGE_STATE_FINISHED,
}


def decode_challenge_request(
    message: challenge_pb2.CreateChallengeRequest, *, isolation: str
) -> ChallengeRequest:
    """Return what an author asks for."""
    return ChallengeRequest(
        bot=message.bot,
        version=message.version,
        opponent=message.opponent,
        opponent_version=message.opponent_version,
        variant=message.variant,
        groups=message.groups,
        isolation=isolation,
    )


def encode_challenge(standing: ChallengeStanding, *, author: str | None) -> challenge_pb2.Challenge:
    """Return a challenge as everybody may see it, for an author, ("") an organiser, or others."""
    row = standing.row
    definition = row.definition
    message = challenge_pb2.Challenge(
        id=row.id,
        author=standing.author,
        bot=definition.hero,
        version=standing.version,
        opponent=standing.opponent,
        opponent_version=standing.opponent_version,
        variant=definition.variant,
        groups=definition.groups,
        state=(challenge_pb2.CHALLENGE_STATE_PLAYING if standing.running else _STATES[row.status]),
        place=standing.place,
        matches_played=row.matches_played,
        matches_total=standing.matches_total,
        create_time=encode_time(row.create_time),
        own=author in ("", standing.author),
    )
    if standing.groups is not None:
        message.wins, message.draws, message.losses = standing.groups
    if row.end_time is not None:
        message.end_time.CopyFrom(encode_time(row.end_time))
    return message
