"""Remove from a command's output what differs between two runs that are otherwise equal.

Everything that Mazzo prints depends on the seed and the bots alone, but for the following, which
`timeless` (JSON), `timeless_rows` (CSV) and `timeless_text` (text) take out. Whatever is not named
here stays, to the last digit: seeds, salts and commitments too, which follow from a chosen seed,
and content hashes.

Moments and durations
    The reference promises that their keys end in `_time` or `_seconds`. A number becomes 0 and a
    text `…`, wherever it stands in lists and objects below such a key; null stays null, for
    whether something was measured does not depend on the clock. Limits that somebody chose
    (`limit_seconds` and the like) are no measurements, and stay. In texts a moment in UTC,
    and a number before a unit of time, becomes `…`, and the column of thinking times is cut off.
    The record of a position is JSON text: what the bank held there becomes 0.
What a plan knows by measurement
    Its `seconds` and `basis`.
The memory of a bot
    `memory_bytes`, and the numbers before `MiB`: what it holds, and the limit, which depends on
    how the machine counts.
Places
    A folder or an address that the caller names, under the name that he gives it, in texts and
    in the texts of JSON: temporary folders, sockets, ports.
What the system drew
    The keys that the caller names in `drawn`, such as the seed of a trial that nobody chose, or
    the secret of a token. A text becomes `…` and a number 0; an empty one stays.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

__all__ = ["timeless", "timeless_rows", "timeless_text"]

_REMOVED = "…"
_MEASURED = ("_time", "_seconds", "_per_second")  # ends of keys
_PLANNED = frozenset({"seconds", "basis", "memory_bytes"})
_CHOSEN = frozenset(
    {"bank_seconds", "clock_seconds", "grace_seconds", "increment_seconds", "limit_seconds"}
)
# With the space, for 7s is a card.
_DURATION = re.compile(r"(?<![\w.:+-])<?\d[\d,.]*(?= (?:µs|ms|s|min|h)(?:\W|$)| a second)")
_MEMORY = re.compile(r"(?<=memory )\d+(?: of \d+)? MiB")
_MOMENT = re.compile(
    # Or a column of minutes, or one of days.
    r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?= UTC|Z|  )|(?=  ))"
)
_BANK = re.compile(r'(?<="bank_left_seconds": )[\d.e-]+')
_THINKING = re.compile(r" +ms$")  # the header of a table's last column


def timeless(
    value: Any, *, places: Mapping[str, str] | None = None, drawn: Collection[str] = ()
) -> Any:
    """A JSON value without what legitimately differs; the keys stay, in their order.

    `places` gives, for the text of a place, the word that takes its place.
    """
    match value:
        case dict():
            return {
                key: _blank(item)
                if _is_measured(key) or key in drawn
                else timeless(item, places=places, drawn=drawn)
                for key, item in value.items()
            }
        case list():
            return [timeless(item, places=places, drawn=drawn) for item in value]
        case str():
            return _BANK.sub("0", _placeless(value, places))
        case _:
            return value


def timeless_rows(rows: list[list[str]]) -> list[list[str]]:
    """The same of a table with a header that names the keys; what is empty stays empty."""
    if not rows:
        return rows
    header, *others = rows
    measured = [_is_measured(key) for key in header]
    return [
        header,
        *(
            [cell and _REMOVED if gone else cell for cell, gone in zip(row, measured, strict=True)]
            for row in others
        ),
    ]


def timeless_text(text: str, *, places: Mapping[str, str] | None = None) -> str:
    """The same of text that was printed for people."""
    lines: list[str] = []
    cut: int | None = None  # where the column of times begins, in the table that is being read
    for line in _placeless(text, places).split("\n"):
        if header := _THINKING.search(line):
            cut = header.start()
        elif not line.strip():
            cut = None
        line = _MEMORY.sub(_REMOVED, _MOMENT.sub(_REMOVED, line[:cut].rstrip()))
        lines.append(_DURATION.sub(_REMOVED, line))
    return "\n".join(lines)


def _is_measured(key: str) -> bool:
    return (key.endswith(_MEASURED) or key in _PLANNED) and key not in _CHOSEN


def _blank(value: Any) -> Any:
    """The shape of a value, without its content."""
    match value:
        case dict():
            return {key: _blank(item) for key, item in value.items()}
        case list():
            return [_blank(item) for item in value]
        case str():
            return value and _REMOVED
        case bool() | None:
            return value
        case _:
            return 0


def _placeless(text: str, places: Mapping[str, str] | None) -> str:
    for place, name in (places or {}).items():
        text = text.replace(place, name)
    return text
