"""The gRPC service of ladders."""

from __future__ import annotations

from mazzo.v1 import ladder_pb2, ladder_pb2_grpc
from mazzo_server.serving.grpc.calls import Context, find_acting_author
from mazzo_server.serving.grpc.messages import (
    cut_page,
    decode_tournament_request,
    encode_ladder,
    encode_season,
)
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.tournaments.ladders import USUAL_CONFIDENCE, USUAL_SHARE, LadderRequest

__all__ = ["LadderService"]

_FINALISTS = 4


class LadderService(ladder_pb2_grpc.LadderServiceServicer):
    """Begins ladders, lets bots join and leave them, and shows them."""

    def __init__(self, platform: Platform, *, isolation: str) -> None:
        """An empty isolation in a request stands for `isolation`."""
        self._ladders = platform.unrated.ladders
        self._isolation = isolation

    async def CreateLadder(
        self, request: ladder_pb2.CreateLadderRequest, context: Context
    ) -> ladder_pb2.CreateLadderResponse:
        """Begin the ladder of a variant."""
        row = await self._ladders.create(
            LadderRequest(
                tournament=decode_tournament_request(request.tournament, isolation=self._isolation),
                confidence=request.confidence or USUAL_CONFIDENCE,
                share=request.share or USUAL_SHARE,
            )
        )
        return ladder_pb2.CreateLadderResponse(season=encode_season(row, running=False))

    async def ListLadders(
        self, request: ladder_pb2.ListLaddersRequest, context: Context
    ) -> ladder_pb2.ListLaddersResponse:
        """List the seasons of all ladders, the newest first."""
        found = [
            encode_season(row, running=running)
            for row, running in await self._ladders.list_with_states()
        ]
        page, token = cut_page(found, request.page_size, request.page_token)
        return ladder_pb2.ListLaddersResponse(seasons=page, next_page_token=token)

    async def GetLadder(
        self, request: ladder_pb2.GetLadderRequest, context: Context
    ) -> ladder_pb2.GetLadderResponse:
        """Show a season with its table, and who plays next."""
        standing = await self._ladders.show(
            request.variant, request.season, max_age=request.max_age_seconds
        )
        return encode_ladder(standing)

    async def JoinLadder(
        self, request: ladder_pb2.JoinLadderRequest, context: Context
    ) -> ladder_pb2.JoinLadderResponse:
        """Let a bot of the caller join."""
        version, first = await self._ladders.join(
            request.variant, request.bot, author=find_acting_author()
        )
        return ladder_pb2.JoinLadderResponse(version=version.version, first_group=first)

    async def LeaveLadder(
        self, request: ladder_pb2.LeaveLadderRequest, context: Context
    ) -> ladder_pb2.LeaveLadderResponse:
        """Let a bot of the caller leave."""
        first = await self._ladders.leave(request.variant, request.bot, author=find_acting_author())
        return ladder_pb2.LeaveLadderResponse(first_group=first)

    async def PauseLadder(
        self, request: ladder_pb2.PauseLadderRequest, context: Context
    ) -> ladder_pb2.PauseLadderResponse:
        """Play no more until it is resumed."""
        row = await self._ladders.pause(request.variant)
        return ladder_pb2.PauseLadderResponse(season=encode_season(row, running=False))

    async def ResumeLadder(
        self, request: ladder_pb2.ResumeLadderRequest, context: Context
    ) -> ladder_pb2.ResumeLadderResponse:
        """Play on."""
        row = await self._ladders.resume(request.variant)
        return ladder_pb2.ResumeLadderResponse(season=encode_season(row, running=False))

    async def EndSeason(
        self, request: ladder_pb2.EndSeasonRequest, context: Context
    ) -> ladder_pb2.EndSeasonResponse:
        """End the season, with a final, and begin the next one."""
        finalists = request.finalists if request.HasField("finalists") else _FINALISTS
        ended = await self._ladders.end_season(
            request.variant, finalists=finalists, is_last=request.last
        )
        message = ladder_pb2.EndSeasonResponse(season=encode_season(ended.row, running=False))
        if ended.final is not None:
            message.final = ended.final.id
        if ended.following is not None:
            message.next.CopyFrom(encode_season(ended.following, running=False))
        return message
