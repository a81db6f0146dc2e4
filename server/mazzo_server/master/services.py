"""The platform's gRPC services for people: thin, for `Platform` does the work."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NoReturn, TypeVar

import grpc
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from mazzo.errors import MazzoError
from mazzo.v1 import (
    bot_pb2,
    bot_pb2_grpc,
    ranking_pb2,
    ranking_pb2_grpc,
    tournament_pb2,
    tournament_pb2_grpc,
)
from mazzo_server.errors import (
    ConflictError,
    InvalidInputError,
    IsolationError,
    NotFoundError,
    PlatformError,
    StoreError,
)
from mazzo_server.platform import Platform
from mazzo_server.tournaments import TournamentWish
from mazzo_server.wire import bot_message, progress_message, ranking_message, tournament_message

__all__ = ["ERROR_DOMAIN", "BotService", "RankingService", "TournamentService"]

_LOG = logging.getLogger(__name__)

ERROR_DOMAIN = "mazzo"
_MOST_UPLOAD = 33 * 1024 * 1024  # bytes; the store of bundles has the exact limit
_PAGE = 100  # rows, unless asked for fewer

_CODES: tuple[tuple[type[MazzoError], int], ...] = (
    (NotFoundError, code_pb2.NOT_FOUND),
    (InvalidInputError, code_pb2.INVALID_ARGUMENT),
    (ConflictError, code_pb2.FAILED_PRECONDITION),
    (IsolationError, code_pb2.FAILED_PRECONDITION),
    (StoreError, code_pb2.INTERNAL),
    (PlatformError, code_pb2.INTERNAL),
    (MazzoError, code_pb2.INVALID_ARGUMENT),  # of the SDK: a variant, a format, a seed
)

_Context = grpc.aio.ServicerContext[Any, Any]
_Answer = TypeVar("_Answer")


async def _answered(context: _Context, work: Callable[[], Awaitable[_Answer]]) -> _Answer:
    """What the work returns; its errors become a status with one `ErrorInfo`."""
    try:
        return await work()
    except MazzoError as error:
        await _refuse(context, error)


async def _refuse(context: _Context, error: MazzoError) -> NoReturn:
    code = next(code for kind, code in _CODES if isinstance(error, kind))
    reason = error.reason if isinstance(error, PlatformError) else InvalidInputError.reason
    if code == code_pb2.INTERNAL:
        _LOG.error("request failed: %s", error, extra={"action": "request-failed"})
    detail = any_pb2.Any()
    detail.Pack(error_details_pb2.ErrorInfo(reason=reason, domain=ERROR_DOMAIN))
    status = status_pb2.Status(code=code, message=str(error), details=[detail])
    await context.abort_with_status(rpc_status.to_status(status))
    raise AssertionError("unreachable")


class BotService(bot_pb2_grpc.BotServiceServicer):
    """Submitting bots."""

    def __init__(self, platform: Platform, *, isolation: str) -> None:
        """`isolation` is the way that a request without one gets."""
        self._platform = platform
        self._isolation = isolation

    async def SubmitBot(
        self, request_iterator: AsyncIterator[bot_pb2.SubmitBotRequest], context: _Context
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

        return await _answered(context, work)

    async def ListBots(
        self, request: bot_pb2.ListBotsRequest, context: _Context
    ) -> bot_pb2.ListBotsResponse:
        """By name."""

        async def work() -> bot_pb2.ListBotsResponse:
            rows = await self._platform.bots()
            shown = [
                bot_message(row, [version])
                for row, version in rows
                if request.include_retired or not row.retired
            ]
            page, token = _page(shown, request.page_size, request.page_token)
            return bot_pb2.ListBotsResponse(bots=page, next_page_token=token)

        return await _answered(context, work)

    async def GetBot(
        self, request: bot_pb2.GetBotRequest, context: _Context
    ) -> bot_pb2.GetBotResponse:
        """With all its versions."""

        async def work() -> bot_pb2.GetBotResponse:
            row, versions = await self._platform.bot(request.name)
            return bot_pb2.GetBotResponse(bot=bot_message(row, versions))

        return await _answered(context, work)

    async def RetireBot(
        self, request: bot_pb2.RetireBotRequest, context: _Context
    ) -> bot_pb2.RetireBotResponse:
        """Out of future tournaments."""

        async def work() -> bot_pb2.RetireBotResponse:
            await self._platform.retire(request.name)
            row, versions = await self._platform.bot(request.name)
            return bot_pb2.RetireBotResponse(bot=bot_message(row, versions))

        return await _answered(context, work)


class TournamentService(tournament_pb2_grpc.TournamentServiceServicer):
    """Running tournaments."""

    def __init__(self, platform: Platform, *, isolation: str) -> None:
        """`isolation` is the way that a request without one gets."""
        self._platform = platform
        self._isolation = isolation

    async def CreateTournament(
        self, request: tournament_pb2.CreateTournamentRequest, context: _Context
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

        return await _answered(context, work)

    async def StartTournament(
        self, request: tournament_pb2.StartTournamentRequest, context: _Context
    ) -> tournament_pb2.StartTournamentResponse:
        """Play it in the background."""

        async def work() -> tournament_pb2.StartTournamentResponse:
            await self._platform.start(request.id, concurrency=request.concurrency)
            return tournament_pb2.StartTournamentResponse()

        return await _answered(context, work)

    async def StopTournament(
        self, request: tournament_pb2.StopTournamentRequest, context: _Context
    ) -> tournament_pb2.StopTournamentResponse:
        """Stop after the current matches."""

        async def work() -> tournament_pb2.StopTournamentResponse:
            await self._platform.stop(request.id)
            return tournament_pb2.StopTournamentResponse()

        return await _answered(context, work)

    async def GetTournament(
        self, request: tournament_pb2.GetTournamentRequest, context: _Context
    ) -> tournament_pb2.GetTournamentResponse:
        """With standings."""

        async def work() -> tournament_pb2.GetTournamentResponse:
            standing = await self._platform.tournament(request.id)
            return tournament_pb2.GetTournamentResponse(tournament=tournament_message(standing))

        return await _answered(context, work)

    async def ListTournaments(
        self, request: tournament_pb2.ListTournamentsRequest, context: _Context
    ) -> tournament_pb2.ListTournamentsResponse:
        """The newest first."""

        async def work() -> tournament_pb2.ListTournamentsResponse:
            shown = [tournament_message(item) for item in await self._platform.tournaments()]
            page, token = _page(shown, request.page_size, request.page_token)
            return tournament_pb2.ListTournamentsResponse(tournaments=page, next_page_token=token)

        return await _answered(context, work)

    async def WatchTournament(
        self, request: tournament_pb2.WatchTournamentRequest, context: _Context
    ) -> AsyncIterator[tournament_pb2.WatchTournamentResponse]:
        """Progress until it ends."""
        try:
            async for progress, failure in self._platform.watch(request.id):
                yield progress_message(progress, failure)
        except MazzoError as error:
            await _refuse(context, error)


class RankingService(ranking_pb2_grpc.RankingServiceServicer):
    """Viewing rankings."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform

    async def ListRankings(
        self, request: ranking_pb2.ListRankingsRequest, context: _Context
    ) -> ranking_pb2.ListRankingsResponse:
        """By variant."""

        async def work() -> ranking_pb2.ListRankingsResponse:
            rankings = await self._platform.rankings(request.variant)
            return ranking_pb2.ListRankingsResponse(
                rankings=[ranking_message(ranking) for ranking in rankings]
            )

        return await _answered(context, work)


def _page(rows: list[_Answer], size: int, token: str) -> tuple[list[_Answer], str]:
    """One page, and the token of the next: the number of rows that came before it."""
    if token and not (token.isascii() and token.isdecimal() and len(token) < 10):
        raise InvalidInputError(f"expected a page token from an earlier answer, got {token!r}")
    start = int(token or 0)
    end = start + min(size or _PAGE, _PAGE)
    return rows[start:end], str(end) if end < len(rows) else ""
