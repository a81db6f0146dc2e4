"""Prints for people and for scripts."""

from __future__ import annotations

import json
from collections.abc import Iterable

from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column, Table
from rich.text import Text

__all__ = [
    "console",
    "error_console",
    "has_room_for",
    "make_counter",
    "make_progress",
    "make_table",
    "print_crosstable",
    "print_json",
    "print_json_line",
    "print_table",
]

_CROSSTABLE = "Score per deal against each other"
_NARROWEST = 12  # columns for a text, in a table that is wider than the terminal

console = Console(highlight=False, markup=False, emoji=False)
error_console = Console(stderr=True, highlight=False, markup=False, emoji=False)


def make_table(*columns: str, right: str = "") -> Table:
    """Make a plain table; `right` has a letter "r" for each right-aligned column.

    Right-aligned columns hold numbers; like the first column they are never wrapped or cut.
    """
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    for index, column in enumerate(columns):
        aligned = right[index : index + 1] == "r"
        table.add_column(
            Text(column),
            justify="right" if aligned else "left",
            no_wrap=aligned or not index,
            overflow="fold",
        )
    return table


def make_progress() -> Progress:
    """Make a bar for tasks that have `facts`, on standard error where that is a terminal."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(table_column=Column(no_wrap=True)),  # the bar gives way first
        TextColumn("{task.fields[facts]}"),
        TimeRemainingColumn(table_column=Column(no_wrap=True)),
        TextColumn("left", table_column=Column(no_wrap=True)),
        console=error_console,
        transient=True,
        disable=not error_console.is_terminal,
    )


def make_counter() -> Progress:
    """Make a line that counts what a task of unknown length has done.

    It is on standard error, where that is a terminal and standard output is not: on a terminal the
    output itself shows how far the task is.
    """
    return Progress(
        TextColumn("{task.completed:,.0f} {task.description}"),
        console=error_console,
        transient=True,
        redirect_stdout=False,  # the output comes meanwhile
        disable=console.is_terminal or not error_console.is_terminal,
    )


def print_table(table: Table) -> None:
    """Print a table; it is wider than the terminal where its numbers need more room."""
    least = _fix_least_width(table)
    if least > console.width:
        table.width = least
    console.print(table, crop=False)


def has_room_for(table: Table) -> bool:
    """Tell whether a table is no wider than the terminal."""
    return _fix_least_width(table) <= console.width


def _fix_least_width(table: Table) -> int:
    """Return the columns that a table needs, and keep each of its columns that wide."""
    for column in table.columns:
        cells = (str(cell) for cell in (column.header, *column.cells))
        whole = max(cell_len(line) for cell in cells for line in cell.split("\n"))
        column.min_width = whole if column.no_wrap else min(whole, _NARROWEST)
    between = sum(table.padding[1::2])
    return sum((column.min_width or 0) + between for column in table.columns) - between


def print_crosstable(tables: Iterable[tuple[Table, str]]) -> None:
    """Print the first of the tables, each with the end of its title, for which there is room."""
    for table, end in tables:
        if has_room_for(table):
            console.print(Text(f"{_CROSSTABLE}{end}", style="bold"))
            print_table(table)
            return
    console.print(Text.assemble((_CROSSTABLE, "bold"), ": in the JSON (--json)"))


def print_json(value: object) -> None:
    """Print a JSON value, for scripts."""
    # Escape all but ASCII: it has text of strangers, and people read it on terminals.
    print(json.dumps(value, indent=2), flush=True)


def print_json_line(value: object) -> None:
    """Print a value as one line of JSON, at once."""
    print(json.dumps(value), flush=True)
