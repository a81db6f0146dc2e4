"""Asks the platform for what pages show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mazzo.v1 import (
    ranking_pb2,
    ranking_pb2_grpc,
    tournament_pb2,
    tournament_pb2_grpc,
)

__all__ = ["Services"]

_PAGE = 25  # tournaments


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The services of a platform. Every method raises `grpc.aio.AioRpcError`."""

    tournaments: tournament_pb2_grpc.TournamentServiceStub
    rankings: ranking_pb2_grpc.RankingServiceStub

    async def list_tournaments(
        self, place: str = ""
    ) -> tuple[Sequence[tournament_pb2.Tournament], str]:
        """Return tournaments from a place on, the newest first, and where more follow."""
        request = tournament_pb2.ListTournamentsRequest(page_size=_PAGE, page_token=place)
        answer = await self.tournaments.ListTournaments(request)
        return answer.tournaments, answer.next_page_token

    async def get_tournament(self, number: int) -> tournament_pb2.Tournament:
        """Return a tournament with its standings."""
        request = tournament_pb2.GetTournamentRequest(id=number)
        answer = await self.tournaments.GetTournament(request)
        tournament: tournament_pb2.Tournament = answer.tournament
        return tournament

    async def list_rankings(self, variant: str = "") -> Sequence[ranking_pb2.Ranking]:
        """Return the ranking of a variant, or of every variant that has one."""
        request = ranking_pb2.ListRankingsRequest(variant=variant)
        rankings: Sequence[ranking_pb2.Ranking] = (
            await self.rankings.ListRankings(request)
        ).rankings
        return rankings

    async def explain_ranking(self, bot: str, variant: str) -> Sequence[ranking_pb2.RatingPassage]:
        """Return how a bot's rating came about, tournament by tournament."""
        request = ranking_pb2.ExplainRankingRequest(bot=bot, variant=variant, groups=1)
        found: list[ranking_pb2.RatingPassage] = []
        while True:
            answer = await self.rankings.ExplainRanking(request)
            found += answer.passages
            request.page_token = answer.next_page_token
            if not request.page_token:
                return found
