"""Shows the ranking of a variant as a table."""

from __future__ import annotations

from rich.text import Text

from mazzo.v1 import ranking_pb2
from mazzo_server.cli.text.output import console, make_table, print_table

__all__ = ["print_ranking"]


def print_ranking(ranking: ranking_pb2.Ranking) -> None:
    many = "s" if ranking.tournaments != 1 else ""
    title = f"{ranking.variant}, {ranking.tournaments} finished tournament{many}"
    console.print(Text(title, style="bold"))
    table = make_table("", "bot", "rating", "μ", "σ", "W-D-L", "tournaments", right="r rrrrr")
    for row in ranking.rows:
        table.add_row(
            str(row.rank),
            f"{row.name} v{row.version}" + ("" if row.newest else " (old)"),
            f"{row.rating:.2f}",
            f"{row.mu:.2f}",
            f"{row.sigma:.2f}",
            f"{row.wins}-{row.draws}-{row.losses}",
            str(row.tournaments),
        )
    print_table(table)
