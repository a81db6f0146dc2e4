"""The gRPC service of challenges: thin, for the platform does the work."""

from __future__ import annotations

from mazzo.v1 import challenge_pb2, challenge_pb2_grpc
from mazzo_server.serving.grpc.calls import CALLER, Context, find_acting_author
from mazzo_server.serving.grpc.messages import (
    decode_challenge_request,
    encode_challenge,
    parse_page,
)
from mazzo_server.serving.hosting.platform import Platform

__all__ = ["ChallengeService"]


class ChallengeService(challenge_pb2_grpc.ChallengeServiceServicer):
    """Takes challenges, lists them and cancels them."""

    def __init__(self, platform: Platform, *, isolation: str) -> None:
        """Bots of challenges are isolated by `isolation`."""
        self._challenges = platform.unrated.challenges
        self._isolation = isolation

    async def CreateChallenge(
        self, request: challenge_pb2.CreateChallengeRequest, context: Context
    ) -> challenge_pb2.CreateChallengeResponse:
        """Put a challenge into the queue."""
        asked = decode_challenge_request(request, isolation=self._isolation)
        author = find_acting_author()
        made = await self._challenges.create(asked, author=author)
        return challenge_pb2.CreateChallengeResponse(
            challenge=encode_challenge(made, author=author)
        )

    async def ListChallenges(
        self, request: challenge_pb2.ListChallengesRequest, context: Context
    ) -> challenge_pb2.ListChallengesResponse:
        """List the queue, and what was asked for lately."""
        author = CALLER.get().author
        start, size = parse_page(request.page_size, request.page_token)
        found = await self._challenges.list_recent(
            author=author, start=start, size=size, with_results=request.results
        )
        return challenge_pb2.ListChallengesResponse(
            challenges=[encode_challenge(one, author=author) for one in found.challenges],
            next_page_token=str(start + size) if found.has_more else "",
            per_day=found.per_day,
            asked_today=found.asked_today if author else None,
        )

    async def CancelChallenge(
        self, request: challenge_pb2.CancelChallengeRequest, context: Context
    ) -> challenge_pb2.CancelChallengeResponse:
        """Cancel a challenge for good."""
        author = find_acting_author()
        found = await self._challenges.cancel(request.id, author=author)
        return challenge_pb2.CancelChallengeResponse(
            challenge=encode_challenge(found, author=author)
        )
