"""`mazzo tournament`: plan, create, play, change, look at."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, TypeAlias

import typer

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.replay.commands import MatchId
from mazzo_server.cli.shell.connection import (
    Client,
    JsonOption,
    ServerOption,
    all_pages,
    connect,
    execute,
)
from mazzo_server.cli.shell.options import whole
from mazzo_server.cli.shell.tournament_options import wishing
from mazzo_server.cli.text.output import (
    console,
    new_table,
    print_json,
    print_json_line,
    print_table,
    to_json,
)
from mazzo_server.cli.text.spreadsheet import CsvOption, check_format, print_csv
from mazzo_server.cli.tournaments.following import follow, get, play, say_it_goes_on
from mazzo_server.cli.tournaments.planning import note_unqualified, print_plan, print_rerun
from mazzo_server.cli.tournaments.standings import print_tournament, state_word
from mazzo_server.errors import InvalidInputError, PlatformError
from mazzo_server.results.commentary import clean

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Run tournaments and see their standings.")

Wish: TypeAlias = Callable[[], tournament_pb2.CreateTournamentRequest]
_MOST_SEQUENCE = 2**64 - 1  # that the wire can hold
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

IdArgument = Annotated[
    int, typer.Argument(metavar="ID", parser=whole(1), help="The tournament's number.")
]
BotArgument = Annotated[str, typer.Argument(metavar="BOT", help="The bot's name.")]
ConcurrencyOption = Annotated[
    int | None,
    typer.Option(
        "--concurrency",
        metavar="N",
        parser=whole(1),
        help="Matches in flight at once; results do not depend on it.",
        show_default="as it was created",
    ),
]
DetachOption = Annotated[
    bool,
    typer.Option("--detach", help="Let the server play it, and do not wait for the end."),
]


@app.command("run")
@wishing
def run(
    wish: Wish, detach: DetachOption = False, server: ServerOption = "", as_json: JsonOption = False
) -> None:
    """Play a tournament and print its standings. Ctrl-C stops it; `resume` goes on."""

    async def work() -> tournament_pb2.Tournament:
        request = wish()
        async with connect(server) as client:
            _check_detach(detach, server)
            answer = await client.tournaments.CreateTournament(request)
            note_unqualified(answer.unqualified)
            created = answer.tournament
            return await _start(client, created.id, request.concurrency, detach)

    _print_played(execute(work()), detach, as_json)


@app.command("plan")
@wishing
def plan(wish: Wish, server: ServerOption = "", as_json: JsonOption = False) -> None:
    """Show what a tournament would play, and how long that would take; nothing is stored."""

    async def work() -> tournament_pb2.PlanTournamentResponse:
        request = tournament_pb2.PlanTournamentRequest(tournament=wish())
        async with connect(server) as client:
            answer: tournament_pb2.PlanTournamentResponse = await client.tournaments.PlanTournament(
                request
            )
            return answer

    planned = execute(work())
    note_unqualified(planned.unqualified)
    if as_json:
        print_json(to_json(planned))
    else:
        print_plan(planned)


@app.command("create")
@wishing
def create(wish: Wish, server: ServerOption = "", as_json: JsonOption = False) -> None:
    """Store a tournament, with the active versions of its bots, to be played later."""

    async def work() -> tournament_pb2.Tournament:
        request = wish()
        async with connect(server) as client:
            answer: tournament_pb2.CreateTournamentResponse = (
                await client.tournaments.CreateTournament(request)
            )
            note_unqualified(answer.unqualified)
            return answer.tournament

    created = execute(work())
    if as_json:
        print_json(to_json(created))
        return
    console.print(
        f"Tournament {created.id} is created: {created.matches_total:,} matches of "
        f"{created.variant}. Play it with: mazzo tournament start {created.id}",
        soft_wrap=True,
    )


@app.command("start")
def start(
    id: IdArgument,
    concurrency: ConcurrencyOption = None,
    detach: DetachOption = False,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Play a tournament that was created, and print its standings."""
    _go_on(id, concurrency, detach, server, as_json)


