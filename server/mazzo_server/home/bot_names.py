"""Reads the names of several bots on a command line: joined, as copies, by seat or by team."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from mazzo.game import Variant
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import split_copies

__all__ = ["add_copies", "join_names", "seat_names", "split_names"]


def join_names(names: Sequence[str]) -> str:
    """Join names with commas; a name with a comma stands in double quotes, as in CSV."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def split_names(text: str) -> list[str]:
    """Split what `join_names` joined, and add copies; spaces around a name are dropped."""
    if '"' not in text:  # unlike in CSV, a line break ends no row here
        return add_copies([name.strip() for name in text.split(",")])
    try:
        (names,) = csv.reader([text], skipinitialspace=True)
    except csv.Error as error:
        raise InvalidInputError(f"expected names with commas between, got {text!r}") from error
    return add_copies([name.strip() for name in names])


def add_copies(names: Sequence[str]) -> list[str]:
    """Return the names, with six times `a` for `a*6`, unless a file has that very name."""
    every: list[str] = []
    for text in names:
        name, number = (text, 1) if _is_path(text) else split_copies(text)
        every += [name] * number
    return every


def _is_path(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):
        return False


def seat_names(
    option: str, names: Sequence[str], variant: Variant, seats: Sequence[int]
) -> dict[int, str]:
    """Return the name in each of these seats of a variant; `option` is for the error.

    One name is for all of them, as many as there are seats are in their order, and where there are
    teams, one for each team is for all of its seats. Raises `InvalidInputError` for another number.
    """
    if len(names) == 1:
        return dict.fromkeys(seats, names[0])
    if len(names) == len(seats):
        return dict(zip(seats, names, strict=True))
    has_teams = len(variant.sides) < variant.players
    if has_teams and len(names) == len(variant.sides):
        by_seat = {
            seat: name for side, name in zip(variant.sides, names, strict=True) for seat in side
        }
        return {seat: by_seat[seat] for seat in seats}
    teams = f", or one for each of its {len(variant.sides)} teams" if has_teams else ""
    numbers = ", ".join(map(str, seats))
    which = f"each of the seats {numbers}" if len(seats) > 1 else f"seat {numbers}"
    one = "one for all or " if len(seats) > 1 else ""
    raise InvalidInputError(
        f"{option}: expected {one}one bot for {which} of {variant}{teams}, got {len(names)}"
    )
