"""`mazzo rankings`: who is best, variant by variant."""

from __future__ import annotations

from typing import Annotated

import typer

from mazzo.v1 import ranking_pb2
from mazzo_server.cli.connection import JsonOption, ServerOption, connect, execute
from mazzo_server.cli.output import console, print_json, to_json
from mazzo_server.cli.standings import print_ranking

__all__ = ["rankings"]


def rankings(
    variant: Annotated[
        str, typer.Argument(metavar="[VARIANT]", help="Such as briscola/2; by default all.")
    ] = "",
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Show the ranking of each variant over all its finished tournaments."""

    async def work() -> list[ranking_pb2.Ranking]:
        request = ranking_pb2.ListRankingsRequest(variant=variant)
        async with connect(server) as client:
            return list((await client.rankings.ListRankings(request)).rankings)

    found = execute(work())
    if as_json:
        print_json([to_json(ranking) for ranking in found])
        return
    if not found:
        console.print("No ranking yet: it is made of finished tournaments.")
    for index, ranking in enumerate(found):
        if index:
            console.print()
        print_ranking(ranking)
