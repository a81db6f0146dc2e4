"""The platform's gRPC services for people: thin, for `Platform` does the work."""

from __future__ import annotations

from collections.abc import AsyncIterator

from mazzo.errors import MazzoError
from mazzo.v1 import (
    bot_pb2,
    bot_pb2_grpc,
    ranking_pb2,
    ranking_pb2_grpc,
    tournament_pb2,
    tournament_pb2_grpc,
)
from mazzo_server.errors import InvalidInputError
from mazzo_server.master.answers import Context, answered, page_of, refuse
from mazzo_server.platform import Platform
from mazzo_server.tournaments import TournamentWish
from mazzo_server.wire import bot_message, progress_message, ranking_message, tournament_message

__all__ = ["BotService", "RankingService", "TournamentService"]

_MOST_UPLOAD = 33 * 1024 * 1024  # bytes; the store of bundles has the exact limit


class BotService(bot_pb2_grpc.BotServiceServicer):
    """Submitting bots."""

    def __init__(self, platform: Platform, *, isolation: str) -> None:
        """`isolation` is the way that a request without one gets."""
        self._platform = platform
        self._isolation = isolation

    async def SubmitBot(
        self, request_iterator: AsyncIterator[bot_pb2.SubmitBotRequest], context: Context
    ) -> bot_pb2.SubmitBotResponse:
        """Gather the chunks, then hand them over whole."""

        async def work() -> bot_pb2.SubmitBotResponse:
            archive = bytearray()
            isolation = self._isolation
            async for request in request_iterator:
                if request.WhichOneof("part") == "options":
                    isolation = request.options.isolation or isolation
                archive += request.chunk
                if len(archive) > _MOST_UPLOAD:
                    raise InvalidInputError(
                        f"expected an archive of at most {_MOST_UPLOAD} bytes, got more"
                    )
            version = await self._platform.submit(bytes(archive), isolation=isolation)
            row, versions = await self._platform.bot(version.bot)
            return bot_pb2.SubmitBotResponse(bot=bot_message(row, versions))

        return await answered(context, work)

    async def ListBots(
        self, request: bot_pb2.ListBotsRequest, context: Context
    ) -> bot_pb2.ListBotsResponse:
        """By name."""

        async def work() -> bot_pb2.ListBotsResponse:
            rows = await self._platform.bots()
            shown = [
                bot_message(row, [version])
                for row, version in rows
                if request.include_retired or not row.retired
            ]
            page, token = page_of(shown, request.page_size, request.page_token)
            return bot_pb2.ListBotsResponse(bots=page, next_page_token=token)

        return await answered(context, work)

    async def GetBot(
        self, request: bot_pb2.GetBotRequest, context: Context
    ) -> bot_pb2.GetBotResponse:
        """With all its versions."""

        async def work() -> bot_pb2.GetBotResponse:
            row, versions = await self._platform.bot(request.name)
            return bot_pb2.GetBotResponse(bot=bot_message(row, versions))

        return await answered(context, work)

    async def RetireBot(
        self, request: bot_pb2.RetireBotRequest, context: Context
    ) -> bot_pb2.RetireBotResponse:
        """Out of future tournaments."""

        async def work() -> bot_pb2.RetireBotResponse:
            await self._platform.retire(request.name)
            row, versions = await self._platform.bot(request.name)
            return bot_pb2.RetireBotResponse(bot=bot_message(row, versions))

        return await answered(context, work)


class TournamentService(tournament_pb2_grpc.TournamentServiceServicer):
    """Running tournaments."""

    def __init__(self, platform: Platform, *, isolation: str) -> None:
        """`isolation` is the way that a request without one gets."""
        self._platform = platform
        self._isolation = isolation

    async def CreateTournament(
        self, request: tournament_pb2.CreateTournamentRequest, context: Context
    ) -> tournament_pb2.CreateTournamentResponse:
        """Store the definition."""

        async def work() -> tournament_pb2.CreateTournamentResponse:
            wish = TournamentWish(
                variant=request.variant,
                bots=tuple(request.bots),
                deals=request.deals if request.HasField("deals") else None,
                groups=request.groups if request.HasField("groups") else None,
                match_format=request.match_format,
                mirror=request.mirror,
                time_control=request.time_control,
                limit=request.limit_seconds,
                start_up=request.start_up_seconds,
                name=request.name,
                seed=request.seed,
            )
            row = await self._platform.create(
                wish,
                isolation=request.isolation or self._isolation,
                concurrency=request.concurrency,
            )
            standing = await self._platform.tournament(row.id)
            return tournament_pb2.CreateTournamentResponse(tournament=tournament_message(standing))

        return await answered(context, work)

    async def StartTournament(
        self, request: tournament_pb2.StartTournamentRequest, context: Context
    ) -> tournament_pb2.StartTournamentResponse:
        """Play it in the background."""

        async def work() -> tournament_pb2.StartTournamentResponse:
            await self._platform.start(request.id, concurrency=request.concurrency)
            return tournament_pb2.StartTournamentResponse()

        return await answered(context, work)

    async def StopTournament(
        self, request: tournament_pb2.StopTournamentRequest, context: Context
    ) -> tournament_pb2.StopTournamentResponse:
        """Stop after the current matches."""

        async def work() -> tournament_pb2.StopTournamentResponse:
            await self._platform.stop(request.id)
            return tournament_pb2.StopTournamentResponse()

        return await answered(context, work)

    async def GetTournament(
        self, request: tournament_pb2.GetTournamentRequest, context: Context
    ) -> tournament_pb2.GetTournamentResponse:
        """With standings."""

        async def work() -> tournament_pb2.GetTournamentResponse:
            standing = await self._platform.tournament(request.id)
            return tournament_pb2.GetTournamentResponse(tournament=tournament_message(standing))

        return await answered(context, work)

    async def ListTournaments(
        self, request: tournament_pb2.ListTournamentsRequest, context: Context
    ) -> tournament_pb2.ListTournamentsResponse:
        """The newest first."""

        async def work() -> tournament_pb2.ListTournamentsResponse:
            shown = [tournament_message(item) for item in await self._platform.tournaments()]
            page, token = page_of(shown, request.page_size, request.page_token)
            return tournament_pb2.ListTournamentsResponse(tournaments=page, next_page_token=token)

        return await answered(context, work)

    async def WatchTournament(
        self, request: tournament_pb2.WatchTournamentRequest, context: Context
    ) -> AsyncIterator[tournament_pb2.WatchTournamentResponse]:
        """Progress, and what begins, until it ends."""
        try:
            async for progress, begun, failure in self._platform.watch(request.id):
                yield progress_message(progress, begun, failure)
        except MazzoError as error:
            await refuse(context, error)


class RankingService(ranking_pb2_grpc.RankingServiceServicer):
    """Viewing rankings."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform

    async def ListRankings(
        self, request: ranking_pb2.ListRankingsRequest, context: Context
    ) -> ranking_pb2.ListRankingsResponse:
        """By variant."""

        async def work() -> ranking_pb2.ListRankingsResponse:
            rankings = await self._platform.rankings(request.variant)
            return ranking_pb2.ListRankingsResponse(
                rankings=[ranking_message(ranking) for ranking in rankings]
            )

        return await answered(context, work)
