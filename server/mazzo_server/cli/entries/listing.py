"""`mazzo tournament entries`: who has entered, and what each still lacks."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from mazzo.v1 import entry_pb2
from mazzo_server.cli.shell.completion.platform import complete_open_tournament
from mazzo_server.cli.shell.connection import (
    JsonOption,
    ServerOption,
    connect,
    execute,
    fail,
    fetch_all,
)
from mazzo_server.cli.shell.options import make_whole_parser
from mazzo_server.cli.text.output import console, make_table, print_json, print_table
from mazzo_server.errors import InvalidInputError
from mazzo_server.results.commentary import (
    clean,
    describe_entry_times,
    describe_request,
    name_open_state,
)
from mazzo_server.results.tables import to_json

__all__ = ["print_open_tournament", "show_entries"]


def show_entries(
    id: Annotated[
        int | None,
        typer.Argument(
            metavar="[ID]",
            parser=make_whole_parser(1),
            autocompletion=complete_open_tournament,
            help="The number of an open tournament. By default all are listed.",
            show_default=False,
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Also those that are over.")] = False,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Show who has entered an open tournament and what each still lacks, or list them all.

    Example: mazzo tournament entries 3
    """
    if id is None:
        _list_open(server, every=every, as_json=as_json)
        return
    if every:
        fail(InvalidInputError("expected --all or a number, got both"))

    async def work() -> entry_pb2.OpenTournament:
        request = entry_pb2.GetOpenTournamentRequest(id=id)
        async with connect(server) as client:
            answer: entry_pb2.GetOpenTournamentResponse = await client.entries.GetOpenTournament(
                request
            )
        return answer.open_tournament

    shown = execute(work())
    if as_json:
        print_json(to_json(shown))
    else:
        print_open_tournament(shown)


def _list_open(server: str, *, every: bool, as_json: bool) -> None:
    async def work() -> list[entry_pb2.OpenTournament]:
        request = entry_pb2.ListOpenTournamentsRequest(include_over=every)
        async with connect(server) as client:
            call = client.entries.ListOpenTournaments
            return await fetch_all(call, request, "open_tournaments")

    found = execute(work())
    if as_json:
        print_json([to_json(one) for one in found])
        return
    if not found:
        console.print(
            "No tournament takes entries: an organiser opens one with `mazzo tournament open "
            "VARIANT`.",
            soft_wrap=True,
        )
        return
    table = make_table("id", "name", "variant", "state", "bots", "starts", right="rlllrl")
    for one in found:
        table.add_row(
            str(one.id),
            Text(clean(one.tournament.name)),
            Text(clean(one.tournament.variant)),
            name_open_state(one.state),
            str(one.entries_total),
            _format_start(one.timetable),
        )
    print_table(table)


def print_open_tournament(shown: entry_pb2.OpenTournament) -> None:
    """Print what is played and when, who has entered, and the earlier rounds."""
    request = shown.tournament
    name = f"{clean(request.name)}, " if request.name else ""
    console.print(
        Text(f"Open tournament {shown.id}: {name}{clean(request.variant)}", style="bold"),
        soft_wrap=True,
    )
    asked = describe_request(request)
    for line in filter(None, (asked, *describe_entry_times(shown))):
        console.print(Text(clean(line)), soft_wrap=True)
    if shown.entries and shown.state == entry_pb2.OPEN_TOURNAMENT_STATE_OVER:
        names = ", ".join(entry.bot for entry in shown.entries)
        console.print(Text(f"Had entered: {clean(names)}"), soft_wrap=True)
    elif shown.entries:
        table = make_table("bot", "version", "lacks", right="lrl")
        for entry in shown.entries:
            table.add_row(
                Text(clean(entry.bot)),
                str(entry.version) if entry.HasField("version") else "",
                Text(clean(entry.lacks) or "nothing"),
            )
        print_table(table)
    else:
        console.print("No bot has entered.")
    for one in shown.rounds:
        console.print(Text(clean(_describe_round(one))), soft_wrap=True)


def _describe_round(one: entry_pb2.OpenRound) -> str:
    moment = one.time.ToDatetime().strftime("%Y-%m-%dT%H:%M:%SZ")
    if not one.HasField("tournament"):
        return f"Round {one.number}, {moment}: not played, since {one.reason}"
    without = f", without {', '.join(one.left_out)}" if one.left_out else ""
    return f"Round {one.number}, {moment}: tournament {one.tournament}{without}"


def _format_start(times: entry_pb2.Timetable) -> str:
    with_number = f"with {times.start_with} bots" if times.HasField("start_with") else ""
    for name in ("start_at", "entries_until"):
        if times.HasField(name):
            moment: str = getattr(times, name).ToDatetime().strftime("%Y-%m-%dT%H:%MZ")
            every = f", every {times.every}" if times.every else ""
            return f"{moment}{every}" + (f", or {with_number}" if with_number else "")
    return with_number
