"""`mazzo tournament open` and `call-off`: what bots may enter, and when it starts."""

from __future__ import annotations

from typing import Annotated, TypedDict

import typer
from google.protobuf.timestamp_pb2 import Timestamp

from mazzo.v1 import entry_pb2
from mazzo_server.cli.entries.arguments import OpenIdArgument
from mazzo_server.cli.entries.listing import print_open_tournament
from mazzo_server.cli.shell.connection import JsonOption, ServerOption, connect, execute
from mazzo_server.cli.shell.options import make_whole_parser, make_word_option
from mazzo_server.cli.shell.times import parse_moment
from mazzo_server.cli.shell.tournament_options import make_request
from mazzo_server.cli.text.output import console, print_json
from mazzo_server.results.tables import to_json

__all__ = ["call_off", "open_entries"]

_PANEL = "When it is played"
_EVERY = ("day", "week")


class _When(TypedDict):
    metavar: str
    rich_help_panel: str
    show_default: bool


_WHEN: _When = {"metavar": "WHEN", "rich_help_panel": _PANEL, "show_default": False}


def open_entries(
    context: typer.Context,
    entries_from: Annotated[
        Timestamp | None,
        typer.Option(
            "--entries-from",
            parser=parse_moment,
            help="When entries begin. By default at once.",
            **_WHEN,
        ),
    ] = None,
    entries_until: Annotated[
        Timestamp | None,
        typer.Option(
            "--entries-until",
            parser=parse_moment,
            help="When they end. By default as it starts.",
            **_WHEN,
        ),
    ] = None,
    start_at: Annotated[
        Timestamp | None,
        typer.Option(
            "--start-at",
            parser=parse_moment,
            help="When it starts. By default as they end.",
            **_WHEN,
        ),
    ] = None,
    start_with: Annotated[
        int | None,
        typer.Option(
            "--start-with",
            metavar="N",
            parser=make_whole_parser(2),
            rich_help_panel=_PANEL,
            help="Start as soon as so many can play.",
            show_default=False,
        ),
    ] = None,
    every: Annotated[
        str | None,
        typer.Option(
            "--every",
            **make_word_option(_EVERY),
            rich_help_panel=_PANEL,
            help="Play it again. By default once.",
            show_default=False,
        ),
    ] = None,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Open a tournament that authors enter bots for, and `mazzo serve` starts.

    WHEN is such as 2026-12-03T20:00+01:00, or from now on: 30m, 2h or 3d.

    Example: mazzo tournament open briscola/2 --start-at 2h --every week
    """

    async def work() -> entry_pb2.OpenTournament:
        timetable = entry_pb2.Timetable(
            entries_from=entries_from,
            entries_until=entries_until,
            start_at=start_at,
            start_with=start_with,
            every=every or "",
        )
        request = entry_pb2.CreateOpenTournamentRequest(
            tournament=make_request(context), timetable=timetable
        )
        async with connect(server) as client:
            answer: entry_pb2.CreateOpenTournamentResponse = (
                await client.entries.CreateOpenTournament(request)
            )
        return answer.open_tournament

    made = execute(work())
    if as_json:
        print_json(to_json(made))
        return
    print_open_tournament(made)
    console.print(
        f"Authors enter their bots with: mazzo tournament enter {made.id} BOT", soft_wrap=True
    )


def call_off(id: OpenIdArgument, server: ServerOption = "", as_json: JsonOption = False) -> None:
    """Call an open tournament off: no round of it comes any more.

    A tournament that it became already is played on.

    Example: mazzo tournament call-off 3
    """

    async def work() -> entry_pb2.OpenTournament:
        request = entry_pb2.CallOffOpenTournamentRequest(id=id)
        async with connect(server) as client:
            answer: entry_pb2.CallOffOpenTournamentResponse = (
                await client.entries.CallOffOpenTournament(request)
            )
        return answer.open_tournament

    gone = execute(work())
    if as_json:
        print_json(to_json(gone))
        return
    console.print(f"Open tournament {id} is called off: no round of it comes any more.")
