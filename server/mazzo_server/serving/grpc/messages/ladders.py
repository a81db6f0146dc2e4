"""Ladders as messages."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from mazzo.v1 import ladder_pb2
from mazzo_server.model import find_bot_name
from mazzo_server.pairing import Outlook, compute_lead, is_level_with
from mazzo_server.results.standings import Course, Row
from mazzo_server.serving.grpc.messages.timestamps import encode_time
from mazzo_server.stats import Rating
from mazzo_server.storage import TournamentRow, TournamentStatus
from mazzo_server.tournaments.ladders import LadderStanding, list_members

__all__ = ["encode_ladder", "encode_season"]

_REASONS: Final = {
    "waiting": ladder_pb2.NEXT_REASON_WAITING,
    "new": ladder_pb2.NEXT_REASON_NEW,
    "unknown": ladder_pb2.NEXT_REASON_UNKNOWN,
    "doubtful": ladder_pb2.NEXT_REASON_DOUBTFUL,
}
_MOST_NEXT: Final = 50  # tables
_TREND_SHARE: Final = 0.1  # of the season: a trend is the change over it


def encode_season(row: TournamentRow, *, running: bool) -> ladder_pb2.LadderSeason:
    """Encode a season without its table; it is `running` where some process plays it."""
    definition = row.definition
    message = ladder_pb2.LadderSeason(
        tournament=row.id,
        variant=definition.variant,
        season=definition.season,
        state=_encode_state(row, running=running),
        confidence=definition.confidence,
        share=definition.share,
        matches_played=row.matches_played,
        bots=sorted(list_members(definition)),
        create_time=encode_time(row.create_time),
    )
    if row.end_time is not None:
        message.end_time.CopyFrom(encode_time(row.end_time))
    return message


def encode_ladder(standing: LadderStanding) -> ladder_pb2.GetLadderResponse:
    """Encode a season with its table and who plays next."""
    definition = standing.row.definition
    names = [entrant.name for entrant in definition.entrants]
    outlook = standing.outlook
    message = ladder_pb2.GetLadderResponse(
        season=encode_season(standing.row, running=standing.running), final=standing.final
    )
    message.rows.extend(_encode_rows(standing))
    for chosen in outlook.next_tables[:_MOST_NEXT] if outlook is not None else ():
        message.next_tables.add(
            entrants=[names[index] for index in chosen.table],
            reason=_REASONS[chosen.reason],
            pair=[names[index] for index in chosen.pair],
        )
    return message


def _encode_state(row: TournamentRow, *, running: bool) -> ladder_pb2.LadderState:
    if row.status.is_over:
        return ladder_pb2.LADDER_STATE_OVER
    if row.status is TournamentStatus.PAUSED:
        return ladder_pb2.LADDER_STATE_PAUSED
    return ladder_pb2.LADDER_STATE_PLAYED if running else ladder_pb2.LADDER_STATE_WAITING


def _encode_rows(standing: LadderStanding) -> Iterator[ladder_pb2.LadderRow]:
    indices = {entrant.name: i for i, entrant in enumerate(standing.row.definition.entrants)}
    outlook = standing.outlook or Outlook(present=(), waits={}, next_tables=())
    is_over = standing.row.status.is_over  # its ratings are then others than those before
    earlier = {} if is_over else _find_earlier(standing.course)
    active = [row for row in standing.standings.rows if indices[row.name] in outlook.present]
    below = {one.name: other for one, other in pairwise(active)}
    for row in standing.standings.rows:
        index = indices[row.name]
        if not row.groups and index not in outlook.present:
            continue  # replaced before it could play
        message = ladder_pb2.LadderRow(
            rank=row.rank if row.groups else 0,
            bot=find_bot_name(row.name),
            version=row.version,
            mu=row.mu,
            sigma=row.sigma,
            rating=row.rating,
            groups=row.groups,
            wins=row.wins,
            draws=row.draws,
            losses=row.losses,
            active=index in outlook.present,
            waits=outlook.waits.get(index),
            withdrawn=standing.withdrawn.get(index, ""),
        )
        if row.name in earlier and row.groups:
            message.trend = row.rating - earlier[row.name]
        if row.name in below:
            assert standing.row.definition.confidence is not None
            rating, other = _get_rating(row), _get_rating(below[row.name])
            message.surer_than_next = compute_lead(rating, other)
            message.level_with_next = is_level_with(
                rating, other, confidence=standing.row.definition.confidence
            )
        yield message


def _find_earlier(course: Course) -> dict[str, float]:
    """Return the ratings of a tenth of the season ago, by name; those that are known."""
    if not course.moments:
        return {}
    since = course.moments[-1].groups * (1 - _TREND_SHARE)
    before = [moment for moment in course.moments if moment.groups <= since]
    return dict(before[-1].values) if before else {}


def _get_rating(row: Row) -> Rating:
    return Rating(mu=row.mu, sigma=row.sigma)
