"""`mazzo results`: the results of matches for spreadsheets and data frames."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from itertools import groupby
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from mazzo.v1 import replay_pb2
from mazzo_server.cli.replay.fetching import stream_matches
from mazzo_server.cli.replay.match_filters import MatchFilters, read_filters
from mazzo_server.cli.shell.connection import (
    Client,
    CsvOption,
    JsonOption,
    ServerOption,
    check_format,
    connect,
    execute,
)
from mazzo_server.cli.shell.options import make_whole_parser
from mazzo_server.cli.text.output import (
    console,
    make_counter,
    make_table,
    print_json_line,
    print_table,
)
from mazzo_server.cli.text.spreadsheet import print_csv
from mazzo_server.results.commentary import clean, name_match
from mazzo_server.results.tables import ResultRow, make_result_rows

__all__ = ["results"]

_ROWS = 20  # of the table


def results(
    context: typer.Context,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            metavar="N",
            parser=make_whole_parser(1),
            help="Print at most N matches.",
            show_default=f"all; in the table {_ROWS} rows",
        ),
    ] = None,
    server: ServerOption = "",
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
) -> None:
    """Print the results of matches for spreadsheets and data frames.

    There is a row for each side of each match, the newest tournament first, and
    in it the newest match. Only matches of which all seatings are over are there.
    Filters combine, and choose matches: each comes with all its sides. With --json
    each row is a line.

    Example: mazzo results --tournament 3 --csv > results.csv
    """
    filters = read_filters(context)
    check_format(as_json=as_json, as_csv=as_csv)
    filters.check()
    if as_csv or as_json:
        execute(_stream(filters, server, limit, as_csv=as_csv))
        return
    rows, has_more = execute(_fetch(filters, server, limit or _ROWS))
    shown = rows if limit else rows[:_ROWS]
    if not shown:
        console.print("There is no such match of which all seatings are over.")
        return
    print_table(_make_table(shown))
    is_cut = not limit and (has_more or len(rows) > len(shown))
    first = f"These are the first {len(shown)} rows. " if is_cut else ""
    what = "all rows and columns" if is_cut else "all columns"
    console.print(f"{first}Add `--csv > results.csv` for {what}.")


async def _fetch(filters: MatchFilters, server: str, limit: int) -> tuple[list[ResultRow], bool]:
    """Return the rows of at most `limit` matches, and whether more follow."""
    request = filters.make_request()
    rows: list[ResultRow] = []
    is_cut = False
    async with connect(server) as client:
        async for matches, has_more in _stream_whole_matches(client, request, limit):
            rows += _make_rows(matches)
            is_cut = has_more
    return rows, is_cut


async def _stream(filters: MatchFilters, server: str, limit: int | None, *, as_csv: bool) -> None:
    """Print the rows of each page before the next page is asked for."""
    request = filters.make_request()
    is_first = True
    with make_counter() as counter:
        task = counter.add_task("matches", total=None)
        async with connect(server) as client:
            async for matches, _ in _stream_whole_matches(client, request, limit):
                rows = _make_rows(matches)
                if as_csv:
                    print_csv(ResultRow._fields, [row._asdict() for row in rows], header=is_first)
                else:
                    for row in rows:
                        print_json_line(row._asdict())
                is_first = False
                counter.advance(task, len(matches))


async def _stream_whole_matches(
    client: Client, request: replay_pb2.FindMatchesRequest, limit: int | None
) -> AsyncIterator[tuple[Sequence[Sequence[replay_pb2.FoundMatch]], bool]]:
    """Yield at most `limit` matches page by page, and whether more follow.

    Each is given with all that it was for the copies of the bot that was asked for, which stand
    side by side in a list by time, though maybe on two pages.
    """
    may_go_on, left = bool(request.bot), limit
    last: list[replay_pb2.FoundMatch] = []
    async for page, place in stream_matches(client, request, None if may_go_on else limit):
        matches = [list(found) for _, found in groupby([*last, *page], key=name_match)]
        last = matches.pop() if may_go_on and place and matches else []
        yield matches[:left], bool(place) or (left is not None and len(matches) > left)
        if left is not None:
            left = max(0, left - len(matches))
        if left == 0:
            return


def _make_rows(matches: Sequence[Sequence[replay_pb2.FoundMatch]]) -> list[ResultRow]:
    return [row for found in matches for row in make_result_rows(*found)]


def _make_table(rows: Sequence[ResultRow]) -> Table:
    """Make a table of the columns that people look at; what all rows lack has no column."""
    several = len({row.variant for row in rows}) > 1
    columns = {
        "match": [row.match for row in rows],
        "variant": [row.variant for row in rows] if several else [],
        "seat": [str(row.seat) for row in rows],
        "bot": [row.bot for row in rows],
        "opponents": [row.opponents.replace(",", ", ") for row in rows],
        "verdict": [row.verdict for row in rows],
        "points": [str(row.points) for row in rows],
        "margin": [f"{row.margin:+.1f}" for row in rows],
        "termination": [row.termination or "" for row in rows],
    }
    shown = {name: cells for name, cells in columns.items() if any(cells)}
    right = ("seat", "points", "margin")
    table = make_table(*shown, right="".join("r" if name in right else " " for name in shown))
    for row in zip(*shown.values(), strict=True):
        table.add_row(*(Text(clean(cell)) for cell in row))
    return table
