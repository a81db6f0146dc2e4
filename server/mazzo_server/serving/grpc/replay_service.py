"""The gRPC service of match records: thin, for `Platform` knows what may be shown."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator

from mazzo.errors import MazzoError
from mazzo.v1 import replay_pb2, replay_pb2_grpc
from mazzo_server.results.replays import MatchStatus, ScheduledMatch
from mazzo_server.serving.grpc.answers import CALLER, Context, answered, page_bounds, refuse
from mazzo_server.serving.platform import Platform

__all__ = ["ReplayService"]

_PIECE = 64 * 1024  # characters of a record, in one message

_STATES = {
    MatchStatus.WAITING: replay_pb2.MATCH_STATE_WAITING,
    MatchStatus.HIDDEN: replay_pb2.MATCH_STATE_HIDDEN,
    MatchStatus.OPEN: replay_pb2.MATCH_STATE_OPEN,
    MatchStatus.VOID: replay_pb2.MATCH_STATE_VOID,
    MatchStatus.PRUNED: replay_pb2.MATCH_STATE_PRUNED,
}


class ReplayService(replay_pb2_grpc.ReplayServiceServicer):
    """Looking at matches."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform

    async def ListMatches(
        self, request: replay_pb2.ListMatchesRequest, context: Context
    ) -> replay_pb2.ListMatchesResponse:
        """In schedule order; a page's token is the number of its first match."""

        async def work() -> replay_pb2.ListMatchesResponse:
            start, size = page_bounds(request.page_size, request.page_token)
            page, following = await self._platform.matches(
                request.tournament, bot=request.bot, start=start, size=size
            )
            return replay_pb2.ListMatchesResponse(
                matches=[_message(match) for match in page],
                next_page_token="" if following is None else str(following),
            )

        return await answered(context, work)

    async def GetMatch(
        self, request: replay_pb2.GetMatchRequest, context: Context
    ) -> AsyncIterator[replay_pb2.GetMatchResponse]:
        """Its record, piece by piece."""
        try:
            record, verification = await self._platform.match(
                request.tournament,
                request.group,
                request.seating,
                notes_for=CALLER.get().author if request.notes else None,
            )
        except MazzoError as error:
            await refuse(context, error)
        for piece in _pieces(record.lines()):
            yield replay_pb2.GetMatchResponse(
                text=piece, verified=verification.ok, problem=verification.wrong
            )


def _message(match: ScheduledMatch) -> replay_pb2.ScheduledMatch:
    return replay_pb2.ScheduledMatch(
        group=match.group,
        seating=match.seating,
        entrants=match.entrants,
        commitment=match.commitment.hex(),
        state=_STATES[match.status],
    )


def _pieces(lines: Iterable[str]) -> Iterator[str]:
    """The lines with their ends, joined and cut into pieces of one size."""
    text = ""
    for line in lines:
        text += f"{line}\n"
        while len(text) >= _PIECE:
            yield text[:_PIECE]
            text = text[_PIECE:]
    if text:
        yield text
