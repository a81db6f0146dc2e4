"""The points of a deal as far as it is shown: a chart, and its numbers as a table."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from mazzo_server.results.charts import PointsLine, draw_points
from mazzo_server.results.commentary import format_number
from mazzo_server.results.watching import Position, WatchedMatch
from mazzo_server.serving.web.rendering import render_chart

__all__ = ["PointsSoFar", "describe_points"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PointsSoFar:
    """What a page shows of them."""

    counted: str  # what the points are
    chart: Markup
    sides: list[str]
    rows: list[tuple[int, list[str]]]  # after so many decisions; by side


def describe_points(match: WatchedMatch, at: Position) -> PointsSoFar | None:
    """Return the points up to a position; None where none are counted yet."""
    tallies = match.count_points(at)
    chart = draw_points(
        f"{tallies.counted} so far",
        [
            PointsLine(
                name=name, points=[float(one) for one in points], value=format_number(points[-1])
            )
            for name, points in tallies.sides.items()
        ],
        decisions=len(match.steps[at.deal]),
        least=tallies.usual,
    )
    if chart is None:
        return None
    moments = list(zip(*tallies.sides.values(), strict=True))
    return PointsSoFar(
        counted=tallies.counted,
        chart=render_chart(chart),
        sides=list(tallies.sides),
        rows=[
            (number, [format_number(one) for one in points])
            for number, points in enumerate(moments)
            if number in (0, at.step) or points != moments[number - 1]
        ],
    )
