"""Draws the bracket of a tournament, and lists it for a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from mazzo.v1 import tournament_pb2
from mazzo_server.results.charts import (
    BracketBox,
    BracketLine,
    BracketPart,
    Drawing,
    draw_bracket,
)
from mazzo_server.results.commentary import (
    describe_bout,
    format_decimal,
    list_pool_rows,
    name_bouts,
)

__all__ = ["BoutRow", "draw_bouts", "list_bouts"]

_POOLS_IN_LINE = 4  # as many as a picture of usual width has columns
_BEATEN = "losers"  # their rounds are a part of their own
_Bouts = Sequence[tournament_pb2.Bout]
_Round = tuple[str, Sequence[BracketBox]]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoutRow:
    """One bout in a table."""

    round: str  # what people call its round
    entrants: Sequence[tuple[str, str, bool]]  # name with seed, score per deal, whether it goes on
    why: str  # those go on that do


def draw_bouts(tournament: tournament_pb2.Tournament) -> Drawing | None:
    """Return the bracket as a picture; None where a tournament has none, or nothing of it yet."""
    upper: list[_Round] = []
    lower: list[_Round] = []
    for bouts in _list_parts(tournament):
        boxes = [_make_box(bout) for bout in bouts]
        # The match for the third place stands below the final, with which it is played.
        if bouts[0].stage == "third-place" and upper:
            name, final = upper[-1]
            upper[-1] = (f"{name}, {name_bouts(bouts)}", [*final, *boxes])
        else:
            (lower if bouts[0].stage == _BEATEN else upper).append((name_bouts(bouts), boxes))
    title = {"knock-out": "Knock-out"}.get(tournament.pairing, "Double elimination")
    # The beaten, and tables of three and more, are put together anew in each round.
    is_tree = all(len(box.lines) <= 2 for _, boxes in upper for box in boxes)
    pools = tournament.standings.bracket.pools
    return draw_bracket(
        title,
        [
            *_make_pool_parts(pools),
            BracketPart(rounds=upper, is_tree=is_tree),
            BracketPart(rounds=lower, is_tree=False),
        ],
        has_pools=bool(pools),
    )


def _make_pool_parts(pools: Sequence[tournament_pb2.Pool]) -> list[BracketPart]:
    """Return the pools side by side, so many in a line as there is room for."""
    columns = [(f"Pool {pool.number}", [_make_pool_box(pool)]) for pool in pools]
    return [
        BracketPart(rounds=columns[first : first + _POOLS_IN_LINE], is_tree=False)
        for first in range(0, len(columns), _POOLS_IN_LINE)
    ]


def _make_pool_box(pool: tournament_pb2.Pool) -> BracketBox:
    rows = list_pool_rows([pool])
    return BracketBox(
        lines=[
            BracketLine(name=row.bot, text=row.bot, score=row.score, goes_on=row.goes_on)
            for row in rows
        ],
        tip="; ".join(
            f"{row.place}. {row.bot}, {row.groups:,} group{'' if row.groups == 1 else 's'}"
            for row in rows
        ),
    )


def list_bouts(tournament: tournament_pb2.Tournament) -> list[BoutRow]:
    """Return all bouts, in the order in which they are played."""
    return [
        BoutRow(
            round=name_bouts(bouts),
            entrants=[
                (f"{one.seed} {one.name}", _format_score(one), one.goes_on) for one in bout.entrants
            ],
            why=describe_bout(bout),
        )
        for bouts in _list_parts(tournament)
        for bout in bouts
    ]


def _list_parts(tournament: tournament_pb2.Tournament) -> Iterator[_Bouts]:
    """Yield the bouts of each stage and round."""
    for played in tournament.standings.bracket.rounds:
        for _, bouts in groupby(played.bouts, key=lambda bout: (bout.stage, bout.round)):
            yield list(bouts)


def _make_box(bout: tournament_pb2.Bout) -> BracketBox:
    # As long as nothing is decided, and in the picture, the higher seed stands first.
    is_pair = len(bout.entrants) == 2
    entrants = sorted(bout.entrants, key=lambda one: one.seed) if is_pair else bout.entrants
    names = " – ".join(one.name for one in bout.entrants)
    return BracketBox(
        lines=[
            BracketLine(
                name=one.name,
                text=f"{one.seed} {one.name}",
                score="bye" if len(bout.entrants) == 1 else _format_score(one),
                goes_on=one.goes_on,
            )
            for one in entrants
        ],
        tip=f"{names}: {describe_bout(bout)}",
    )


def _format_score(entrant: tournament_pb2.BoutEntrant) -> str:
    if not entrant.HasField("score_per_deal"):
        return "–"
    return format_decimal(entrant.score_per_deal, 1)