@app.command("resume")
def resume(
    id: IdArgument,
    concurrency: ConcurrencyOption = None,
    detach: DetachOption = False,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Go on with a tournament that was paused, stopped or killed, from where it stands."""
    _go_on(id, concurrency, detach, server, as_json)


def _go_on(id: int, concurrency: int | None, detach: bool, server: str, as_json: bool) -> None:
    async def work() -> tournament_pb2.Tournament:
        async with connect(server) as client:
            _check_detach(detach, server)
            return await _start(client, id, concurrency, detach)

    _print_played(execute(work()), detach, as_json)


def _check_detach(detach: bool, server: str) -> None:
    if detach and not server:
        raise InvalidInputError(
            "--detach: expected a server that goes on without this command (--server): start one "
            "with `mazzo serve`"
        )


async def _start(
    client: Client, number: int, concurrency: int | None, detach: bool
) -> tournament_pb2.Tournament:
    if not detach:
        return await play(client, number, concurrency or 0)
    request = tournament_pb2.StartTournamentRequest(id=number, concurrency=concurrency or 0)
    await client.tournaments.StartTournament(request)
    return await get(client, number)


def _print_played(tournament: tournament_pb2.Tournament, detach: bool, as_json: bool) -> None:
    if detach and not as_json:
        console.print(
            f"Tournament {tournament.id} is played by the server. Look at it with: "
            f"mazzo tournament watch {tournament.id}",
            soft_wrap=True,
        )
        return
    _print(tournament, as_json)


@app.command("pause")
def pause(id: IdArgument, server: ServerOption = "", as_json: JsonOption = False) -> None:
    """Stop a tournament after its current matches; `resume` goes on."""

    async def work() -> tournament_pb2.Tournament:
        async with connect(server) as client:
            await client.tournaments.StopTournament(tournament_pb2.StopTournamentRequest(id=id))
            await follow(client, id)
            return await get(client, id)

    _print_state(execute(work()), as_json)


@app.command("cancel")
def cancel(id: IdArgument, server: ServerOption = "", as_json: JsonOption = False) -> None:
    """Stop a tournament for good. What is finished can be seen, and enters no ranking."""

    async def work() -> tournament_pb2.Tournament:
        async with connect(server) as client:
            await client.tournaments.CancelTournament(tournament_pb2.CancelTournamentRequest(id=id))
            await follow(client, id)
            return await get(client, id)

    _print_state(execute(work()), as_json)


def _print_state(tournament: tournament_pb2.Tournament, as_json: bool) -> None:
    if as_json:
        print_json(to_json(tournament))
        return
    state = state_word(tournament.state)
    go_on = f" Go on with: mazzo tournament resume {tournament.id}" if state == "paused" else ""
    console.print(
        f"Tournament {tournament.id} is {state}, after {tournament.matches_played:,} of "
        f"{tournament.matches_total:,} matches.{go_on}",
        soft_wrap=True,
    )


@app.command("add")
def add(
    id: IdArgument, bot: BotArgument, server: ServerOption = "", as_json: JsonOption = False
) -> None:
    """Let one more bot take part, with its active version, in the groups that have not begun."""

    async def work() -> tournament_pb2.AddEntrantResponse:
        request = tournament_pb2.AddEntrantRequest(id=id, bot=bot)
        async with connect(server) as client:
            answer: tournament_pb2.AddEntrantResponse = await client.tournaments.AddEntrant(request)
            return answer

    added = execute(work())
    if as_json:
        print_json(to_json(added))
        return
    console.print(
        f"{bot} version {added.version} takes part in tournament {id}, from mirror group "
        f"{added.first_group} on.",
        soft_wrap=True,
    )


@app.command("retire")
def retire(
    id: IdArgument, bot: BotArgument, server: ServerOption = "", as_json: JsonOption = False
) -> None:
    """Let a bot play no more in a tournament; its results stay."""

    async def work() -> tournament_pb2.RetireEntrantResponse:
        request = tournament_pb2.RetireEntrantRequest(id=id, bot=bot)
        async with connect(server) as client:
            answer: tournament_pb2.RetireEntrantResponse = await client.tournaments.RetireEntrant(
                request
            )
            return answer

    retired = execute(work())
    if as_json:
        print_json(to_json(retired))
        return
    console.print(
        f"{bot} is retired from tournament {id}, from mirror group {retired.first_group} on; its "
        "results stay.",
        soft_wrap=True,
    )


@app.command("watch")
def watch(
    id: IdArgument,
    sequence: Annotated[
        int,
        typer.Option(
            "--sequence",
            metavar="N",
            parser=whole(0, _MOST_SEQUENCE),
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
    """

    async def work() -> tournament_pb2.Tournament:
        async with connect(server) as client:
            try:
                await (_watch_as_json(client, id, sequence, run) if as_json else follow(client, id))
            except asyncio.CancelledError:
                if client.address:
                    say_it_goes_on(client, id)
                raise
            return await get(client, id)

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


@app.command("rerun")
def rerun(
    id: IdArgument,
    match: Annotated[
        str,
        typer.Option(
            "--match", metavar="GROUP/SEATING", help="Which one; see `mazzo replay list ID`."
        ),
    ],
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Play a match again from its seed and compare; status 1 where the bots did otherwise.

    Nothing is stored. Bots that answer by the view and their seed do the same again.
    """

    async def work() -> tournament_pb2.RerunMatchResponse:
        which = _match(id, match)
        request = tournament_pb2.RerunMatchRequest(id=id, group=which.group, seating=which.seating)
        async with connect(server) as client:
            answer: tournament_pb2.RerunMatchResponse = await client.tournaments.RerunMatch(request)
            return answer

    answer = execute(work())
    if as_json:
        print_json(to_json(answer))
    else:
        print_rerun(match, answer)
    if not answer.identical:
        raise typer.Exit(1)


def _match(id: int, text: str) -> MatchId:
    """From GROUP/SEATING, or ID/GROUP/SEATING as `mazzo replay` calls a match."""
    try:
        match = MatchId.parse(text if text.count("/") > 1 else f"{id}/{text}")
    except InvalidInputError:
        raise InvalidInputError(
            f"--match: expected GROUP/SEATING, such as 17/0, got {text!r}"
        ) from None
    if match.tournament != id:
        raise InvalidInputError(f"--match: expected a match of tournament {id}, got {text!r}")
    return match


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
            return await get(client, id)

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
