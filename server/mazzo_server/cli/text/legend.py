"""Says what the columns of a table mean: when it is asked for, and the first time on a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated

import typer

from mazzo_server.cli.text.output import console, make_table, print_table
from mazzo_server.settings import Settings

__all__ = ["LegendOption", "is_legend_wanted", "print_legend"]

LegendOption = Annotated[
    bool,
    typer.Option(
        "--legend", help="Say what the columns mean, as on a terminal for the first time."
    ),
]


def is_legend_wanted(asked: bool, table: str) -> bool:
    """Tell whether to say what a table means, by the name of its kind.

    A person at a terminal is told once: the home has a note of it.
    """
    if asked or not console.is_terminal:
        return asked
    noted = Settings.from_environment().home / f"legend-{table}"
    with suppress(OSError):  # where nothing can be written, it is not noted
        noted.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        noted.touch(mode=0o600, exist_ok=False)
        return True
    return False


def print_legend(meanings: Mapping[str, str]) -> None:
    """Print the meanings of columns."""
    table = make_table("column", "what it means")
    for column, meaning in meanings.items():
        table.add_row(column, meaning)
    console.print()
    print_table(table)
