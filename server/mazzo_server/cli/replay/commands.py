"""`mazzo replay`: tells a match, exports and verifies records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from mazzo.match_record import MatchRecord, split_records
from mazzo_server.cli.replay.fetching import LONGEST_LINE, fetch_record, stream_record
from mazzo_server.cli.replay.rerun import rerun
from mazzo_server.cli.replay.verification import check_record, print_checked_record
from mazzo_server.cli.screen.keys import has_screen
from mazzo_server.cli.screen.stepper import ShownPosition
from mazzo_server.cli.screen.watching import step_through
from mazzo_server.cli.shell.completion.platform import complete_match
from mazzo_server.cli.shell.connection import (
    INTERRUPTED,
    JsonOption,
    ServerOption,
    connect,
    execute,
)
from mazzo_server.cli.shell.options import make_whole_parser
from mazzo_server.cli.shell.streams import open_output, read_lines
from mazzo_server.cli.text.output import (
    console,
    error_console,
    print_json,
)
from mazzo_server.cli.text.retelling import Retelling, encode_seat
from mazzo_server.errors import PlatformError
from mazzo_server.home import choose_as_expert
from mazzo_server.model import MatchId

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Look at matches, and check their records.")

MatchArgument = Annotated[
    str,
    typer.Argument(
        metavar="MATCH",
        autocompletion=complete_match,
        help="Tournament, group and seating, such as 3/17/0; see `matches`.",
    ),
]


@app.command("show")
def show(
    match: MatchArgument,
    deal: Annotated[
        int | None,
        typer.Option(
            "--deal",
            metavar="K",
            parser=make_whole_parser(1),
            help="Only, or first, this deal; the first one is 1.",
        ),
    ] = None,
    seat: Annotated[
        int | None,
        typer.Option(
            "--seat",
            metavar="N",
            parser=make_whole_parser(0),
            help="Only, or first, what this seat saw.",
        ),
    ] = None,
    decision: Annotated[
        int | None,
        typer.Option(
            "--decision",
            metavar="N",
            parser=make_whole_parser(1),
            help="On a terminal, begin with this decision of the deal, which counts those of all "
            "seats.",
        ),
    ] = None,
    expert: Annotated[
        bool,
        typer.Option(
            "--expert",
            help="On a terminal, also what the sample bot expert would have played; e leads to "
            "where that is something else.",
        ),
    ] = False,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Step through a match on a terminal; elsewhere tell it trick by trick.

    Example: mazzo replay show 3/17/0
    """
    record = execute(fetch_record(match, server, deal, seat, decision=decision))
    index = None if deal is None else deal - 1
    if not as_json and has_screen():
        begin = ShownPosition(deal=index or 0, step=(decision or 1) - 1, seat=seat)
        _watch(record, begin, with_expert=expert)
    elif not as_json:
        Retelling(record, seat).tell(console, index)
    elif seat is not None:
        print_json(encode_seat(record, seat, index))
    else:
        header, *deals, end = map(json.loads, record.lines())
        chosen = deals if index is None else [deals[index]]
        print_json({"header": header, "deals": chosen, "end": end})


def _watch(record: MatchRecord, begin: ShownPosition, *, with_expert: bool) -> None:
    try:
        step_through(record, begin, choose_as_expert if with_expert else None)
    except KeyboardInterrupt:
        error_console.print("mazzo: interrupted")
        raise typer.Exit(INTERRUPTED) from None


@app.command("export")
def export(
    match: MatchArgument,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", metavar="FILE", help="Where to write it.", show_default="standard output"
        ),
    ] = None,
    with_notes: Annotated[
        bool, typer.Option("--notes", help="Also what your own bots said of their decisions.")
    ] = False,
    server: ServerOption = "",
) -> None:
    """Write a match record, which anyone can check.

    Example: mazzo replay export 3/17/0 --output match.jsonl
    """

    async def work() -> None:
        chosen, problem = MatchId.parse(match), ""
        async with connect(server) as client:
            with open_output(output) as file:
                async for piece in stream_record(client, chosen, notes=with_notes):
                    file.write(piece.text)
                    problem = piece.problem
        if problem:
            raise PlatformError(f"the record of {match} is written, but not true: {problem}")

    execute(work())


app.command("rerun")(rerun)


@app.command("verify")
def verify_file(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE|-", help="Match records, one after the other; - is stdin."),
    ],
    as_json: JsonOption = False,
) -> None:
    """Check match records: commitment, shuffles, every action, scores and ranking.

    Exits with status 1 if anything is wrong.

    Example: mazzo replay verify match.jsonl
    """
    lines = read_lines(file, longest=LONGEST_LINE)
    found = []
    for first, part in split_records(lines):
        found.append(check_record(first, part))
        if not as_json:
            print_checked_record(found[-1])
    if as_json:
        print_json([one.to_json() for one in found])
    if not found:
        error_console.print("mazzo: expected match records, got none", soft_wrap=True)
    raise typer.Exit(0 if found and all(one.ok for one in found) else 1)
