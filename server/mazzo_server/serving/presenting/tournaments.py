"""Draws the standings of a tournament."""

from __future__ import annotations

from mazzo.v1 import tournament_pb2
from mazzo_server.results.charts import Drawing, ScoreRow, draw_scores
from mazzo_server.serving.presenting.bracket import draw_bouts
from mazzo_server.serving.presenting.crosstable import draw_meetings, has_crosstable

__all__ = ["draw_standings", "draw_tournament"]


def draw_tournament(tournament: tournament_pb2.Tournament) -> list[Drawing]:
    """Return the standings and, where it has them, the bracket and the crosstable.

    There is nothing while no mirror group counts.
    """
    standings = draw_standings(tournament)
    drawings = [standings, None if standings is None else draw_bouts(tournament)]
    if has_crosstable(tournament):
        drawings.append(draw_meetings(tournament))
    return [drawing for drawing in drawings if drawing is not None]


def draw_standings(tournament: tournament_pb2.Tournament) -> Drawing | None:
    """Return what each entrant scores, with its interval; None while no mirror group counts."""
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
    return draw_scores(_make_title(tournament), rows)


def _make_title(tournament: tournament_pb2.Tournament) -> str:
    name, variant = tournament.name, tournament.variant
    return name if name.startswith(variant) else f"{name} – {variant}"
