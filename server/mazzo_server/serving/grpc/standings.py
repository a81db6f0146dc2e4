"""The gRPC service of what lies behind standings: thin, for the platform does the work."""

from __future__ import annotations

from dataclasses import replace

from mazzo.v1 import standings_pb2, standings_pb2_grpc
from mazzo_server.serving.grpc.calls import Context
from mazzo_server.serving.grpc.messages import (
    encode_audit,
    encode_course,
    encode_head_to_head,
    encode_tournament,
)
from mazzo_server.serving.hosting.platform import Platform

__all__ = ["StandingsService"]


class StandingsService(standings_pb2_grpc.StandingsServiceServicer):
    """Compares entrants, and shows how scores are spread and how the order came about."""

    def __init__(self, platform: Platform) -> None:
        self._overview = platform.tournaments.overview

    async def GetHeadToHead(
        self, request: standings_pb2.GetHeadToHeadRequest, context: Context
    ) -> standings_pb2.GetHeadToHeadResponse:
        """Compare two entrants of a tournament."""
        standing = await self._overview.show(request.id, max_age=request.max_age_seconds)
        message = encode_head_to_head(standing, request.name, request.opponent)
        message.tournament.CopyFrom(encode_tournament(replace(standing, standings=None)))
        return message

    async def GetAudit(
        self, request: standings_pb2.GetAuditRequest, context: Context
    ) -> standings_pb2.GetAuditResponse:
        """Say which pairs of entrants do not fit what the results of all others explain."""
        standing, audit = await self._overview.audit(request.id)
        message = encode_audit(audit)
        message.tournament.CopyFrom(encode_tournament(standing))
        return message

    async def GetCourse(
        self, request: standings_pb2.GetCourseRequest, context: Context
    ) -> standings_pb2.GetCourseResponse:
        """Show how scores are spread, and how the order came about."""
        return encode_course(await self._overview.show(request.id, max_age=request.max_age_seconds))
