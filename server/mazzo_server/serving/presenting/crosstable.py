"""Draws who scores more against whom in a tournament."""

from __future__ import annotations

from mazzo.games import parse_variant
from mazzo.v1 import tournament_pb2
from mazzo_server.results.charts import CrosstableScore, Drawing, draw_crosstable
from mazzo_server.results.commentary import format_decimal

__all__ = ["MOST_ENTRANTS", "draw_meetings", "has_crosstable"]

MOST_ENTRANTS = 64
"""Of a crosstable that people can look at."""


def has_crosstable(tournament: tournament_pb2.Tournament, *, most: int = MOST_ENTRANTS) -> bool:
    """Tell whether a crosstable says more than the standings, for at most so many entrants.

    It does not for two entrants, and where all play at one table.
    """
    entrants = sum(not row.withdrawn for row in tournament.standings.rows)
    return max(len(parse_variant(tournament.variant).sides), 2) < entrants <= most


def draw_meetings(tournament: tournament_pb2.Tournament) -> Drawing | None:
    """Return the crosstable as a heat map; None while no deal counts."""
    names = [row.name for row in tournament.standings.rows if not row.withdrawn]
    cells = {
        (cell.name, cell.opponent): cell
        for cell in tournament.standings.crosstable
        if cell.HasField("score_per_deal")
    }
    scores = {
        (name, other): CrosstableScore(
            score=cell.score_per_deal,
            lead=cell.score_per_deal - cells[other, name].score_per_deal,
            summary=_describe_cell(cell),
        )
        for (name, other), cell in cells.items()
        if (other, name) in cells
    }
    return draw_crosstable("Who scores more against whom", names, scores)


def _describe_cell(cell: tournament_pb2.CrosstableCell) -> str:
    text = f"{format_decimal(cell.score_per_deal, 2)} a deal in {cell.deals:,} deals"
    text += f", groups won {cell.wins}, drawn {cell.draws}, lost {cell.losses}"
    if cell.HasField("probability_better"):
        text += f"; really more with {cell.probability_better:.1%}"
    return text
