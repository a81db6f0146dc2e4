"""The results of matches by entrant, which are written when they may be shown.

A row is there from the moment at which every seating of its mirror group is stored, or the
tournament is over: what is found here may be shown to everybody.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Row,
    Select,
    and_,
    column,
    delete,
    exists,
    func,
    literal_column,
    select,
    tuple_,
    values,
)

from mazzo_server.model import MatchOutcome, MatchResult, Verdict, compute_match_results
from mazzo_server.storage.base import TournamentRow
from mazzo_server.storage.encoding import (
    decode_outcome,
    encode_match_result,
    report_damage,
)
from mazzo_server.storage.match_query import FoundMatch, MatchOrder, MatchPosition, MatchQuery
from mazzo_server.storage.sql.database import (
    Database,
    add_rows,
    clip_to_column,
    is_storable,
)
from mazzo_server.storage.sql.schema import (
    checkpoints,
    match_results,
    matches,
    tournaments,
    withdrawals,
)

__all__ = ["MatchResultTable", "add_group_results", "add_unfinished_results"]

_TIME: Final = match_results.c["tournament", "end_time", "mirror_group", "seating"]
_TIME_AND_SEAT: Final = (*_TIME, match_results.c.seat)
_ADDRESS: Final = match_results.c["tournament", "mirror_group", "seating", "seat"]
_RESULT: Final = match_results.c[
    "seat", "verdict", "margin", "swing", "late", "forfeited", "spoilt"
]


class MatchResultTable(Database):
    """The part of a `Store` that finds matches."""

    def find_matches(
        self, query: MatchQuery, *, limit: int, after: MatchPosition | None = None
    ) -> list[FoundMatch]:
        if not (is_storable(query.bot) and is_storable(query.opponent)):
            return []
        with self._reading() as connection, report_damage("the results of matches"):
            rows = _find_rows(connection, query, limit, after)
            outcomes = _read_outcomes(connection, [tuple(row[:4]) for row in rows])
            return [
                FoundMatch(
                    tournament=row.tournament,
                    outcome=outcome,
                    result=_decode_result(row, outcome) if query.bot else None,
                )
                for row, outcome in zip(rows, outcomes, strict=True)
            ]


def add_group_results(
    connection: Connection,
    tournament: TournamentRow,
    outcomes: Sequence[MatchOutcome],
    stored: Collection[tuple[int, int]],
) -> None:
    """Add the results of the groups of which the last seating is among `outcomes`.

    Call it before they are stored. `stored` has the matches of these groups, by (group, seating),
    that are stored already.
    """
    groups: dict[int, list[MatchOutcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.group].append(outcome)
    earlier: dict[int, int] = defaultdict(int)
    for group, _ in stored:
        earlier[group] += 1
    seatings = tournament.definition.seatings
    over = [group for group, new in groups.items() if len(new) + earlier[group] == seatings]
    begun_before = [group for group in over if earlier[group]]
    if begun_before:
        for outcome in _select_outcomes(
            connection,
            matches.c.tournament == tournament.id,
            matches.c.mirror_group.in_(begun_before),
        ):
            groups[outcome.group].append(outcome)
    _add_results(connection, tournament, [groups[group] for group in over])


def add_unfinished_results(connection: Connection, tournament: TournamentRow) -> None:
    """Add the results of the groups that will never be finished, since the tournament is over."""
    # Standings that are kept end before the first group that is neither over nor void.
    is_withdrawn = exists().where(withdrawals.c.tournament == tournament.id)
    kept = select(checkpoints.c.groups).where(checkpoints.c.tournament == tournament.id)
    first = 0 if connection.scalar(select(is_withdrawn)) else connection.scalar(kept) or 0
    is_here = and_(matches.c.tournament == tournament.id, matches.c.mirror_group >= first)
    unfinished = (
        select(matches.c.mirror_group)
        .where(is_here)
        .group_by(matches.c.mirror_group)
        .having(func.count() < tournament.definition.seatings)
    )
    groups: dict[int, list[MatchOutcome]] = defaultdict(list)
    for outcome in _select_outcomes(connection, is_here, matches.c.mirror_group.in_(unfinished)):
        groups[outcome.group].append(outcome)
    if groups:  # it may have been over before
        connection.execute(
            delete(match_results).where(
                match_results.c.tournament == tournament.id,
                match_results.c.mirror_group.in_(unfinished),
            )
        )
        _add_results(connection, tournament, groups.values())


def _add_results(
    connection: Connection, tournament: TournamentRow, groups: Collection[Sequence[MatchOutcome]]
) -> None:
    sides = tournament.definition.sides
    bots = [entrant.bot for entrant in tournament.definition.entrants]
    rows = []
    for outcomes in groups:
        results = list(compute_match_results(outcomes, sides))
        for number, result in enumerate(results):
            opponent = bots[results[number ^ 1].entrant] if len(sides) == 2 else None
            rows.append(
                encode_match_result(
                    tournament.id, result, bot=bots[result.entrant], opponent=opponent
                )
            )
    add_rows(connection, match_results, rows)


def _find_rows(
    connection: Connection, query: MatchQuery, limit: int, after: MatchPosition | None
) -> Sequence[Row[Any]]:
    """Return the rows of `match_results` that a page needs, the columns of `_TIME` first."""
    rows = _select_rows(query, after, has_opponents=_find_opponents(connection, query))
    if query.bot and query.order is not MatchOrder.TIME:
        return connection.execute(_complete(rows.limit(limit), query)).all()
    if query.bot or not (query.variant or query.since):
        return connection.execute(rows.limit(limit)).all()
    # One tournament after the other: an index has the matches of each in order, and asked for
    # several at once databases sort all of them.
    found: list[Row[Any]] = []
    for tournament in connection.scalars(_select_tournaments(query, after)).all():
        of_it = rows.where(match_results.c.tournament == tournament)
        found += connection.execute(of_it.limit(limit - len(found)))
        if len(found) == limit:
            break
    return found


def _find_opponents(connection: Connection, query: MatchQuery) -> bool | None:
    """Tell whether the rows of the tournament name opponents, as all of it do, or none."""
    if not query.opponent or query.tournament is None:
        return None
    place = (
        match_results.c.bot == query.bot,
        match_results.c.tournament == clip_to_column(query.tournament),
    )
    return connection.scalar(select(match_results.c.opponent.is_not(None)).where(*place).limit(1))


def _select_tournaments(query: MatchQuery, after: MatchPosition | None) -> Select[Any]:
    """Return the tournaments that may have wanted matches, the newest first."""
    row = tournaments.c
    wanted: list[ColumnElement[bool]] = []
    if query.variant:
        wanted.append(row.variant == query.variant)
    if query.since is not None:
        wanted.append(row.end_time.is_(None) | (row.end_time >= query.since))
    if after is not None:
        wanted.append(row.id <= after.tournament)
    return select(row.id).where(*wanted).order_by(row.id.desc())


def _select_rows(
    query: MatchQuery, after: MatchPosition | None, *, has_opponents: bool | None
) -> Select[Any]:
    """Return rows in order; where a value orders them, only what the primary key has of them."""
    wanted = list(_select_wanted(query, has_opponents=has_opponents))
    if not query.bot:  # the rows of one match stand side by side
        newest_first = [column.desc() for column in _TIME]
        found = select(*_TIME).order_by(*newest_first)
        if after is not None:
            wanted.append(tuple_(*_TIME) < tuple_(*_list_times(after)))
        if query.verdict is not None or query.forfeited or query.late or query.spoilt:
            return found.distinct().where(*wanted)
        return found.where(*wanted, match_results.c.seat == literal_column("0"))
    if query.order is MatchOrder.TIME:
        if after is not None:
            place = (*_list_times(after), after.seat)
            wanted.append(tuple_(*_TIME_AND_SEAT) < tuple_(*place))
        newest_first = [column.desc() for column in _TIME_AND_SEAT]
        return select(*_TIME, *_RESULT).where(*wanted).order_by(*newest_first)
    value = match_results.c[query.order.value]
    if after is not None:
        beyond = value < after.value if query.reverse else value > after.value
        address = (after.tournament, after.group, after.seating, after.seat)
        wanted.append(beyond | and_(value == after.value, tuple_(*_ADDRESS) < tuple_(*address)))
    keys = select(*match_results.primary_key, value)
    return keys.where(value.is_not(None), *wanted).order_by(*_list_by_value(query))


def _list_by_value(query: MatchQuery) -> list[ColumnElement[Any]]:
    """Return what sorts the matches of a bot by margin or swing."""
    value = match_results.c[query.order.value]
    return [value.desc() if query.reverse else value, *(one.desc() for one in _ADDRESS)]


def _complete(keys: Select[Any], query: MatchQuery) -> Select[Any]:
    """Return the whole rows that have these keys, in their order."""
    found = keys.subquery()
    is_found = and_(*(column == found.c[column.name] for column in match_results.primary_key))
    return select(*_TIME, *_RESULT).join(found, is_found).order_by(*_list_by_value(query))


def _list_times(position: MatchPosition) -> tuple[int, float, int, int]:
    """Return the values of the columns of `_TIME`."""
    return (position.tournament, position.end_time, position.group, position.seating)


def _select_wanted(
    query: MatchQuery, *, has_opponents: bool | None
) -> Iterator[ColumnElement[bool]]:
    row = match_results.c
    if query.bot:
        yield row.bot == query.bot
        if query.variant:
            yield row.tournament.in_(
                select(tournaments.c.id).where(tournaments.c.variant == query.variant)
            )
    if query.opponent:
        yield _make_opponent_condition(query.opponent, has_opponents=has_opponents)
    if query.tournament is not None:
        yield row.tournament == clip_to_column(query.tournament)
    if query.seat is not None:
        yield row.seat == clip_to_column(query.seat)
    if query.verdict is not None:
        # As a literal: an index that has only the draws is not used for a parameter.
        yield row.verdict == literal_column(str(int(query.verdict)))
    if query.forfeited or query.late or query.spoilt:
        yield row.odd == literal_column("1")
    if query.forfeited:
        yield row.forfeited.is_(True)
    if query.late:
        yield row.late > 0
    if query.spoilt:
        yield row.spoilt > 0
    if query.since is not None:
        yield row.end_time >= query.since


def _make_opponent_condition(opponent: str, *, has_opponents: bool | None) -> ColumnElement[bool]:
    """Return the condition that the opponent is at the same table.

    Of either kind of rows an index has those of two bots, of both together it has not.
    """
    row, other = match_results.c, match_results.alias("other")
    is_opponent = row.opponent == opponent
    if has_opponents:
        return is_opponent
    key = ("tournament", "end_time", "mirror_group", "seating")
    is_at_table = and_(
        row.opponent.is_(None),
        exists().where(
            other.c.bot == opponent,
            *(other.c[name] == row[name] for name in key),
            other.c.seat != row.seat,
        ),
    )
    return is_opponent | is_at_table if has_opponents is None else is_at_table


def _read_outcomes(
    connection: Connection, keys: Sequence[tuple[int, float, int, int]]
) -> list[MatchOutcome]:
    """Return the matches of these keys, in their order."""
    if not keys:
        return []
    place = (matches.c.tournament, matches.c.mirror_group, matches.c.seating)
    # Databases look each row of such a table up; of a list of keys SQLite reads every match.
    wanted = (
        values(*(column(one.name, Integer) for one in place), name="wanted")
        .data([(tournament, group, seating) for tournament, _, group, seating in keys])
        .cte("wanted")
    )
    is_wanted = and_(*(one == wanted.c[one.name] for one in place))
    found = {}
    for row in connection.execute(select(*matches.c).join(wanted, is_wanted)):
        found[row.tournament, row.mirror_group, row.seating] = decode_outcome(row[1:], None, {})
    return [found[tournament, group, seating] for tournament, _, group, seating in keys]


def _select_outcomes(
    connection: Connection, *wanted: ColumnElement[bool]
) -> Iterator[MatchOutcome]:
    for row in connection.execute(select(*matches.c[1:]).where(*wanted)):
        yield decode_outcome(row, None, {})


def _decode_result(row: Row[Any], outcome: MatchOutcome) -> MatchResult:
    return MatchResult(
        group=row.mirror_group,
        seating=row.seating,
        seat=row.seat,
        entrant=outcome.entrants[row.seat],
        verdict=Verdict(row.verdict),
        margin=row.margin,
        swing=row.swing,
        late=row.late,
        forfeited=row.forfeited,
        spoilt=row.spoilt,
        end_time=row.end_time,
    )
