"""The gRPC service of rankings: thin, for the platform does the work."""

from __future__ import annotations

from collections.abc import Sequence

from mazzo.v1 import ranking_pb2, ranking_pb2_grpc
from mazzo_server.results.ranking import Explanation
from mazzo_server.serving.grpc.calls import Context
from mazzo_server.serving.grpc.messages import (
    encode_explanation,
    encode_meetings,
    encode_ranking,
    encode_ratings,
    parse_page,
)
from mazzo_server.serving.hosting.platform import Platform

__all__ = ["RankingService"]

_MOVES = 2000  # on a page of one tournament
_TELLING_MOVES, _MOST_TELLING_MOVES = 3, 100  # of each tournament, where all are told of


class RankingService(ranking_pb2_grpc.RankingServiceServicer):
    """Shows rankings, and how they came about."""

    def __init__(self, platform: Platform) -> None:
        self._rankings = platform.results.rankings
        self._meetings = platform.results.rankings.meetings
        self._read = platform.read

    async def ListRankings(
        self, request: ranking_pb2.ListRankingsRequest, context: Context
    ) -> ranking_pb2.ListRankingsResponse:
        """Show the ranking of a variant, or of each."""
        rankings = await self._read(self._rankings.list_rankings, request.variant)
        return ranking_pb2.ListRankingsResponse(
            rankings=[encode_ranking(ranking) for ranking in rankings]
        )

    async def ListRatings(
        self, request: ranking_pb2.ListRatingsRequest, context: Context
    ) -> ranking_pb2.ListRatingsResponse:
        """Show the ratings of bots after each tournament, in pages."""
        start, size = parse_page(request.page_size, request.page_token)
        found, end = await self._read(
            self._rankings.list_ratings,
            request.variant,
            bots=frozenset(request.bots),
            start=start,
            size=size,
        )
        return ranking_pb2.ListRatingsResponse(
            tournaments=map(encode_ratings, found),
            next_page_token="" if end is None else str(end),
        )

    async def ExplainRanking(
        self, request: ranking_pb2.ExplainRankingRequest, context: Context
    ) -> ranking_pb2.ExplainRankingResponse:
        """Explain a rating by the groups of one tournament, or by tournaments; in pages."""
        explanations: Sequence[Explanation]
        if request.tournament:
            # Each page folds the tournament anew, so there are few.
            start, size = parse_page(request.page_size, request.page_token, most=_MOVES)
            one, end = await self._read(
                self._rankings.explain_tournament,
                request.bot,
                request.tournament,
                variant=request.variant,
                start=start,
                size=size,
            )
            explanations = [one]
        else:
            start, size = parse_page(request.page_size, request.page_token)
            explanations, end = await self._read(
                self._rankings.explain,
                request.bot,
                variant=request.variant,
                groups=min(request.groups or _TELLING_MOVES, _MOST_TELLING_MOVES),
                start=start,
                size=size,
            )
        return ranking_pb2.ExplainRankingResponse(
            passages=map(encode_explanation, explanations),
            next_page_token="" if end is None else str(end),
        )

    async def ListMeetings(
        self, request: ranking_pb2.ListMeetingsRequest, context: Context
    ) -> ranking_pb2.ListMeetingsResponse:
        """Show with whom a bot has met."""
        found = await self._read(self._meetings.list_meetings, request.bot)
        return ranking_pb2.ListMeetingsResponse(variants=map(encode_meetings, found))
