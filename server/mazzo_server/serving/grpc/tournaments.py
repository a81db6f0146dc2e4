"""The gRPC services of tournaments, and of those that bots still enter.

They are thin, for the platform does the work.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from mazzo.v1 import entry_pb2, entry_pb2_grpc, tournament_pb2, tournament_pb2_grpc
from mazzo_server.model import TournamentKind
from mazzo_server.serving.grpc.calls import (
    CALLER,
    UPLOAD_TAKEN,
    Context,
    find_acting_author,
    read_first,
)
from mazzo_server.serving.grpc.interceptors.statuses import describe_error
from mazzo_server.serving.grpc.messages import (
    cut_page,
    decode_timetable,
    decode_tournament_request,
    encode_open_tournament,
    encode_plan,
    encode_pruned,
    encode_report,
    encode_rerun,
    encode_tournament,
)
from mazzo_server.serving.hosting.platform import Platform

__all__ = ["EntryService", "TournamentService"]


class TournamentService(tournament_pb2_grpc.TournamentServiceServicer):
    """Defines, plays, changes and shows tournaments."""

    def __init__(self, platform: Platform, *, isolation: str) -> None:
        """A request that names no isolation gets `isolation`."""
        self._tournaments = platform.tournaments
        self._isolation = isolation

    async def CreateTournament(
        self, request: tournament_pb2.CreateTournamentRequest, context: Context
    ) -> tournament_pb2.CreateTournamentResponse:
        """Define and store a tournament."""
        asked = decode_tournament_request(request, isolation=self._isolation)
        row = await self._tournaments.create(asked)
        standing = await self._tournaments.overview.show(row.id)
        return tournament_pb2.CreateTournamentResponse(
            tournament=encode_tournament(standing),
            unqualified=await self._tournaments.planner.find_unqualified(asked),
        )

    async def StartTournament(
        self, request: tournament_pb2.StartTournamentRequest, context: Context
    ) -> tournament_pb2.StartTournamentResponse:
        """Play a tournament in the background."""
        await self._tournaments.overview.check_no_season(request.id)
        await self._tournaments.start(
            request.id,
            concurrency=request.concurrency,
            workers=request.workers,
            executor=request.executor,
            nodes_alike=request.nodes_alike,
        )
        return tournament_pb2.StartTournamentResponse()

    async def PlanTournament(
        self, request: tournament_pb2.PlanTournamentRequest, context: Context
    ) -> tournament_pb2.PlanTournamentResponse:
        """Say what a tournament would play; store nothing."""
        asked = decode_tournament_request(request.tournament, isolation=self._isolation)
        planned = await self._tournaments.planner.plan(
            asked, executor=request.executor, nodes_alike=request.nodes_alike
        )
        return encode_plan(planned)

    async def StopTournament(
        self, request: tournament_pb2.StopTournamentRequest, context: Context
    ) -> tournament_pb2.StopTournamentResponse:
        """Stop a tournament after its current matches."""
        await self._tournaments.overview.check_no_season(request.id)
        await self._tournaments.pause(request.id)
        return tournament_pb2.StopTournamentResponse()

    async def CancelTournament(
        self, request: tournament_pb2.CancelTournamentRequest, context: Context
    ) -> tournament_pb2.CancelTournamentResponse:
        """Stop a tournament for good."""
        await self._tournaments.overview.check_no_season(request.id)
        await self._tournaments.cancel(request.id)
        return tournament_pb2.CancelTournamentResponse()

    async def AddEntrant(
        self, request: tournament_pb2.AddEntrantRequest, context: Context
    ) -> tournament_pb2.AddEntrantResponse:
        """Let a bot take part from the next round on."""
        entrant, first = await self._tournaments.add_entrant(request.id, request.bot)
        return tournament_pb2.AddEntrantResponse(version=entrant.version, first_group=first)

    async def RetireEntrant(
        self, request: tournament_pb2.RetireEntrantRequest, context: Context
    ) -> tournament_pb2.RetireEntrantResponse:
        """Let a bot play no more from the next round on."""
        first = await self._tournaments.retire_entrant(request.id, request.bot)
        return tournament_pb2.RetireEntrantResponse(first_group=first)

    async def RerunMatch(
        self, request: tournament_pb2.RerunMatchRequest, context: Context
    ) -> tournament_pb2.RerunMatchResponse:
        """Play a stored match again; store nothing."""
        definition, rerun = await self._tournaments.reruns.play(
            request.id, request.group, request.seating
        )
        return encode_rerun(definition, rerun)

    async def GetTournament(
        self, request: tournament_pb2.GetTournamentRequest, context: Context
    ) -> tournament_pb2.GetTournamentResponse:
        """Show a tournament with its standings."""
        standing = await self._tournaments.overview.show(
            request.id, max_age=request.max_age_seconds
        )
        return tournament_pb2.GetTournamentResponse(
            tournament=encode_tournament(standing, private=CALLER.get().is_organiser),
            workers=self._tournaments.count_workers(request.id),
        )

    async def ListTournaments(
        self, request: tournament_pb2.ListTournamentsRequest, context: Context
    ) -> tournament_pb2.ListTournamentsResponse:
        """List tournaments, the newest first, or those that are finished, by their end."""
        also = [TournamentKind.TABLE] * request.include_tables
        also += [TournamentKind.CHALLENGE] * request.include_challenges
        found = await self._tournaments.overview.list(also=also, finished=request.finished)
        shown = [encode_tournament(item) for item in found]
        page, token = cut_page(shown, request.page_size, request.page_token)
        return tournament_pb2.ListTournamentsResponse(tournaments=page, next_page_token=token)

    async def PruneTournaments(
        self, request: tournament_pb2.PruneTournamentsRequest, context: Context
    ) -> tournament_pb2.PruneTournamentsResponse:
        """Throw away the records of tournaments for good."""
        found = await self._tournaments.stored.prune(
            request.ids,
            older_than=request.older_than_days if request.HasField("older_than_days") else None,
            dry_run=request.dry_run,
            compact=request.compact,
        )
        return tournament_pb2.PruneTournamentsResponse(
            tournaments=[encode_pruned(pruned) for pruned in found]
        )

    async def DeleteTournament(
        self, request: tournament_pb2.DeleteTournamentRequest, context: Context
    ) -> tournament_pb2.DeleteTournamentResponse:
        """Delete a tournament for good."""
        row = await self._tournaments.stored.delete(request.id)
        return tournament_pb2.DeleteTournamentResponse(matches=row.matches_played)

    async def ExportTournament(
        self, request: tournament_pb2.ExportTournamentRequest, context: Context
    ) -> AsyncIterator[tournament_pb2.ExportTournamentResponse]:
        """Send a tournament's file, piece by piece."""
        async for chunk, written, total in self._tournaments.stored.export(request.id):
            yield tournament_pb2.ExportTournamentResponse(
                chunk=chunk, matches_written=written, matches_total=total
            )

    async def ImportTournament(
        self,
        request_iterator: AsyncIterator[tournament_pb2.ImportTournamentRequest],
        context: Context,
    ) -> tournament_pb2.ImportTournamentResponse:
        """Take a tournament from its file, as its chunks arrive."""
        first = await read_first(request_iterator)

        async def read_chunks() -> AsyncIterator[bytes]:
            yield first.chunk
            async for request in request_iterator:
                yield request.chunk

        self._tournaments.stored.check_import()
        await context.send_initial_metadata(UPLOAD_TAKEN)
        row = await self._tournaments.stored.take(read_chunks())
        standing = await self._tournaments.overview.show(row.id)
        return tournament_pb2.ImportTournamentResponse(tournament=encode_tournament(standing))

    async def WatchTournament(
        self, request: tournament_pb2.WatchTournamentRequest, context: Context
    ) -> AsyncIterator[tournament_pb2.WatchTournamentResponse]:
        """Report progress, and which matches begin, until the run ends."""
        reports = self._tournaments.watch(request.id, sequence=request.sequence, run=request.run)
        async for report in reports:
            yield encode_report(report, describe_error(report.failure) if report.failure else "")


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
