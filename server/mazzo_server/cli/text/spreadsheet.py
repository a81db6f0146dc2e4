"""Prints CSV: the rows of a command's main table."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import typer

from mazzo_server.cli.shell.connection import fail
from mazzo_server.errors import InvalidInputError
from mazzo_server.results.commentary import clean

__all__ = ["CsvOption", "check_format", "print_csv"]

_FORMULAS = ("=", "+", "-", "@")  # a spreadsheet would compute these instead of showing them


CsvOption = Annotated[bool, typer.Option("--csv", help="Print the rows as CSV, for spreadsheets.")]


def check_format(*, as_json: bool, as_csv: bool) -> None:
    """Refuse a command line that asks for both formats."""
    if as_json and as_csv:
        fail(InvalidInputError("expected --json or --csv, got both"))


def print_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Print a header, and a line for each row with the values of the JSON; null is empty.

    Text that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row[column]) for column in columns])
    sys.stdout.flush()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        harmless = clean(value)
        return f"'{harmless}" if harmless.startswith(_FORMULAS) else harmless
    return repr(value)
