"""Fetches matches and their records from a platform."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence

from mazzo.match_record import MatchRecord
from mazzo.v1 import replay_pb2
from mazzo_server.cli.shell.connection import Client, connect
from mazzo_server.errors import InvalidInputError, PlatformError
from mazzo_server.model import MatchId
from mazzo_server.results.watching import Playback

__all__ = ["LONGEST_LINE", "fetch_matches", "fetch_record", "stream_matches", "stream_record"]

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes; far above any line of a match record."""


async def fetch_record(
    match: str, server: str, deal: int | None, seat: int | None, *, decision: int | None = None
) -> MatchRecord:
    """Return the record; raise if it is false, or lacks what was asked for.

    People count deals and decisions from 1, seats from 0. The decision is of the deal, or the first
    one.
    """
    chosen, text = MatchId.parse(match), ""
    async with connect(server) as client:
        async for piece in stream_record(client, chosen, notes=True):
            if not piece.verified:
                raise _explain_false_record(match, piece.problem)
            text += piece.text
    record = MatchRecord.parse(text.splitlines())
    for name, number, least, most in (
        ("deal", deal, 1, len(record.deals)),
        ("seat", seat, 0, record.variant.players - 1),
    ):
        if number is not None and not least <= number <= most:
            raise InvalidInputError(f"--{name}: expected {least} to {most}, got {number}")
    if decision is not None:
        index = (deal or 1) - 1
        steps = [sum(1 for _ in steps) for _, _, steps in Playback(record).play_deals()]
        most = steps[index]
        if decision > most:
            raise InvalidInputError(f"--decision: expected 1 to {most}, got {decision}")
    return record


async def stream_record(
    client: Client, match: MatchId, *, notes: bool
) -> AsyncIterator[replay_pb2.GetMatchResponse]:
    """Return the record piece by piece, with what is wrong with it, if anything is."""
    request = replay_pb2.GetMatchRequest(
        tournament=match.tournament, group=match.group, seating=match.seating, notes=notes
    )
    async for piece in client.replays.GetMatch(request):
        yield piece


async def fetch_matches(
    server: str, make_request: Callable[[], replay_pb2.FindMatchesRequest], limit: int
) -> tuple[list[replay_pb2.FoundMatch], str]:
    """Return at most `limit` matches, and the place after which more follow; "": none do."""
    request = make_request()
    found: list[replay_pb2.FoundMatch] = []
    place = ""
    async with connect(server) as client:
        async for page, following in stream_matches(client, request, limit):
            found += page
            place = following
    return found, place


async def stream_matches(
    client: Client, request: replay_pb2.FindMatchesRequest, limit: int | None
) -> AsyncIterator[tuple[Sequence[replay_pb2.FoundMatch], str]]:
    """Yield the matches page by page, at most `limit` of them, and the place where more follow.

    There is one page at least, which may be empty.
    """
    left = limit
    while True:
        request.page_size = left or 0
        answer: replay_pb2.FindMatchesResponse = await client.replays.FindMatches(request)
        request.page_token = answer.next_page_token
        yield answer.matches, request.page_token
        if left is not None:
            left -= len(answer.matches)
        if left == 0 or not request.page_token:
            return


def _explain_false_record(match: str, problem: str) -> PlatformError:
    return PlatformError(
        f"the record of {match} is not true: {problem}; "
        f"`mazzo replay export {match}` writes it out as it is stored"
    )
