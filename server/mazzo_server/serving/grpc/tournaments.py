"""The gRPC service of tournaments: thin, for the platform does the work."""

from __future__ import annotations

from collections.abc import AsyncIterator

from mazzo.v1 import tournament_pb2, tournament_pb2_grpc
from mazzo_server.serving.grpc.calls import Context
from mazzo_server.serving.grpc.messages import (
    plan_message,
    report_message,
    rerun_message,
    tournament_message,
)
from mazzo_server.serving.grpc.pages import cut_page
from mazzo_server.serving.grpc.statuses import describe_error
from mazzo_server.serving.platform import Platform
from mazzo_server.tournaments import TournamentWish

__all__ = ["TournamentService"]


def _wish(request: tournament_pb2.CreateTournamentRequest) -> TournamentWish:
    """What an organiser asks for."""
    return TournamentWish(
        variant=request.variant,
        bots=tuple(request.bots),
        deals=request.deals if request.HasField("deals") else None,
        groups=request.groups if request.HasField("groups") else None,
        until_separated=(request.until_separated if request.HasField("until_separated") else None),
        max_deals=request.max_deals if request.HasField("max_deals") else None,
        match_format=request.match_format,
        mirror=request.mirror,
        cpu=request.cpu,
        time_control=request.time_control,
        limit=request.limit_seconds,
        start_up=request.start_up_seconds,
        grace=request.grace_seconds,
        allow_remote_mirror=request.allow_remote_mirror,
        name=request.name,
        pairing=request.pairing,
        tables=request.tables if request.HasField("tables") else None,
        hero=request.hero,
        rounds=request.rounds if request.HasField("rounds") else None,
        seed=request.seed,
    )


class TournamentService(tournament_pb2_grpc.TournamentServiceServicer):
    """Running tournaments."""

    def __init__(self, platform: Platform, *, isolation: str) -> None:
        """`isolation` is the way that a request without one gets."""
        self._tournaments = platform.tournaments
        self._isolation = isolation

    async def CreateTournament(
        self, request: tournament_pb2.CreateTournamentRequest, context: Context
    ) -> tournament_pb2.CreateTournamentResponse:
        """Store the definition."""
        wish = _wish(request)
        row = await self._tournaments.create(
            wish,
            isolation=request.isolation or self._isolation,
            concurrency=request.concurrency,
        )
        standing = await self._tournaments.overview.show(row.id)
        return tournament_pb2.CreateTournamentResponse(
            tournament=tournament_message(standing),
            unqualified=await self._tournaments.planner.find_unqualified(wish),
        )

    async def StartTournament(
        self, request: tournament_pb2.StartTournamentRequest, context: Context
    ) -> tournament_pb2.StartTournamentResponse:
        """Play it in the background."""
        await self._tournaments.start(request.id, concurrency=request.concurrency)
        return tournament_pb2.StartTournamentResponse()

    async def PlanTournament(
        self, request: tournament_pb2.PlanTournamentRequest, context: Context
    ) -> tournament_pb2.PlanTournamentResponse:
        """Nothing is stored."""
        planned = await self._tournaments.planner.plan(
            _wish(request.tournament),
            isolation=request.tournament.isolation or self._isolation,
            concurrency=request.tournament.concurrency,
        )
        return plan_message(planned)

    async def StopTournament(
        self, request: tournament_pb2.StopTournamentRequest, context: Context
    ) -> tournament_pb2.StopTournamentResponse:
        """Stop after the current matches."""
        await self._tournaments.pause(request.id)
        return tournament_pb2.StopTournamentResponse()

    async def CancelTournament(
        self, request: tournament_pb2.CancelTournamentRequest, context: Context
    ) -> tournament_pb2.CancelTournamentResponse:
        """Stop for good."""
        await self._tournaments.cancel(request.id)
        return tournament_pb2.CancelTournamentResponse()

    async def AddEntrant(
        self, request: tournament_pb2.AddEntrantRequest, context: Context
    ) -> tournament_pb2.AddEntrantResponse:
        """From the next round on."""
        entrant, first = await self._tournaments.add_entrant(request.id, request.bot)
        return tournament_pb2.AddEntrantResponse(version=entrant.version, first_group=first)

    async def RetireEntrant(
        self, request: tournament_pb2.RetireEntrantRequest, context: Context
    ) -> tournament_pb2.RetireEntrantResponse:
        """From the next round on."""
        first = await self._tournaments.retire_entrant(request.id, request.bot)
        return tournament_pb2.RetireEntrantResponse(first_group=first)

    async def RerunMatch(
        self, request: tournament_pb2.RerunMatchRequest, context: Context
    ) -> tournament_pb2.RerunMatchResponse:
        """Nothing is stored."""
        definition, rerun = await self._tournaments.reruns.play(
            request.id, request.group, request.seating
        )
        return rerun_message(definition, rerun)

    async def GetTournament(
        self, request: tournament_pb2.GetTournamentRequest, context: Context
    ) -> tournament_pb2.GetTournamentResponse:
        """With standings."""
        standing = await self._tournaments.overview.show(request.id)
        return tournament_pb2.GetTournamentResponse(tournament=tournament_message(standing))

    async def ListTournaments(
        self, request: tournament_pb2.ListTournamentsRequest, context: Context
    ) -> tournament_pb2.ListTournamentsResponse:
        """The newest first."""
        shown = [tournament_message(item) for item in await self._tournaments.overview.list()]
        page, token = cut_page(shown, request.page_size, request.page_token)
        return tournament_pb2.ListTournamentsResponse(tournaments=page, next_page_token=token)

    async def PruneTournaments(
        self, request: tournament_pb2.PruneTournamentsRequest, context: Context
    ) -> tournament_pb2.PruneTournamentsResponse:
        """For good."""
        found = await self._tournaments.prune(
            request.ids,
            older_than=request.older_than_days if request.HasField("older_than_days") else None,
            dry_run=request.dry_run,
            compact=request.compact,
        )
        return tournament_pb2.PruneTournamentsResponse(
            tournaments=[
                tournament_pb2.PrunedTournament(
                    id=pruned.row.id,
                    name=pruned.row.definition.name,
                    matches=pruned.row.matches_played,
                    bytes=pruned.bytes,
                )
                for pruned in found
            ]
        )

    async def WatchTournament(
        self, request: tournament_pb2.WatchTournamentRequest, context: Context
    ) -> AsyncIterator[tournament_pb2.WatchTournamentResponse]:
        """Progress, and what begins, until it ends."""
        reports = self._tournaments.watch(request.id, sequence=request.sequence, run=request.run)
        async for report in reports:
            yield report_message(report, describe_error(report.failure) if report.failure else "")
