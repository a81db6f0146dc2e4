"""`mazzo tournament watch`, `show` and `list`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from mazzo.v1 import standings_pb2, tournament_pb2
from mazzo_server.cli.shell.connection import (
    Client,
    CsvOption,
    JsonOption,
    ServerOption,
    check_format,
    connect,
    execute,
    fetch_all,
)
from mazzo_server.cli.shell.options import IdArgument, PlotOption, make_whole_parser
from mazzo_server.cli.shell.streams import open_output
from mazzo_server.cli.text.legend import LegendOption
from mazzo_server.cli.text.output import (
    console,
    error_console,
    make_table,
    print_json,
    print_json_line,
    print_table,
)
from mazzo_server.cli.text.spreadsheet import print_csv
from mazzo_server.cli.tournaments.following import follow, get_tournament, print_goes_on
from mazzo_server.cli.tournaments.standings import name_state, print_tournament
from mazzo_server.errors import PlatformError
from mazzo_server.results.commentary import clean
from mazzo_server.results.tables import to_json

__all__ = ["list_tournaments", "show", "watch"]

_MOST_SEQUENCE = 2**64 - 1  # the largest number on the wire


_LIST_COLUMNS = (  # of CSV
    "id",
    "name",
    "variant",
    "state",
    "matches_played",
    "matches_total",
    "create_time",
    "end_time",
)


def watch(
    id: IdArgument,
    sequence: Annotated[
        int,
        typer.Option(
            "--sequence",
            metavar="N",
            parser=make_whole_parser(0, _MOST_SEQUENCE),
            help="Of the last report that was read, with --run.",
        ),
    ] = 0,
    run: Annotated[str, typer.Option("--run", metavar="NAME", help="The run of that report.")] = "",
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Follow a tournament that a server plays, and print its standings when it is over.

    With --json a line for each report: progress, and the matches that have begun since the last
    one. Each has a `sequence` and a `run` from which another `watch` goes on.

    Example: mazzo tournament watch 3
    """

    async def work() -> tournament_pb2.Tournament:
        async with connect(server) as client:
            try:
                await (_watch_as_json(client, id, sequence, run) if as_json else follow(client, id))
            except asyncio.CancelledError:
                if client.address:
                    print_goes_on(client, id)
                raise
            return await get_tournament(client, id)

    tournament = execute(work())
    if not as_json:
        print_tournament(tournament)


async def _watch_as_json(client: Client, number: int, sequence: int, run: str) -> None:
    request = tournament_pb2.WatchTournamentRequest(id=number, sequence=sequence, run=run)
    failure = ""
    async for report in client.tournaments.WatchTournament(request):
        print_json_line(to_json(report))
        failure = report.failure
    if failure:
        raise PlatformError(failure)


def show(
    id: IdArgument,
    legend: LegendOption = False,
    plot: PlotOption = None,
    server: ServerOption = "",
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
) -> None:
    """Show a tournament's standings, as far as it has got.

    Example: mazzo tournament show 3
    """
    check_format(as_json=as_json, as_csv=as_csv)

    async def work() -> tournament_pb2.GetTournamentResponse:
        request = tournament_pb2.GetTournamentRequest(id=id)
        async with connect(server) as client:
            answer: tournament_pb2.GetTournamentResponse = await client.tournaments.GetTournament(
                request
            )
            if plot is not None:
                course = await client.standings.GetCourse(standings_pb2.GetCourseRequest(id=id))
                _write_charts(answer.tournament, course, plot)
            return answer

    answer = execute(work())
    tournament = answer.tournament
    if as_csv:
        columns = list(tournament_pb2.StandingsRow.DESCRIPTOR.fields_by_name)
        print_csv(columns, [to_json(row) for row in tournament.standings.rows])
    elif as_json:
        print_json(to_json(tournament))
    else:
        print_tournament(tournament, workers=answer.workers, legend=legend)


def _write_charts(
    tournament: tournament_pb2.Tournament, course: standings_pb2.GetCourseResponse, file: Path
) -> None:
    from mazzo_server.results.charts import stack
    from mazzo_server.serving.presenting import draw_moments, draw_score_spreads, draw_tournament

    drawings = draw_tournament(tournament)
    if not drawings:
        raise PlatformError("expected results to draw, got none: no mirror group counts yet")
    more = draw_moments(course), draw_score_spreads(course)
    drawings += [drawing for drawing in more if drawing is not None]
    with open_output(file) as output:
        output.write(stack(drawings))
    error_console.print(f"The charts are in {clean(str(file))}.", soft_wrap=True)


def list_tournaments(
    tables: Annotated[
        bool, typer.Option("--tables", help="Also matches of people at tables.")
    ] = False,
    challenges: Annotated[
        bool, typer.Option("--challenges", help="Also the challenges of authors.")
    ] = False,
    server: ServerOption = "",
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
) -> None:
    """List the tournaments, the newest first.

    Example: mazzo tournament list
    """
    check_format(as_json=as_json, as_csv=as_csv)

    async def work() -> list[tournament_pb2.Tournament]:
        request = tournament_pb2.ListTournamentsRequest(
            include_tables=tables, include_challenges=challenges
        )
        async with connect(server) as client:
            return await fetch_all(client.tournaments.ListTournaments, request, "tournaments")

    tournaments = execute(work())
    if as_json:
        print_json([to_json(tournament) for tournament in tournaments])
        return
    if as_csv:
        print_csv(_LIST_COLUMNS, map(to_json, tournaments))
        return
    if not tournaments:
        console.print(
            "No tournaments yet: an organiser plays one with `mazzo tournament run VARIANT`. "
            "`mazzo tournament entries` lists those that take entries."
        )
        return
    table = make_table("id", "name", "variant", "bots", "matches", "state", right="r  rr")
    for tournament in tournaments:
        table.add_row(
            str(tournament.id),
            clean(tournament.name),
            tournament.variant,
            str(len(tournament.entrants)),
            f"{tournament.matches_played}/{tournament.matches_total}",
            name_state(tournament.state),
        )
    print_table(table)
