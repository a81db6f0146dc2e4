"""Draws what lies behind the standings of a tournament, and lists it for tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mazzo.v1 import standings_pb2
from mazzo_server.results.charts import (
    MOST_LINES,
    CourseLine,
    Drawing,
    ScoreBin,
    SpreadRow,
    draw_course,
    draw_spreads,
    format_edge,
)
from mazzo_server.results.commentary import format_decimal

__all__ = ["NumberTable", "draw_moments", "draw_score_spreads", "list_moments", "list_spreads"]

_MOST_MOMENTS = 13  # in a table


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberTable:
    """The numbers of a chart: a column for each bot, and rows with their names."""

    bots: Sequence[str]
    rows: Sequence[tuple[str, Sequence[str]]]


def draw_score_spreads(course: standings_pb2.GetCourseResponse) -> Drawing | None:
    """Return how the scores of deals are spread, of the first bots; None while no deal counts."""
    rows = [
        SpreadRow(name=spread.name, bins=_join_zero(spread.bins))
        for spread in course.spreads[:MOST_LINES]
    ]
    who = f"the first {MOST_LINES} bots" if len(course.spreads) > MOST_LINES else "each bot"
    note = f"The deals of {who} by score: the higher, the more of them"
    return draw_spreads("Scores of the deals", note, rows)


def _join_zero(bins: Sequence[standings_pb2.HistogramBin]) -> list[ScoreBin]:
    """Return bins that all have a width: 0 belongs to the one above it, or else below."""
    found = [ScoreBin(low=one.low, high=one.high, count=one.count) for one in bins]
    at = next((at for at, one in enumerate(found) if one.low == one.high), None)
    if at is None:
        return found
    zero = found.pop(at)
    if not found:
        return [ScoreBin(low=0.0, high=1.0, count=zero.count)]
    neighbour = at if at < len(found) else at - 1
    one = found[neighbour]
    found[neighbour] = ScoreBin(low=one.low, high=one.high, count=one.count + zero.count)
    return found


def list_spreads(course: standings_pb2.GetCourseResponse) -> NumberTable:
    """Return the numbers of `draw_score_spreads`."""
    spreads = course.spreads[:MOST_LINES]
    counts = {
        spread.name: {(one.low, one.high): one.count for one in _join_zero(spread.bins)}
        for spread in spreads
    }
    edges = sorted({edge for found in counts.values() for edge in found})
    return NumberTable(
        bots=[spread.name for spread in spreads],
        rows=[
            (
                f"{format_edge(low)} to {format_edge(high)}",
                [f"{found.get((low, high), 0):,}" for found in counts.values()],
            )
            for low, high in edges
        ],
    )


def draw_moments(course: standings_pb2.GetCourseResponse) -> Drawing | None:
    """Return how the order of the first bots came about; None before two moments are known."""
    if len(course.moments) < 2:
        return None
    points: dict[str, list[tuple[int, float]]] = {name: [] for name in _list_first(course)}
    for moment in course.moments:
        for standing in moment.standings:
            if standing.name in points:
                points[standing.name].append((moment.groups, standing.value))
    lines = [CourseLine(name=name, points=found) for name, found in points.items() if found]
    return draw_course("How the order came about", _describe_value(course), lines)


def _list_first(course: standings_pb2.GetCourseResponse) -> list[str]:
    """Return the bots that are drawn, in the order of the standings."""
    return [standing.name for standing in course.moments[-1].standings][:MOST_LINES]


def _describe_value(course: standings_pb2.GetCourseResponse) -> str:
    if course.value == standings_pb2.COURSE_VALUE_SCORE:
        return "The score per deal after more and more mirror groups of the schedule"
    return "The rating μ − 3σ after more and more mirror groups of the schedule"


def list_moments(course: standings_pb2.GetCourseResponse) -> NumberTable:
    """Return the numbers of `draw_moments`, of some moments and the last."""
    if not course.moments:
        return NumberTable(bots=(), rows=())
    step = -(-(len(course.moments) - 1) // (_MOST_MOMENTS - 1)) or 1
    shown = course.moments[::-1][::step][::-1]
    bots = _list_first(course)
    rows = []
    for moment in shown:
        found = {standing.name: standing.value for standing in moment.standings}
        rows.append(
            (
                f"{moment.groups:,}",
                [format_decimal(found[bot], 2) if bot in found else "" for bot in bots],
            )
        )
    return NumberTable(bots=bots, rows=rows)
