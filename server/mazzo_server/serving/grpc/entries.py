"""The gRPC service of open tournaments."""

from __future__ import annotations

from mazzo.v1 import entry_pb2, entry_pb2_grpc
from mazzo_server.serving.grpc.calls import CALLER, Context, find_acting_author
from mazzo_server.serving.grpc.messages import (
    cut_page,
    decode_timetable,
    decode_tournament_request,
    encode_open_tournament,
)
from mazzo_server.serving.hosting.platform import Platform

__all__ = ["EntryService"]


class EntryService(entry_pb2_grpc.EntryServiceServicer):
    """Makes and shows open tournaments, and enters bots."""

    def __init__(self, platform: Platform, *, isolation: str) -> None:
        """A request that names no isolation gets `isolation`."""
        self._entries = platform.entries
        self._isolation = isolation

    async def CreateOpenTournament(
        self, request: entry_pb2.CreateOpenTournamentRequest, context: Context
    ) -> entry_pb2.CreateOpenTournamentResponse:
        """Make an open tournament."""
        asked = decode_tournament_request(request.tournament, isolation=self._isolation)
        shown = await self._entries.open(asked, decode_timetable(request.timetable))
        return entry_pb2.CreateOpenTournamentResponse(open_tournament=encode_open_tournament(shown))

    async def GetOpenTournament(
        self, request: entry_pb2.GetOpenTournamentRequest, context: Context
    ) -> entry_pb2.GetOpenTournamentResponse:
        """Show an open tournament with its entries."""
        shown = await self._entries.show(request.id, author=CALLER.get().author)
        return entry_pb2.GetOpenTournamentResponse(open_tournament=encode_open_tournament(shown))

    async def ListOpenTournaments(
        self, request: entry_pb2.ListOpenTournamentsRequest, context: Context
    ) -> entry_pb2.ListOpenTournamentsResponse:
        """List open tournaments."""
        found = await self._entries.list_open(with_over=request.include_over)
        page, token = cut_page(found, request.page_size, request.page_token)
        return entry_pb2.ListOpenTournamentsResponse(
            open_tournaments=[encode_open_tournament(shown) for shown in page],
            next_page_token=token,
        )

    async def CallOffOpenTournament(
        self, request: entry_pb2.CallOffOpenTournamentRequest, context: Context
    ) -> entry_pb2.CallOffOpenTournamentResponse:
        """End an open tournament."""
        shown = await self._entries.call_off(request.id)
        return entry_pb2.CallOffOpenTournamentResponse(
            open_tournament=encode_open_tournament(shown)
        )

    async def EnterBot(
        self, request: entry_pb2.EnterBotRequest, context: Context
    ) -> entry_pb2.EnterBotResponse:
        """Enter a bot of the caller's."""
        shown = await self._entries.enter(request.id, request.bot, author=find_acting_author())
        return entry_pb2.EnterBotResponse(open_tournament=encode_open_tournament(shown))

    async def LeaveBot(
        self, request: entry_pb2.LeaveBotRequest, context: Context
    ) -> entry_pb2.LeaveBotResponse:
        """Take a bot of the caller's out."""
        shown = await self._entries.leave(request.id, request.bot, author=find_acting_author())
        return entry_pb2.LeaveBotResponse(open_tournament=encode_open_tournament(shown))
