"""Draws what the platform tells of tournaments and rankings, for commands and pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from mazzo.games import parse_variant
from mazzo.v1 import ranking_pb2, tournament_pb2
from mazzo_server.results.charts import (
    MOST_LINES,
    CrosstableScore,
    Drawing,
    RatingLine,
    RatingPoint,
    ScoreRow,
    draw_crosstable,
    draw_ratings,
    draw_scores,
)
from mazzo_server.results.commentary import format_decimal

__all__ = ["draw_ranking", "draw_tournament"]

Explain = Callable[[str], Awaitable[Sequence[ranking_pb2.RatingPassage]]]
"""Returns how the rating of a bot came about, by its name."""


def draw_tournament(tournament: tournament_pb2.Tournament) -> list[Drawing]:
    """Return the standings and, where it says more than they do, the crosstable.

    There is nothing while no mirror group counts.
    """
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
    drawings = [draw_scores(_make_title(tournament), rows), _draw_crosstable(tournament)]
    return [drawing for drawing in drawings if drawing is not None]


async def draw_ranking(ranking: ranking_pb2.Ranking, explain: Explain) -> list[Drawing]:
    """Return how the ratings of the best bots came about, whichever of their versions played."""
    best = [row.name for row in ranking.rows if row.newest][:MOST_LINES]
    lines = [RatingLine(name=name, points=_list_points(await explain(name))) for name in best]
    drawing = draw_ratings(f"Ranking of {ranking.variant}", lines)
    return [] if drawing is None else [drawing]


def _list_points(passages: Sequence[ranking_pb2.RatingPassage]) -> list[RatingPoint]:
    newest = {passage.tournament: passage.after for passage in passages}
    return [
        RatingPoint(tournament=number, rating=after.rating, mu=after.mu)
        for number, after in sorted(newest.items())
    ]


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
