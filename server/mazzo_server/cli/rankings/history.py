"""Shows tournament by tournament how a rating came about, in words and rows."""

from __future__ import annotations

from rich.text import Text

from mazzo.v1 import ranking_pb2
from mazzo_server.cli.text.output import console, make_table, print_table
from mazzo_server.model import MatchId
from mazzo_server.results.commentary import clean
from mazzo_server.results.tables import to_json

__all__ = ["PASSAGE_COLUMNS", "make_passage_cells", "print_passage"]


PASSAGE_COLUMNS = [
    *("variant", "tournament", "version", "group", "rank", "opponents"),
    *("rating_before", "mu_before", "sigma_before", "rating_after", "mu_after", "sigma_after"),
]


def make_passage_cells(
    passage: ranking_pb2.RatingPassage, move: ranking_pb2.RatingMove
) -> dict[str, str | int | float]:
    ratings = [to_json(move.before), to_json(move.after)]
    facts = (
        *(passage.variant, passage.tournament, passage.version, move.group, move.rank),
        ", ".join(f"{other.name} v{other.version}" for other in move.opponents),
        *(rating[key] for rating in ratings for key in ("rating", "mu", "sigma")),
    )
    return dict(zip(PASSAGE_COLUMNS, facts, strict=True))


def print_passage(bot: str, passage: ranking_pb2.RatingPassage) -> None:
    name, before = f"{bot} v{passage.version}", passage.before
    console.print(
        Text(
            f"Tournament {passage.tournament} ({clean(passage.name)}): {name} won "
            f"{passage.wins}, drew {passage.draws} and lost {passage.losses}.",
            style="bold",
        )
    )
    if passage.HasField("inherited"):
        old = passage.inherited.rating
        console.print(
            f"New: it goes on from v{passage.inherited.version} (rating {old.rating:.2f}) with its "
            f"μ {old.mu:.2f}, but less sure: σ {_format_change(old.sigma, before.sigma)}."
        )
    table = make_table("group", "result", "against", "μ", "σ", "rating", right="r  rrr")
    for move in passage.groups:
        table.add_row(
            str(move.group),
            _describe_result(move),
            _describe_opponents(move),
            *_format_changes(move.before, move.after),
        )
    table.add_row("all", "", "", *_format_changes(before, passage.after), style="bold")
    print_table(table)
    if passage.groups:
        first = MatchId(passage.tournament, passage.groups[0].group, 0)
        console.print(f"See a match of the first one with `mazzo replay show {first}`.")


def _describe_result(move: ranking_pb2.RatingMove) -> str:
    level = any(other.rank == move.rank for other in move.opponents)
    if move.rank == 1:
        return "drawn" if level else "won"
    if len(move.opponents) == 1:
        return "lost"
    return f"{'=' if level else ''}{move.rank} of {len(move.opponents) + 1}"


def _describe_opponents(move: ranking_pb2.RatingMove) -> str:
    by_rank = sorted(move.opponents, key=lambda other: other.rank)
    return ", ".join(
        f"{other.name} v{other.version} ({other.before.rating:.1f})" for other in by_rank
    )


def _format_changes(
    before: ranking_pb2.SkillRating, after: ranking_pb2.SkillRating
) -> tuple[str, ...]:
    return (
        _format_change(before.mu, after.mu),
        _format_change(before.sigma, after.sigma),
        _format_change(before.rating, after.rating),
    )


def _format_change(before: float, after: float) -> str:
    return " → ".join(f"{round(value, 2) + 0.0:.2f}" for value in (before, after))  # no -0.00
