"""The results of matches as rows, one for each side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from google.protobuf.timestamp_pb2 import Timestamp

from mazzo.v1 import replay_pb2
from mazzo_server.model import compute_margins, judge_sides
from mazzo_server.results.commentary import list_sides, name_match

__all__ = ["ResultRow", "make_result_rows"]


class ResultRow(NamedTuple):
    """What a match was for one side: a row of a spreadsheet or of a data frame."""

    match: str  # its address
    tournament: int
    variant: str
    group: int
    seating: int
    seat: int  # of a team its first one
    bot: str  # of a further copy of it with the copy's number, such as "a*2"
    version: int
    # The bots of the other sides, with commas between them. They are in the order of the alphabet,
    # so that those who meet in a mirror group are the same text in each of its seatings.
    opponents: str
    match_score: float
    points: int  # in all deals, as they count after a forfeit
    margin: float  # the points, less the mean of the others'
    # The points, less the mean of what others made of the same cards in the same seat; None where
    # nobody else had them, and for every bot that was not asked for.
    swing: float | None
    deals: int
    verdict: str  # won, drawn or lost
    late: int  # decisions of all its seats
    termination: str | None  # of a forfeit
    end_time: str  # ISO 8601, in UTC; all have as many digits, so that all are read alike
    spoilt: int  # times that a fault of the platform had ended the match before
    void: bool  # whether it counts for nobody, since an entrant was withdrawn


def make_result_rows(
    match: replay_pb2.FoundMatch, *again: replay_pb2.FoundMatch
) -> Iterator[ResultRow]:
    """Yield a row for each side of a match, by their first seats.

    With `again` comes the same match, as it was for further copies of the bot that was asked for.
    """
    sides = list_sides(match)
    members = [[match.seats[seat] for seat in seats] for seats in sides]
    firsts = [seats[0] for seats in members]
    terminations = [_find_termination(seats) for seats in members]
    margins = compute_margins([first.points for first in firsts])
    verdicts = judge_sides(
        [first.match_score for first in firsts],
        [termination is not None for termination in terminations],
    )
    for side, first in enumerate(firsts):
        others = sorted(other.bot for other in (*firsts[:side], *firsts[side + 1 :]))
        yield ResultRow(
            match=name_match(match),
            tournament=match.tournament,
            variant=match.variant,
            group=match.group,
            seating=match.seating,
            seat=sides[side][0],
            bot=first.bot,
            version=first.version,
            opponents=",".join(others),
            match_score=first.match_score,
            points=first.points,
            margin=margins[side],
            swing=_find_swing((match, *again), sides[side][0]),
            deals=match.deals,
            verdict=verdicts[side].name.lower(),
            late=sum(member.late for member in members[side]),
            termination=terminations[side],
            end_time=_format_time(match.end_time),
            spoilt=match.spoilt,
            void=match.void,
        )


def _find_termination(members: Sequence[replay_pb2.FoundSeat]) -> str | None:
    """Return why a side forfeited; None: it did not."""
    return next((member.termination for member in members if member.termination), None)


def _find_swing(found: Sequence[replay_pb2.FoundMatch], seat: int) -> float | None:
    for match in found:
        known = match.HasField("result") and match.result.HasField("swing")
        if known and match.result.seat == seat:
            return match.result.swing
    return None


def _format_time(time: Timestamp) -> str:
    return f"{time.ToDatetime().isoformat(timespec='microseconds')}Z"
