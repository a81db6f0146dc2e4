"""`mazzo tournament`: run, list, show, resume."""

from __future__ import annotations

import asyncio
from typing import Annotated

import grpc
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.connection import (
    Client,
    IsolationOption,
    JsonOption,
    ServerOption,
    all_pages,
    connect,
    execute,
)
from mazzo_server.cli.options import OptionOption, with_options
from mazzo_server.cli.output import (
    clean,
    console,
    new_table,
    notes,
    print_json,
    print_table,
    to_json,
)
from mazzo_server.cli.spreadsheet import CsvOption, check_format, print_csv
from mazzo_server.cli.standings import print_tournament, state_word
from mazzo_server.errors import PlatformError, ServerUnavailableError

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Run tournaments and see their standings.")

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
_MOST = 2**31 - 1  # of any number: what the wire and every store can hold

IdArgument = Annotated[
    int, typer.Argument(metavar="ID", min=1, max=_MOST, help="The tournament's number.")
]


@app.command("run")
def run(
    variant: Annotated[
        str, typer.Argument(metavar="VARIANT", help="Such as briscola/2 or briscola/4?talk=off.")
    ],
    bots: Annotated[
        str,
        typer.Option(
            "--bots",
            metavar="A,B,…",
            help="Who takes part; by default every bot that plays it and passed its trial.",
        ),
    ] = "",
    option: OptionOption = None,
    deals: Annotated[
        int | None,
        typer.Option(
            "--deals",
            metavar="N",
            min=1,
            max=_MOST,
            help="Deals that each table of entrants plays in all, rounded up to whole mirror "
            "groups.",
            show_default="100",
        ),
    ] = None,
    groups: Annotated[
        int | None,
        typer.Option(
            "--groups", metavar="N", min=1, max=_MOST, help="Or: mirror groups of each table."
        ),
    ] = None,
    until_separated: Annotated[
        float | None,
        typer.Option(
            "--until-separated",
            metavar="P",
            help="Or: play on until neighbours in the standings are separated, all of them with "
            "this confidence, such as 0.95.",
        ),
    ] = None,
    max_deals: Annotated[
        int | None,
        typer.Option(
            "--max-deals",
            metavar="N",
            min=1,
            max=_MOST,
            help="With --until-separated: deals that each table plays at most.",
        ),
    ] = None,
    match: Annotated[
        str,
        typer.Option(
            "--match",
            metavar="FORMAT",
            help="deals:N, best-of:N or target:P.",
            show_default="deals:2 for two sides, deals:N for N seats",
        ),
    ] = "",
    mirror: Annotated[
        str,
        typer.Option(
            "--mirror",
            metavar="rotations|all|off",
            help="In how many seatings the same deals are played.",
            show_default="rotations",
        ),
    ] = "",
    time: Annotated[
        str,
        typer.Option(
            "--time",
            metavar="BASE+INCREMENT",
            help="Seconds in the bank for each deal, and more after each decision.",
            show_default="10+0.1",
        ),
    ] = "",
    limit: Annotated[
        float,
        typer.Option(
            "--limit", metavar="SECONDS", min=0, help="For one decision.", show_default="5"
        ),
    ] = 0,
    start_up: Annotated[
        float,
        typer.Option(
            "--start-up", metavar="SECONDS", min=0, help="For a bot to start.", show_default="20"
        ),
    ] = 0,
    grace: Annotated[
        float,
        typer.Option(
            "--grace",
            metavar="SECONDS",
            min=0,
            help="For a remote bot to come back when its connection was lost.",
            show_default="10",
        ),
    ] = 0,
    allow_remote_mirror: Annotated[
        bool,
        typer.Option(
            "--allow-remote-mirror",
            help="Mirror deals even with remote bots, which may remember the cards.",
        ),
    ] = False,
    pairing: Annotated[
        str,
        typer.Option(
            "--pairing",
            metavar="round-robin|gauntlet|swiss",
            help="Who meets whom.",
            show_default="round-robin",
        ),
    ] = "",
    tables: Annotated[
        int | None,
        typer.Option(
            "--tables",
            metavar="N",
            min=1,
            max=_MOST,
            help="A balanced choice of at least so many tables of entrants.",
            show_default="every combination",
        ),
    ] = None,
    hero: Annotated[
        str, typer.Option("--hero", metavar="BOT", help="Who meets all others in a gauntlet.")
    ] = "",
    rounds: Annotated[
        int | None,
        typer.Option(
            "--rounds",
            metavar="N",
            min=1,
            max=_MOST,
            help="Of a Swiss tournament.",
            show_default="one more than halving the field takes",
        ),
    ] = None,
    concurrency: Annotated[
        int,
        typer.Option(
            "--concurrency",
            metavar="N",
            min=0,
            max=_MOST,
            help="Matches in flight at once; results do not depend on it.",
            show_default="128",
        ),
    ] = 0,
    isolation: IsolationOption = "",
    name: Annotated[str, typer.Option("--name", metavar="TEXT", help="What to call it.")] = "",
    seed: Annotated[
        str,
        typer.Option(
            "--seed", metavar="HEX", help="64 hexadecimal digits; by default from the system."
        ),
    ] = "",
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Play a tournament and print its standings. Ctrl-C stops it; `resume` goes on."""

    async def work() -> tournament_pb2.Tournament:
        request = tournament_pb2.CreateTournamentRequest(
            variant=with_options(variant, option or []),
            bots=[part.strip() for part in bots.split(",")] if bots else [],
            deals=deals,
            groups=groups,
            until_separated=until_separated,
            max_deals=max_deals,
            match_format=match,
            mirror=mirror,
            time_control=time,
            isolation=isolation,
            name=name,
            seed=seed,
            concurrency=concurrency,
            limit_seconds=limit,
            start_up_seconds=start_up,
            grace_seconds=grace,
            allow_remote_mirror=allow_remote_mirror,
            pairing=pairing,
            tables=tables,
            hero=hero,
            rounds=rounds,
        )
        async with connect(server) as client:
            created = (await client.tournaments.CreateTournament(request)).tournament
            return await _play(client, created.id, concurrency)

    _print(execute(work()), as_json)


@app.command("resume")
def resume(
    id: IdArgument,
    concurrency: Annotated[
        int,
        typer.Option(
            "--concurrency",
            metavar="N",
            min=0,
            max=_MOST,
            help="Matches in flight at once; results do not depend on it.",
            show_default="as it was created",
        ),
    ] = 0,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Go on with a tournament that was stopped or killed, from where it stands."""

    async def work() -> tournament_pb2.Tournament:
        async with connect(server) as client:
            return await _play(client, id, concurrency)

    _print(execute(work()), as_json)


async def _play(client: Client, number: int, concurrency: int) -> tournament_pb2.Tournament:
    start = tournament_pb2.StartTournamentRequest(id=number, concurrency=concurrency)
    await client.tournaments.StartTournament(start)
    try:
        await _follow(client, number)
        tournament = await _get(client, number)
    except asyncio.CancelledError:
        if client.address:
            notes.print(f"Tournament {number} goes on at {client.address}.", soft_wrap=True)
        else:
            notes.print(
                f"Stopping; every finished match is kept. Go on with: "
                f"mazzo tournament resume {number}",
                soft_wrap=True,
            )
        raise
    except grpc.aio.AioRpcError as error:
        if client.address and error.code() is grpc.StatusCode.UNAVAILABLE:
            raise ServerUnavailableError(
                f"the server at {client.address} went away; every finished match is kept: when it "
                f"is back, go on with: mazzo tournament resume {number}"
            ) from error
        raise
    if tournament.state == tournament_pb2.TOURNAMENT_STATE_INTERRUPTED:
        raise PlatformError(
            f"tournament {number} was stopped after {tournament.matches_played} of "
            f"{tournament.matches_total} matches; every finished match is kept, go on with: "
            f"mazzo tournament resume {number}"
        )
    return tournament


async def _follow(client: Client, number: int) -> None:
    """Show the progress until the run ends; raises `PlatformError` when it failed."""
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[facts]}"),
        TimeRemainingColumn(),
        console=notes,
        transient=True,
        disable=not notes.is_terminal,
    )
    request = tournament_pb2.WatchTournamentRequest(id=number)
    with bar:
        task = bar.add_task(f"Tournament {number}", total=None, facts="")
        first: tournament_pb2.WatchTournamentResponse | None = None
        async for report in client.tournaments.WatchTournament(request):
            first = first or report
            bar.update(
                task,
                total=report.matches_total,
                completed=report.matches_played,
                facts=_facts(report, since=first),
            )
            if report.failure:
                raise PlatformError(
                    f"tournament {number} stopped after {report.matches_played} of "
                    f"{report.matches_total} matches: {report.failure}; every finished match is "
                    f"kept, go on with: mazzo tournament resume {number}"
                )


