"""Rows as lines of CSV, harmless for spreadsheets."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO

from mazzo_server.results.commentary import clean

__all__ = ["Cell", "format_csv"]

Cell = str | bool | int | float | None
"""A value of a row's JSON."""

_FORMULAS = ("=", "+", "-", "@")  # a spreadsheet would compute these instead of showing them


def format_csv(
    columns: Sequence[str], rows: Iterable[Mapping[str, Cell]], *, header: bool = True
) -> str:
    """Return a header, and a line for each row with the values of the JSON; null is empty.

    Without the header the rows go on from others. Text that a spreadsheet would take for a formula
    gets an apostrophe before it.
    """
    lines = StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    if header:
        writer.writerow(columns)
    for row in rows:
        writer.writerow([_format_cell(row[column]) for column in columns])
    return lines.getvalue()


def _format_cell(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        harmless = clean(value)
        return f"'{harmless}" if harmless.startswith(_FORMULAS) else harmless
    return repr(value)
