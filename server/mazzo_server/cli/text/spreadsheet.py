"""Prints CSV: the rows of a command's main table."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Mapping, Sequence

from mazzo_server.results.commentary import clean

__all__ = ["print_csv"]

Cell = str | bool | int | float | None
"""A value of a row's JSON."""

_FORMULAS = ("=", "+", "-", "@")  # a spreadsheet would compute these instead of showing them


def print_csv(
    columns: Sequence[str], rows: Iterable[Mapping[str, Cell]], *, header: bool = True
) -> None:
    """Print a header, and a line for each row with the values of the JSON; null is empty.

    Each line is printed before the next row is asked for. Without the header the rows go on from
    those that were printed before. Text that a spreadsheet would take for a formula gets an
    apostrophe before it.
    """
    writer = csv.writer(sys.stdout, lineterminator="\n")
    if header:
        writer.writerow(columns)
    for row in rows:
        writer.writerow([_format_cell(row[column]) for column in columns])
    sys.stdout.flush()


def _format_cell(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        harmless = clean(value)
        return f"'{harmless}" if harmless.startswith(_FORMULAS) else harmless
    return repr(value)
