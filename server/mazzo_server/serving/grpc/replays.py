"""The gRPC service of match records: thin, for `Replays` knows what may be shown."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator

from mazzo.match_check import Verification, verify
from mazzo.match_record import MatchRecord
from mazzo.v1 import replay_pb2, replay_pb2_grpc
from mazzo_server.results import Replays
from mazzo_server.serving.grpc.calls import CALLER, Context
from mazzo_server.serving.grpc.messages import (
    decode_match_query,
    encode_found_match,
    encode_scheduled_match,
    parse_page,
)
from mazzo_server.serving.hosting.platform import Platform

__all__ = ["ReplayService"]

_PIECE = 64 * 1024  # characters of a record, in one message


class ReplayService(replay_pb2_grpc.ReplayServiceServicer):
    """Shows matches and their records."""

    def __init__(self, platform: Platform) -> None:
        self._replays = platform.results.replays
        self._read = platform.read

    async def ListMatches(
        self, request: replay_pb2.ListMatchesRequest, context: Context
    ) -> replay_pb2.ListMatchesResponse:
        """List matches in schedule order; a page's token is the number of its first match."""
        start, size = parse_page(request.page_size, request.page_token)
        page, following = await self._read(
            self._replays.list_page, request.tournament, bot=request.bot, start=start, size=size
        )
        return replay_pb2.ListMatchesResponse(
            matches=[encode_scheduled_match(match) for match in page],
            next_page_token="" if following is None else str(following),
        )

    async def FindMatches(
        self, request: replay_pb2.FindMatchesRequest, context: Context
    ) -> replay_pb2.FindMatchesResponse:
        """Find matches; a page's token is the place of the match before its first one."""
        query = decode_match_query(request)
        _, size = parse_page(request.page_size, "")
        page, has_more = await self._read(
            self._replays.search.find_page,
            query,
            after=request.page_token,
            size=size,
        )
        return replay_pb2.FindMatchesResponse(
            matches=[encode_found_match(match) for match in page],
            next_page_token=page[-1].place if has_more else "",
        )

    async def GetMatch(
        self, request: replay_pb2.GetMatchRequest, context: Context
    ) -> AsyncIterator[replay_pb2.GetMatchResponse]:
        """Send the record of a match, piece by piece."""
        record, verification = await self._read(
            _read_verified,
            self._replays,
            request.tournament,
            request.group,
            request.seating,
            notes_for=CALLER.get().author if request.notes else None,
        )
        for piece in _cut_into_pieces(record.lines()):
            yield replay_pb2.GetMatchResponse(
                text=piece, verified=verification.ok, problem=verification.wrong
            )


def _read_verified(
    replays: Replays, tournament: int, group: int, seating: int, *, notes_for: str | None
) -> tuple[MatchRecord, Verification]:
    record = replays.read_record(tournament, group, seating, notes_for=notes_for)
    return record, verify(record)


def _cut_into_pieces(lines: Iterable[str]) -> Iterator[str]:
    """Join the lines with their ends, and cut them into pieces of one size."""
    text = ""
    for line in lines:
        text += f"{line}\n"
        while len(text) >= _PIECE:
            yield text[:_PIECE]
            text = text[_PIECE:]
    if text:
        yield text