def _facts(
    report: tournament_pb2.WatchTournamentResponse, *, since: tournament_pb2.WatchTournamentResponse
) -> str:
    seconds = report.running_seconds - since.running_seconds
    rate = (report.matches_played - since.matches_played) / seconds if seconds else 0.0
    facts = f"matches · {rate:.0f} a second"
    if report.faults:
        facts += f" · {report.faults} forfeited"
    if report.withdrawn:
        facts += f" · {report.withdrawn} withdrawn"
    return facts


async def _get(client: Client, number: int) -> tournament_pb2.Tournament:
    request = tournament_pb2.GetTournamentRequest(id=number)
    answer: tournament_pb2.GetTournamentResponse = await client.tournaments.GetTournament(request)
    return answer.tournament


def _print(tournament: tournament_pb2.Tournament, as_json: bool) -> None:
    if as_json:
        print_json(to_json(tournament))
    else:
        print_tournament(tournament)


@app.command("show")
def show(
    id: IdArgument,
    server: ServerOption = "",
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
) -> None:
    """Show a tournament's standings, as far as it has got."""
    check_format(as_json=as_json, as_csv=as_csv)

    async def work() -> tournament_pb2.Tournament:
        async with connect(server) as client:
            return await _get(client, id)

    tournament = execute(work())
    if as_csv:
        columns = list(tournament_pb2.StandingsRow.DESCRIPTOR.fields_by_name)
        print_csv(columns, [to_json(row) for row in tournament.standings.rows])
    else:
        _print(tournament, as_json)


@app.command("list")
def list_tournaments(
    server: ServerOption = "", as_json: JsonOption = False, as_csv: CsvOption = False
) -> None:
    """List the tournaments, the newest first."""
    check_format(as_json=as_json, as_csv=as_csv)

    async def work() -> list[tournament_pb2.Tournament]:
        request = tournament_pb2.ListTournamentsRequest()
        async with connect(server) as client:
            return await all_pages(client.tournaments.ListTournaments, request, "tournaments")

    tournaments = execute(work())
    if as_json:
        print_json([to_json(tournament) for tournament in tournaments])
        return
    if as_csv:
        print_csv(_LIST_COLUMNS, map(to_json, tournaments))
        return
    if not tournaments:
        console.print("No tournaments yet: play one with `mazzo tournament run VARIANT`.")
        return
    table = new_table("id", "name", "variant", "bots", "matches", "state", right="r  rr")
    for tournament in tournaments:
        table.add_row(
            str(tournament.id),
            clean(tournament.name),
            tournament.variant,
            str(len(tournament.entrants)),
            f"{tournament.matches_played}/{tournament.matches_total}",
            state_word(tournament.state),
        )
    print_table(table)
