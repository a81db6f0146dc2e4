"""Draws who scores more against whom in a tournament."""

from __future__ import annotations

from collections.abc import Iterator

from mazzo.games import parse_variant
from mazzo.v1 import tournament_pb2
from mazzo_server.results.charts import CrosstableScore, Drawing, draw_crosstable
from mazzo_server.results.commentary import format_decimal

__all__ = ["MOST_ENTRANTS", "draw_meetings", "find_lead_steps", "has_crosstable"]

MOST_ENTRANTS = 64
"""Of a crosstable that people can look at."""
_STEPS = 4  # by which the cells of a page differ, on either side


def has_crosstable(tournament: tournament_pb2.Tournament, *, most: int = MOST_ENTRANTS) -> bool:
    """Tell whether a crosstable says more than the standings, for at most so many entrants.

    It does not for two entrants, and where all play at one table.
    """
    entrants = sum(not row.withdrawn for row in tournament.standings.rows)
    return max(len(parse_variant(tournament.variant).sides), 2) < entrants <= most


def draw_meetings(tournament: tournament_pb2.Tournament) -> Drawing | None:
    """Return the crosstable as a heat map; None while no deal counts."""
    names = [row.name for row in tournament.standings.rows if not row.withdrawn]
    scores = {
        (cell.name, cell.opponent): CrosstableScore(
            score=cell.score_per_deal, lead=lead, summary=_describe_cell(cell)
        )
        for cell, lead in _list_leads(tournament)
    }
    return draw_crosstable("Who scores more against whom", names, scores)


def find_lead_steps(tournament: tournament_pb2.Tournament) -> dict[tuple[str, str], int]:
    """Return by name and opponent how large a lead is beside the largest one, from -4 to 4."""
    leads = {(cell.name, cell.opponent): lead for cell, lead in _list_leads(tournament)}
    largest = max(map(abs, leads.values()), default=0.0)
    return {pair: round(_STEPS * lead / largest) for pair, lead in leads.items() if largest}


def _list_leads(
    tournament: tournament_pb2.Tournament,
) -> Iterator[tuple[tournament_pb2.CrosstableCell, float]]:
    """Yield each cell in which deals count, and by how much its bot scores more than the other."""
    cells = {
        (cell.name, cell.opponent): cell
        for cell in tournament.standings.crosstable
        if cell.HasField("score_per_deal")
    }
    for (name, other), cell in cells.items():
        if (back := cells.get((other, name))) is not None:
            yield cell, cell.score_per_deal - back.score_per_deal


def _describe_cell(cell: tournament_pb2.CrosstableCell) -> str:
    text = f"{format_decimal(cell.score_per_deal, 2)} a deal in {cell.deals:,} deals"
    text += f", groups won {cell.wins}, drawn {cell.draws}, lost {cell.losses}"
    if cell.HasField("probability_better"):
        text += f"; really more with {cell.probability_better:.1%}"
    return text
