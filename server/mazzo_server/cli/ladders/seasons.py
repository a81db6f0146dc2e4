"""`mazzo ladder season`: ends the seasons of a ladder."""

from __future__ import annotations

from typing import Annotated

import typer

from mazzo.v1 import ladder_pb2
from mazzo_server.cli.ladders.screen import print_season
from mazzo_server.cli.shell.connection import JsonOption, ServerOption, connect, execute
from mazzo_server.cli.shell.options import make_tournament_option, make_whole_parser
from mazzo_server.cli.text.output import console, print_json
from mazzo_server.results.tables import to_json

__all__ = ["VariantArgument", "app"]

app = typer.Typer(no_args_is_help=True, help="End a season of a ladder.")

VariantArgument = Annotated[str, make_tournament_option("variant")]


@app.command("end")
def end(
    variant: VariantArgument,
    finalists: Annotated[
        int | None,
        typer.Option(
            "--finalists",
            metavar="N",
            parser=make_whole_parser(0, 64),
            help="So many of its first play a final until they are told apart; 0: no final. "
            "By default 4.",
            show_default=False,
        ),
    ] = None,
    last: Annotated[bool, typer.Option("--last", help="Begin no next season.")] = False,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """End the season: its table stays, a final is played, and the next season begins.

    The ratings that it ends with follow from all its mirror groups together,
    and are those from which the next one begins, less certain.

    Example: mazzo ladder season end briscola/2 --finalists 4
    """

    async def work() -> ladder_pb2.EndSeasonResponse:
        async with connect(server) as client:
            answer: ladder_pb2.EndSeasonResponse = await client.ladders.EndSeason(
                ladder_pb2.EndSeasonRequest(variant=variant, finalists=finalists, last=last)
            )
        return answer

    ended = execute(work())
    if as_json:
        print_json(to_json(ended))
        return
    print_season(ended.season, "is over")
    if ended.final:
        console.print(
            f"Its final is tournament {ended.final}: `mazzo tournament show {ended.final}`, or "
            f"`mazzo tournament resume {ended.final}` where no server plays it.",
            soft_wrap=True,
        )
    if ended.HasField("next"):
        print_season(ended.next, "has begun")
