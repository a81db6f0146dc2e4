"""Matches as messages, and what is asked of them."""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.timestamp_pb2 import Timestamp

from mazzo.v1 import replay_pb2
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import MatchOutcome, MatchResult, Owner, Verdict
from mazzo_server.results import ListedMatch, MatchStatus, ScheduledMatch
from mazzo_server.serving.grpc.messages.timestamps import encode_time
from mazzo_server.storage import MatchOrder, MatchQuery

__all__ = ["decode_match_query", "encode_found_match", "encode_scheduled_match"]

_STATES = {
    MatchStatus.WAITING: replay_pb2.MATCH_STATE_WAITING,
    MatchStatus.HIDDEN: replay_pb2.MATCH_STATE_HIDDEN,
    MatchStatus.OPEN: replay_pb2.MATCH_STATE_OPEN,
    MatchStatus.VOID: replay_pb2.MATCH_STATE_VOID,
    MatchStatus.PRUNED: replay_pb2.MATCH_STATE_PRUNED,
}
_VERDICTS = {
    Verdict.WON: replay_pb2.MATCH_VERDICT_WON,
    Verdict.DRAWN: replay_pb2.MATCH_VERDICT_DRAWN,
    Verdict.LOST: replay_pb2.MATCH_VERDICT_LOST,
}
_ORDERS = {
    replay_pb2.MATCH_ORDER_UNSPECIFIED: MatchOrder.TIME,
    replay_pb2.MATCH_ORDER_TIME: MatchOrder.TIME,
    replay_pb2.MATCH_ORDER_SWING: MatchOrder.SWING,
    replay_pb2.MATCH_ORDER_MARGIN: MatchOrder.MARGIN,
}


def decode_match_query(request: replay_pb2.FindMatchesRequest) -> MatchQuery:
    """Return what is asked for; raise `InvalidInputError`."""
    verdicts = {number: verdict for verdict, number in _VERDICTS.items()}
    verdict = verdicts.get(request.verdict)
    if request.order not in _ORDERS or (request.verdict and verdict is None):
        raise InvalidInputError("expected a known order and a known verdict")
    order = _ORDERS[request.order]
    needs_bot = request.opponent or request.HasField("seat") or order is not MatchOrder.TIME
    if not request.bot and (needs_bot or verdict in (Verdict.WON, Verdict.LOST)):
        raise InvalidInputError(
            "expected a bot beside an opponent, a seat, won or lost, swing or margin"
        )
    return MatchQuery(
        bot=request.bot,
        opponent=request.opponent,
        variant=request.variant,
        tournament=request.tournament or None,
        seat=request.seat if request.HasField("seat") else None,
        verdict=verdict,
        forfeited=request.forfeited,
        late=request.late,
        spoilt=request.spoilt,
        since=_decode_time(request.since_time) if request.HasField("since_time") else None,
        order=order,
        reverse=request.reverse,
    )


def _decode_time(time: Timestamp) -> float:
    """Return the time in Unix seconds; a stranger may have sent any numbers."""
    return time.seconds + time.nanos / 1e9


def encode_found_match(listed: ListedMatch) -> replay_pb2.FoundMatch:
    """Encode a match that was found."""
    match, outcome = listed.match, listed.match.outcome
    return replay_pb2.FoundMatch(
        tournament=match.tournament,
        group=outcome.group,
        seating=outcome.seating,
        variant=listed.tournament.definition.variant,
        deals=len(outcome.counted_scores),
        seats=_encode_seats(listed, outcome),
        end_time=encode_time(outcome.end_time),
        spoilt=outcome.spoilt,
        result=None if match.result is None else _encode_result(match.result),
        pruned=listed.tournament.pruned,
        void=listed.is_void,
    )


def _encode_seats(listed: ListedMatch, outcome: MatchOutcome) -> Sequence[replay_pb2.FoundSeat]:
    entrants = listed.tournament.definition.entrants
    deals = outcome.counted_scores
    faults = {
        fault.seat: fault for fault in reversed(outcome.faults) if fault.owner is not Owner.PLATFORM
    }
    found = []
    for seat, entrant in enumerate(outcome.entrants):
        fault = faults.get(seat)
        found.append(
            replay_pb2.FoundSeat(
                bot=entrants[entrant].name,
                version=entrants[entrant].version,
                match_score=float(outcome.match_scores[seat]),
                points=sum(scores[seat] for scores in deals),
                late=outcome.late[seat],
                termination="" if fault is None else fault.termination,
                reason="" if fault is None else fault.reason,
            )
        )
    return found


def _encode_result(result: MatchResult) -> replay_pb2.FoundResult:
    return replay_pb2.FoundResult(
        seat=result.seat,
        verdict=_VERDICTS[result.verdict],
        margin=result.margin,
        swing=result.swing,
    )


def encode_scheduled_match(match: ScheduledMatch) -> replay_pb2.ScheduledMatch:
    """Encode a match of a schedule, without its record."""
    return replay_pb2.ScheduledMatch(
        group=match.group,
        seating=match.seating,
        entrants=match.entrants,
        commitment=match.commitment.hex(),
        state=_STATES[match.status],
    )
