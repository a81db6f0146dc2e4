"""Prints ladders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Final

from rich.text import Text

from mazzo.v1 import ladder_pb2
from mazzo_server.cli.text.legend import is_legend_wanted, print_legend
from mazzo_server.cli.text.output import console, make_table, print_table
from mazzo_server.results.commentary import (
    ENDED_SEASON,
    LADDER_COLUMNS,
    LADDER_STATES,
    clean,
    describe_next_table,
    describe_rest,
    format_decimal,
    format_lead,
    format_trend,
    list_newest_rows,
)

__all__ = ["print_ladder", "print_season", "print_seasons"]

_SHOWN: Final = 6  # tables that are next


def print_season(season: ladder_pb2.LadderSeason, what: str, *, then: str = "") -> None:
    """Print what has become of a season, and what to do `then`."""
    bots = len(season.bots)
    console.print(
        f"Season {season.season} of the ladder of {season.variant} {what} "
        f"({bots} bot{'' if bots == 1 else 's'}, {season.matches_played:,} matches).{then}",
        soft_wrap=True,
    )


def print_seasons(seasons: Sequence[ladder_pb2.LadderSeason]) -> None:
    """Print a table of seasons."""
    table = make_table("variant", "season", "state", "bots", "matches", "id", right="lrlrrr")
    for season in seasons:
        table.add_row(
            season.variant,
            str(season.season),
            LADDER_STATES[season.state],
            str(len(season.bots)),
            f"{season.matches_played:,}",
            str(season.tournament),
        )
    print_table(table)


def print_ladder(shown: ladder_pb2.GetLadderResponse, *, with_replaced: bool, legend: bool) -> None:
    """Print a ladder with its table, and who plays next and why."""
    season = shown.season
    console.print(
        f"Ladder of {season.variant}, season {season.season}: {LADDER_STATES[season.state]}, "
        f"{season.matches_played:,} matches (tournament {season.tournament})",
        soft_wrap=True,
    )
    table = make_table(
        *("rank", "bot", "version", "rating", "μ", "σ", "trend", "groups", "W-D-L"),
        *("waits", "P>next"),
        right="rlrrrrrrrrr",
    )
    rows = list_newest_rows(shown.rows, with_replaced=with_replaced)
    is_over = season.state == ladder_pb2.LADDER_STATE_OVER
    for rank, row in rows:
        style = "" if row.active else "dim"
        table.add_row(
            str(rank or "–"),
            Text(f"{clean(row.bot)}{'' if is_over or row.bot in season.bots else ' (left)'}"),
            str(row.version),
            format_decimal(row.rating, 1),
            format_decimal(row.mu, 1),
            format_decimal(row.sigma, 1),
            format_trend(row),
            str(row.groups),
            f"{row.wins}-{row.draws}-{row.losses}",
            str(row.waits) if row.HasField("waits") and row.active else "–",
            format_lead(row, confidence=season.confidence),
            style=style,
        )
    print_table(table)
    if replaced := len(shown.rows) - len(rows):
        versions = "1 version" if replaced == 1 else f"{replaced:,} versions"
        console.print(f"and {versions} that newer ones have replaced (--all)")
    if is_legend_wanted(legend, "ladder"):
        print_legend(LADDER_COLUMNS)
    if is_over:
        console.print(ENDED_SEASON, soft_wrap=True)
        if shown.HasField("final"):
            console.print(f"Its final: mazzo tournament show {shown.final}")
        return
    if not shown.next_tables:
        console.print(describe_rest(shown), soft_wrap=True)
        return
    console.print("Next, planned ahead of the results:")
    times = Counter(map(describe_next_table, shown.next_tables))
    for text, number in islice(times.items(), _SHOWN):
        often = f" ({number} groups)" if number > 1 else ""
        console.print(f"  {clean(text)}{often}", soft_wrap=True)
    rest = sum(islice(times.values(), _SHOWN, None))
    if rest:
        console.print(f"  and {rest} more table{'' if rest == 1 else 's'}")
