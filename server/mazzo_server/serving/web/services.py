"""Asks the platform for what pages show."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from mazzo.v1 import (
    ranking_pb2,
    ranking_pb2_grpc,
    tournament_pb2,
    tournament_pb2_grpc,
)

__all__ = ["Services"]

_PAGE = 25  # tournaments
_MOST_AGE = 1.0  # seconds, of standings that are still changing
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The services of a platform.

    Every method raises `grpc.aio.AioRpcError`, and `TimeoutError` when there is no answer.
    """

    tournaments: tournament_pb2_grpc.TournamentServiceStub
    rankings: ranking_pb2_grpc.RankingServiceStub
    patience: float = 20.0  # seconds for an answer

    async def list_tournaments(
        self, place: str = ""
    ) -> tuple[Sequence[tournament_pb2.Tournament], str]:
        """Return tournaments from a place on, the newest first, and where more follow."""
        request = tournament_pb2.ListTournamentsRequest(page_size=_PAGE, page_token=place)
        answer = await self._wait(self.tournaments.ListTournaments(request))
        return answer.tournaments, answer.next_page_token

    async def get_tournament(self, number: int) -> tournament_pb2.Tournament:
        """Return a tournament with its standings."""
        request = tournament_pb2.GetTournamentRequest(id=number, max_age_seconds=_MOST_AGE)
        answer = await self._wait(self.tournaments.GetTournament(request))
        tournament: tournament_pb2.Tournament = answer.tournament
        return tournament

    async def list_rankings(self, variant: str = "") -> Sequence[ranking_pb2.Ranking]:
        """Return the ranking of a variant, or of every variant that has one."""
        request = ranking_pb2.ListRankingsRequest(variant=variant)
        answer: ranking_pb2.ListRankingsResponse = await self._wait(
            self.rankings.ListRankings(request)
        )
        return answer.rankings

    async def explain_ranking(self, bot: str, variant: str) -> Sequence[ranking_pb2.RatingPassage]:
        """Return how a bot's rating came about, tournament by tournament."""
        request = ranking_pb2.ExplainRankingRequest(bot=bot, variant=variant, groups=1)
        found: list[ranking_pb2.RatingPassage] = []
        while True:
            answer = await self._wait(self.rankings.ExplainRanking(request))
            found += answer.passages
            request.page_token = answer.next_page_token
            if not request.page_token:
                return found

    async def _wait(self, call: Awaitable[_Answer]) -> _Answer:
        async with asyncio.timeout(self.patience):
            return await call
