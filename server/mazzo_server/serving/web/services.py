"""Asks the platform for what pages show."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import grpc
from google.protobuf.message import Message

from mazzo.v1 import (
    auth_pb2,
    auth_pb2_grpc,
    bot_pb2,
    bot_pb2_grpc,
    challenge_pb2_grpc,
    entry_pb2_grpc,
    ladder_pb2_grpc,
    operation_pb2_grpc,
    play_pb2_grpc,
    ranking_pb2,
    ranking_pb2_grpc,
    replay_pb2,
    replay_pb2_grpc,
    standings_pb2,
    standings_pb2_grpc,
    table_pb2_grpc,
    tournament_pb2,
    tournament_pb2_grpc,
)
from mazzo_server.errors import PlatformError
from mazzo_server.model import MatchId

__all__ = ["Services"]

_PAGE = 25  # tournaments, or bots
_MOST_RATINGS = 100  # tournaments after which ratings are shown
_MOST_AGE = 1.0  # seconds, of standings that are still changing


_Ask = Callable[[], Awaitable[Any]]


async def _call_once(ask: _Ask) -> Any:
    return await ask()


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The services of a platform.

    Every method raises `grpc.aio.AioRpcError`, and `TimeoutError` when there is no answer.
    """

    auth: auth_pb2_grpc.AuthServiceStub
    tournaments: tournament_pb2_grpc.TournamentServiceStub
    entries: entry_pb2_grpc.EntryServiceStub
    standings: standings_pb2_grpc.StandingsServiceStub
    bots: bot_pb2_grpc.BotServiceStub
    challenges: challenge_pb2_grpc.ChallengeServiceStub
    ladders: ladder_pb2_grpc.LadderServiceStub
    rankings: ranking_pb2_grpc.RankingServiceStub
    replays: replay_pb2_grpc.ReplayServiceStub
    tables: table_pb2_grpc.TableServiceStub
    play: play_pb2_grpc.PlayServiceStub
    operation: operation_pb2_grpc.OperationServiceStub
    token: str = field(default="", repr=False)  # that every call shows; "": none
    # Whether there is shown what visitors may see and not everybody: notes of bots, machines.
    notes: bool = True
    patience: float = 20.0  # seconds for an answer
    # Asks, and asks again where the platform refuses with a time to wait: for what nobody sees
    # before the end.
    ask_patiently: Callable[[_Ask], Awaitable[Any]] = _call_once

    @classmethod
    def from_channel(
        cls,
        channel: grpc.aio.Channel,
        *,
        token: str = "",
        notes: bool = True,
        ask_patiently: Callable[[_Ask], Awaitable[Any]] = _call_once,
    ) -> Self:
        """Return the services at the other end of a channel."""
        return cls(
            notes=notes,
            ask_patiently=ask_patiently,
            auth=auth_pb2_grpc.AuthServiceStub(channel),
            tournaments=tournament_pb2_grpc.TournamentServiceStub(channel),
            entries=entry_pb2_grpc.EntryServiceStub(channel),
            standings=standings_pb2_grpc.StandingsServiceStub(channel),
            bots=bot_pb2_grpc.BotServiceStub(channel),
            challenges=challenge_pb2_grpc.ChallengeServiceStub(channel),
            ladders=ladder_pb2_grpc.LadderServiceStub(channel),
            rankings=ranking_pb2_grpc.RankingServiceStub(channel),
            replays=replay_pb2_grpc.ReplayServiceStub(channel),
            tables=table_pb2_grpc.TableServiceStub(channel),
            play=play_pb2_grpc.PlayServiceStub(channel),
            operation=operation_pb2_grpc.OperationServiceStub(channel),
            token=token,
        )

    async def get_caller(self) -> auth_pb2.GetCallerResponse:
        """Return whose calls these are; who has no role reads what everybody may."""
        caller: auth_pb2.GetCallerResponse = await self.ask(
            self.auth.GetCaller, auth_pb2.GetCallerRequest()
        )
        return caller

    async def list_tournaments(
        self, place: str = "", *, most: int = _PAGE, finished: bool = False
    ) -> tuple[Sequence[tournament_pb2.Tournament], str]:
        """Return tournaments from a place on, the newest first, and where more follow.

        Or those that are `finished`, the one that ended last first.
        """
        request = tournament_pb2.ListTournamentsRequest(
            page_size=most, page_token=place, finished=finished
        )
        answer = await self.ask(self.tournaments.ListTournaments, request)
        return answer.tournaments, answer.next_page_token

    async def get_tournament(self, number: int) -> tournament_pb2.Tournament:
        """Return a tournament with its standings."""
        request = tournament_pb2.GetTournamentRequest(id=number, max_age_seconds=_MOST_AGE)
        answer = await self.ask(self.tournaments.GetTournament, request)
        tournament: tournament_pb2.Tournament = answer.tournament
        return tournament

    async def get_head_to_head(
        self, number: int, name: str, opponent: str
    ) -> standings_pb2.GetHeadToHeadResponse:
        """Return how two entrants of a tournament did where they met."""
        request = standings_pb2.GetHeadToHeadRequest(
            id=number, name=name, opponent=opponent, max_age_seconds=_MOST_AGE
        )
        answer: standings_pb2.GetHeadToHeadResponse = await self.ask(
            self.standings.GetHeadToHead, request
        )
        return answer

    async def get_course(self, number: int) -> standings_pb2.GetCourseResponse:
        """Return what lies behind the standings of a tournament."""
        request = standings_pb2.GetCourseRequest(id=number, max_age_seconds=_MOST_AGE)
        answer: standings_pb2.GetCourseResponse = await self.ask(self.standings.GetCourse, request)
        return answer

    async def watch_tournament(
        self, number: int
    ) -> AsyncIterator[tournament_pb2.WatchTournamentResponse]:
        """Yield how far a tournament has got, until it is over or stopped."""
        request = tournament_pb2.WatchTournamentRequest(id=number)
        async for report in self.tournaments.WatchTournament(request, metadata=self.metadata):
            yield report

    async def list_bots(self, place: str = "") -> tuple[Sequence[bot_pb2.Bot], str]:
        """Return bots by name from a place on, retired ones too, and where more follow."""
        request = bot_pb2.ListBotsRequest(page_size=_PAGE, page_token=place, include_retired=True)
        answer: bot_pb2.ListBotsResponse = await self.ask(self.bots.ListBots, request)
        return answer.bots, answer.next_page_token

    async def get_bot(self, name: str) -> bot_pb2.GetBotResponse:
        """Return a bot with all its versions."""
        answer: bot_pb2.GetBotResponse = await self.ask(
            self.bots.GetBot, bot_pb2.GetBotRequest(name=name)
        )
        return answer

    async def list_rankings(self, variant: str = "") -> Sequence[ranking_pb2.Ranking]:
        """Return the ranking of a variant, or of every variant that has one."""
        request = ranking_pb2.ListRankingsRequest(variant=variant)
        answer: ranking_pb2.ListRankingsResponse = await self.ask(
            self.rankings.ListRankings, request
        )
        return answer.rankings

    async def list_ratings(
        self, variant: str, bots: Sequence[str]
    ) -> Sequence[ranking_pb2.TournamentRatings]:
        """Return the ratings of bots after the last finished tournaments of a variant."""
        request = ranking_pb2.ListRatingsRequest(
            variant=variant, bots=bots, page_size=_MOST_RATINGS
        )
        answer = await self.ask(self.rankings.ListRatings, request)
        ratings: Sequence[ranking_pb2.TournamentRatings] = answer.tournaments
        return ratings[::-1]

    async def find_matches(
        self, request: replay_pb2.FindMatchesRequest
    ) -> tuple[Sequence[replay_pb2.FoundMatch], str]:
        """Return the matches that were asked for, and where more follow."""
        answer: replay_pb2.FindMatchesResponse = await self.ask(self.replays.FindMatches, request)
        return answer.matches, answer.next_page_token

    async def read_record(self, match: MatchId) -> str:
        """Return the record of a match; raise `PlatformError` if it is false."""
        request = replay_pb2.GetMatchRequest(
            tournament=match.tournament,
            group=match.group,
            seating=match.seating,
            notes=self.notes,
        )
        text = ""
        async with asyncio.timeout(self.patience):
            async for piece in self.replays.GetMatch(request, metadata=self.metadata):
                if not piece.verified:
                    raise PlatformError(f"The record of {match} is not true: {piece.problem}")
                text += piece.text
        return text

    async def ask(self, method: Callable[..., Awaitable[Any]], request: Message) -> Any:
        """Return the answer of a method of one of the services."""
        async with asyncio.timeout(self.patience):
            return await method(request, metadata=self.metadata)

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What goes with every call."""
        return (("authorization", f"Bearer {self.token}"),) if self.token else ()
