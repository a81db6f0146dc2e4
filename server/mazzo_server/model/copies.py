"""Copies and versions of a bot, which play side by side under names of their own.

Copies are `a`, `a*2`, `a*3`, …; the versions of a bot on a ladder are `a@1`, `a@2`, …. No bot's
name has a `*` or `@` in it, so such a name tells which bot it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from mazzo_server.errors import InvalidInputError

__all__ = [
    "count_copies",
    "find_bot_name",
    "join_copies",
    "name_copies",
    "name_version",
    "split_copies",
    "split_version",
]

_MOST = 999  # copies, of one bot and in all
_VERSION = re.compile(r"(?P<name>.+)@(?P<number>[1-9][0-9]{0,8})", re.DOTALL)
_COPIES = re.compile(r"(?P<name>.+)\*(?P<number>[1-9][0-9]{0,2})", re.DOTALL)


def split_copies(text: str) -> tuple[str, int]:
    """Return a name and a number of copies: 6 for `a*6`, and 1 for what has no such end."""
    found = _COPIES.fullmatch(text)
    return (text, 1) if found is None else (found["name"], int(found["number"]))


def split_version(text: str) -> tuple[str, int]:
    """Return a name and the number of a version: 3 for `a@3`, and 0 for `a`, which names none.

    Raises `InvalidInputError` for another end with an `@`, which no name has.
    """
    found = _VERSION.fullmatch(text)
    if found is not None and "@" not in found["name"]:
        return found["name"], int(found["number"])
    if "@" in text:
        raise InvalidInputError(
            f"expected a bot, or a bot and its version, such as a or a@3, got {text!r}"
        )
    return text, 0


def count_copies(texts: Sequence[str]) -> Mapping[str, int]:
    """Return how many copies of each bot texts such as `a*6` and `b` ask for, by its own name.

    Raises `InvalidInputError` for a number that is none from 1 to 999, for more copies in all, and
    for a bot that two of the texts name.
    """
    numbers: Counter[str] = Counter()
    for text in texts:
        bot, number = split_copies(text)
        if "*" in bot:
            raise InvalidInputError(
                f"bots: expected a number of copies from 1 to {_MOST}, such as a*2, got {text!r}"
            )
        if bot in numbers:
            raise InvalidInputError(
                f"expected every bot once, got {bot!r} twice: {bot}*2 means two copies of it"
            )
        numbers[bot] = number
    copies = sum(number for number in numbers.values() if number > 1)
    if copies > _MOST:
        raise InvalidInputError(f"bots: expected at most {_MOST} copies in all, got {copies}")
    return numbers


def name_copies(bot: str, number: int) -> list[str]:
    """Return the names of so many copies of a bot; the first one has the bot's own name."""
    return [bot, *(f"{bot}*{copy}" for copy in range(2, number + 1))]


def name_version(bot: str, version: int) -> str:
    """Return the name of a version of a bot as an entrant of its own."""
    return f"{bot}@{version}"


def find_bot_name(name: str) -> str:
    """Return the own name of the bot of which this is the name of a copy or version.

    A person's name, which begins with an `@`, is no bot's and stays as it is.
    """
    bot = name.partition("*")[0]
    return bot if bot.startswith("@") else bot.partition("@")[0]


def join_copies(names: Iterable[str]) -> list[str]:
    """Return texts such as `a*6` that ask for the copies of these names, in their order."""
    numbers = Counter(find_bot_name(name) for name in names)
    return [bot if number == 1 else f"{bot}*{number}" for bot, number in numbers.items()]
