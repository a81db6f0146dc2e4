"""`mazzo results`: the results of matches for spreadsheets and data frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from mazzo.v1 import replay_pb2
from mazzo_server.cli.replay.fetching import fetch_matches, stream_matches
from mazzo_server.cli.replay.match_filters import MatchFilters, read_filters
from mazzo_server.cli.replay.result_rows import ResultRow, make_result_rows
from mazzo_server.cli.shell.connection import (
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
from mazzo_server.results.commentary import clean

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

    There is a row for each side of each match, the newest match first. Only
    matches of which all seatings are over are there. Filters combine, and choose
    matches: each comes with all its sides. With --json each row is a line.

    Example: mazzo results --tournament 3 --csv > results.csv
    """
    filters = read_filters(context)
    check_format(as_json=as_json, as_csv=as_csv)
    filters.check()
    if as_csv or as_json:
        execute(_stream(filters, server, limit, as_csv=as_csv))
        return
    found, has_more = execute(fetch_matches(server, filters.make_request, limit or _ROWS))
    rows = _make_rows(found)
    shown = rows if limit else rows[:_ROWS]
    if not shown:
        console.print("There is no such match of which all seatings are over.")
        return
    print_table(_make_table(shown))
    is_cut = not limit and (has_more or len(rows) > len(shown))
    first = f"These are the first {len(shown)} rows. " if is_cut else ""
    what = "all rows and columns" if is_cut else "all columns"
    console.print(f"{first}Add `--csv > results.csv` for {what}.")


async def _stream(filters: MatchFilters, server: str, limit: int | None, *, as_csv: bool) -> None:
    """Print the rows of each page before the next page is asked for."""
    request = filters.make_request()
    is_first = True
    with make_counter() as counter:
        task = counter.add_task("matches", total=None)
        async with connect(server) as client:
            async for page, _ in stream_matches(client, request, limit):
                rows = _make_rows(page)
                if as_csv:
                    print_csv(ResultRow._fields, [row._asdict() for row in rows], header=is_first)
                else:
                    for row in rows:
                        print_json_line(row._asdict())
                is_first = False
                counter.advance(task, len(page))


def _make_rows(matches: Sequence[replay_pb2.FoundMatch]) -> list[ResultRow]:
    return [row for match in matches for row in make_result_rows(match)]


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
