"""Draws the standings of a tournament."""

from __future__ import annotations

from mazzo.games import parse_variant
from mazzo.v1 import tournament_pb2
from mazzo_server.errors import PlatformError
from mazzo_server.results.charts import (
    CrosstableScore,
    Drawing,
    ScoreRow,
    draw_crosstable,
    draw_scores,
    stack,
)
from mazzo_server.results.commentary import format_decimal

__all__ = ["draw_tournament"]


def draw_tournament(tournament: tournament_pb2.Tournament) -> str:
    """Return the standings and the crosstable as SVG; raise `PlatformError` without results."""
    rows = [
        ScoreRow(
            rank=row.rank,
            name=f"{row.name} v{row.version}",
            score=row.score_per_deal if row.HasField("score_per_deal") else None,
            low=row.score_low if row.HasField("score_low") else None,
            high=row.score_high if row.HasField("score_high") else None,
            better=(
                row.probability_better_than_next
                if row.HasField("probability_better_than_next")
                else None
            ),
        )
        for row in tournament.standings.rows
    ]
    scores = draw_scores(_make_title(tournament), rows)
    if scores is None:
        raise PlatformError("expected results to draw, got none: no mirror group counts yet")
    crosstable = _draw_crosstable(tournament)
    return stack([scores] if crosstable is None else [scores, crosstable])


def _make_title(tournament: tournament_pb2.Tournament) -> str:
    name, variant = tournament.name, tournament.variant
    return name if name.startswith(variant) else f"{name} – {variant}"


def _draw_crosstable(tournament: tournament_pb2.Tournament) -> Drawing | None:
    """Return the heat map; None for two entrants, and where all play at one table."""
    names = [row.name for row in tournament.standings.rows if not row.withdrawn]
    if len(names) <= max(len(parse_variant(tournament.variant).sides), 2):
        return None
    cells = {
        (cell.name, cell.opponent): cell
        for cell in tournament.standings.crosstable
        if cell.HasField("score_per_deal")
    }
    scores = {
        (name, other): CrosstableScore(
            score=cell.score_per_deal,
            lead=cell.score_per_deal - cells[other, name].score_per_deal,
            told=_describe_cell(cell),
        )
        for (name, other), cell in cells.items()
        if (other, name) in cells
    }
    return draw_crosstable("Who scores more against whom", names, scores)


def _describe_cell(cell: tournament_pb2.CrosstableCell) -> str:
    told = f"{format_decimal(cell.score_per_deal, 2)} a deal in {cell.deals:,} deals"
    told += f", groups won {cell.wins}, drawn {cell.draws}, lost {cell.losses}"
    if cell.HasField("probability_better"):
        told += f"; really more with {cell.probability_better:.1%}"
    return told
