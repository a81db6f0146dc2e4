"""Joins several bots into one word of a command line, as for `--bots` of `mazzo play`."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from mazzo_server.errors import InvalidInputError

__all__ = ["join_names", "split_names"]


def join_names(names: Sequence[str]) -> str:
    """Join names with commas; a name with a comma stands in double quotes, as in CSV."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def split_names(text: str) -> list[str]:
    """Split what `join_names` joined; spaces around a name are dropped."""
    if '"' not in text:  # unlike in CSV, a line break ends no row here
        return [name.strip() for name in text.split(",")]
    try:
        (names,) = csv.reader([text], skipinitialspace=True)
    except csv.Error as error:
        raise InvalidInputError(f"expected names with commas between, got {text!r}") from error
    return [name.strip() for name in names]
