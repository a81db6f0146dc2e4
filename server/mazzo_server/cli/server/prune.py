"""`mazzo prune`: deletes the records of old tournaments."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.filesize import decimal

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.shell.completion.platform import complete_tournament
from mazzo_server.cli.shell.connection import JsonOption, ServerOption, connect, execute
from mazzo_server.cli.shell.options import make_amount_parser, make_whole_parser
from mazzo_server.cli.text.output import console, make_table, print_json, print_table
from mazzo_server.results.commentary import clean
from mazzo_server.results.tables import to_json

__all__ = ["prune"]

_MOST_DAYS = 36_500


def prune(
    older_than: Annotated[
        float | None,
        typer.Option(
            "--older-than",
            metavar="DAYS",
            parser=make_amount_parser("days", most=_MOST_DAYS, zero=True),
            help="Those that were over so long ago.",
        ),
    ] = None,
    tournament: Annotated[
        list[int] | None,
        typer.Option(
            "--tournament",
            metavar="ID",
            autocompletion=complete_tournament,
            parser=make_whole_parser(1),
            help="Only this tournament; may be given several times.",
            show_default="all",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be thrown away.")
    ] = False,
    compact: Annotated[
        bool,
        typer.Option("--compact", help="Give the space back; whoever writes waits meanwhile."),
    ] = False,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Throw away the deals and logs of tournaments that are over; their results stay.

    Example: mazzo prune --older-than 365 --dry-run
    """
    if older_than is None and not tournament:
        raise typer.BadParameter("expected --older-than DAYS or --tournament ID, got neither")

    async def work() -> list[tournament_pb2.PrunedTournament]:
        request = tournament_pb2.PruneTournamentsRequest(
            older_than_days=older_than, ids=tournament or [], dry_run=dry_run, compact=compact
        )
        async with connect(server) as client:
            return list((await client.tournaments.PruneTournaments(request)).tournaments)

    found = execute(work())
    if as_json:
        print_json([to_json(item) for item in found])
        return
    if not found:
        console.print("Nothing to throw away.")
        return
    table = make_table("id", "name", "matches", "size", right="r rr")
    for item in found:
        table.add_row(str(item.id), clean(item.name), f"{item.matches:,}", decimal(item.bytes))
    print_table(table)
    what = "would lose" if dry_run else "lost"
    who = "1 tournament" if len(found) == 1 else f"{len(found)} tournaments"
    console.print(f"{who} {what} deals and logs; results and ratings stay.")
