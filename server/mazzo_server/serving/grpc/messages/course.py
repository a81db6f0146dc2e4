"""What lies behind standings as messages."""

from __future__ import annotations

from collections.abc import Iterator

from mazzo.v1 import standings_pb2
from mazzo_server.errors import ConflictError, NotFoundError
from mazzo_server.results.standings import Audit, Course, Standings
from mazzo_server.serving.grpc.messages.standings import encode_pair
from mazzo_server.stats import Excess, Histogram
from mazzo_server.tournaments import TournamentStanding

__all__ = ["encode_audit", "encode_course", "encode_head_to_head"]


def encode_head_to_head(
    standing: TournamentStanding, name: str, opponent: str
) -> standings_pb2.GetHeadToHeadResponse:
    """Encode how two entrants did where they met, without the tournament.

    Raises `NotFoundError` where one of them takes no part, both are one, or they have not met on a
    ladder; `ConflictError` where one was withdrawn.
    """
    standings, course = _get_both(standing)
    for one in (name, opponent):
        _check_entrant(standing, standings, one)
    cells = {(pair.name, pair.opponent): pair for pair in standings.pairs}
    if name == opponent:
        raise NotFoundError(f"expected two entrants of the tournament, got {name} twice")
    if (name, opponent) not in cells:
        raise NotFoundError(f"{name} and {opponent} have not met on this ladder")
    message = standings_pb2.GetHeadToHeadResponse(
        cell=encode_pair(cells[name, opponent]), opposite=encode_pair(cells[opponent, name])
    )
    met = course.find_head_to_head(name, opponent)
    if met is not None:
        message.forfeits, message.opponent_forfeits = met.forfeits, met.opponent_forfeits
        message.late, message.opponent_late = met.late, met.opponent_late
        message.leads.extend(_encode_bins(met.leads))
    return message


def encode_course(standing: TournamentStanding) -> standings_pb2.GetCourseResponse:
    """Encode how scores are spread, and how the order came about."""
    standings, course = _get_both(standing)
    order = [row.name for row in standings.rows]
    widest = max((one.exponent for one in course.scores.values()), default=0)
    return standings_pb2.GetCourseResponse(
        spreads=[
            standings_pb2.ScoreSpread(
                name=name, bins=_encode_bins(course.scores[name].widen(widest))
            )
            for name in order
            if name in course.scores
        ],
        value=(
            standings_pb2.COURSE_VALUE_RATING
            if course.has_ratings
            else standings_pb2.COURSE_VALUE_SCORE
        ),
        moments=[
            standings_pb2.CourseMoment(
                groups=moment.groups,
                standings=[
                    standings_pb2.CourseStanding(name=name, value=moment.values[name])
                    for name in order
                    if name in moment.values
                ],
            )
            for moment in course.moments
        ],
    )


def encode_audit(audit: Audit) -> standings_pb2.GetAuditResponse:
    """Encode which pairs stand out, without the tournament."""
    return standings_pb2.GetAuditResponse(
        pairs=[
            standings_pb2.AuditedPair(
                name=pair.name,
                opponent=pair.opponent,
                groups=pair.groups,
                joint=None if pair.joint is None else _encode_excess(pair.joint),
                lead=_encode_excess(pair.lead),
            )
            for pair in audit.pairs
        ]
    )


def _encode_excess(excess: Excess) -> standings_pb2.Excess:
    return standings_pb2.Excess(
        points=excess.value,
        low=excess.low,
        high=excess.high,
        confidence=excess.confidence,
        p_value=excess.p_value,
        stands_out=excess.found,
        detectable=excess.detectable,
        detectable_later=excess.detectable_later,
        detectable_ever=excess.detectable_ever,
    )


def _get_both(standing: TournamentStanding) -> tuple[Standings, Course]:
    assert standing.standings is not None
    assert standing.course is not None
    return standing.standings, standing.course


def _check_entrant(standing: TournamentStanding, standings: Standings, name: str) -> None:
    number = standing.row.id
    if all(entrant.name != name for entrant in standing.row.definition.entrants):
        raise NotFoundError(f"expected an entrant of tournament {number}, got {name!r}")
    if any(entrant.name == name for entrant in standings.withdrawn):
        raise ConflictError(
            f"{name} was withdrawn from tournament {number}: its results count for nobody"
        )


def _encode_bins(histogram: Histogram) -> Iterator[standings_pb2.HistogramBin]:
    for one in histogram.list_bins():
        yield standings_pb2.HistogramBin(low=one.low, high=one.high, count=one.count)
