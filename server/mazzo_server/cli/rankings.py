"""`mazzo rankings`: who is best, variant by variant."""

from __future__ import annotations

from typing import Annotated

import typer

from mazzo.v1 import ranking_pb2
from mazzo_server.cli.connection import JsonOption, ServerOption, connect, execute
from mazzo_server.cli.output import console, print_json, to_json
from mazzo_server.cli.spreadsheet import CsvOption, check_format, print_csv
from mazzo_server.cli.standings import print_ranking

__all__ = ["rankings"]


def rankings(
    variant: Annotated[
        str, typer.Argument(metavar="[VARIANT]", help="Such as briscola/2; by default all.")
    ] = "",
    server: ServerOption = "",
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
) -> None:
    """Show the ranking of each variant over all its finished tournaments."""
    check_format(as_json=as_json, as_csv=as_csv)

    async def work() -> list[ranking_pb2.Ranking]:
        request = ranking_pb2.ListRankingsRequest(variant=variant)
        async with connect(server) as client:
            return list((await client.rankings.ListRankings(request)).rankings)

    found = execute(work())
    if as_json:
        print_json([to_json(ranking) for ranking in found])
        return
    if as_csv:
        rows = [
            {"variant": ranking.variant, **to_json(row)}
            for ranking in found
            for row in ranking.rows
        ]
        print_csv(["variant", *ranking_pb2.RankingRow.DESCRIPTOR.fields_by_name], rows)
        return
    if not found:
        console.print("No ranking yet: it is made of finished tournaments.")
    for index, ranking in enumerate(found):
        if index:
            console.print()
        print_ranking(ranking)
