"""Draws how two entrants did where they met, and tells of it."""

from __future__ import annotations

from collections.abc import Iterable

from mazzo.v1 import standings_pb2
from mazzo_server.results.charts import Drawing, HistogramBar, draw_histogram, format_edge

__all__ = ["draw_leads", "list_leads"]


def draw_leads(
    answer: standings_pb2.GetHeadToHeadResponse, *, name: str, opponent: str
) -> Drawing | None:
    """Return the mirror groups by how much more one scored; None while no deal counts."""
    bars = [
        HistogramBar(
            low=one.low,
            high=one.high,
            count=one.count,
            summary=f"{_describe_lead(one, name, opponent)}: {_count_groups(one.count)}",
        )
        for one in answer.leads
    ]
    return draw_histogram(
        f"How the mirror groups went: {name} – {opponent}",
        "How many groups there are of each lead; blue: it scored more, brown: less, grey: level",
        bars,
        below=f"points a deal by which {name} leads",
    )


def list_leads(
    leads: Iterable[standings_pb2.HistogramBin], name: str, opponent: str
) -> list[tuple[str, int]]:
    """Return the bars as rows of a table: what each is, and how many groups it has."""
    return [(_describe_lead(one, name, opponent), one.count) for one in leads]


def _describe_lead(one: standings_pb2.HistogramBin, name: str, opponent: str) -> str:
    """Return in words by how much somebody leads."""
    if one.low == one.high:
        return "level"
    ends = sorted((abs(one.low), abs(one.high)))
    leader = name if one.high > 0 else opponent
    return f"{leader} by more than {format_edge(ends[0])}, up to {format_edge(ends[1])}"


def _count_groups(count: int) -> str:
    return f"{count:,} group{'' if count == 1 else 's'}"
