"""Several bots in one word of a command line, as `--bots` of `mazzo play` has them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from mazzo_server.errors import InvalidInputError

__all__ = ["join_names", "split_names"]


def join_names(names: Sequence[str]) -> str:
    """With commas between; a name that has one stands in double quotes, as in CSV."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def split_names(text: str) -> list[str]:
    """What `join_names` joined; spaces about a name are none of it."""
    if '"' not in text:  # where a line's end is no end of a row
        return [name.strip() for name in text.split(",")]
    try:
        (names,) = csv.reader([text], skipinitialspace=True)
    except csv.Error as error:
        raise InvalidInputError(f"expected names with commas between, got {text!r}") from error
    return [name.strip() for name in names]
