"""Prints CSV: the rows of a command's main table."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence

from mazzo_server.results.tables import Cell, format_csv

__all__ = ["print_csv"]


def print_csv(
    columns: Sequence[str], rows: Iterable[Mapping[str, Cell]], *, header: bool = True
) -> None:
    """Print what `format_csv` makes of the rows; each line before the next row is asked for."""
    if header:
        sys.stdout.write(format_csv(columns, ()))
    for row in rows:
        sys.stdout.write(format_csv(columns, [row], header=False))
    sys.stdout.flush()
