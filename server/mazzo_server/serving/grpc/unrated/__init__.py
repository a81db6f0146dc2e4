"""The gRPC services of what counts for no ranking."""

from mazzo_server.serving.grpc.unrated.challenges import ChallengeService
from mazzo_server.serving.grpc.unrated.ladders import LadderService
from mazzo_server.serving.grpc.unrated.tables import TableService

__all__ = ["ChallengeService", "LadderService", "TableService"]
