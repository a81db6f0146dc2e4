"""Options that several commands have, and what they come to."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Sequence
from math import inf
from typing import Annotated, TypedDict

import typer

from mazzo.shuffle import SEED_BYTES, parse_seed
from mazzo_server.errors import InvalidInputError

__all__ = [
    "MOST",
    "OptionOption",
    "SeedOption",
    "amount",
    "one_of",
    "seed_of",
    "whole",
    "with_options",
]

MOST = 2**31 - 1
"""Of any number: what the wire and every store can hold."""
_LONGEST_SHOWN = 40  # characters of a wrong value

OptionOption = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="K=V", help="An option of the game; several times."),
]

SeedOption = Annotated[
    str,
    typer.Option(
        "--seed", metavar="HEX", help="64 hexadecimal digits; by default from the system."
    ),
]


# Parsers of our own, for what Typer itself says of wrong values changes with its versions, and
# leaves out what came.


def whole(least: int, most: int = MOST) -> Callable[[object], int]:
    """The parser of an option that takes a whole number from `least` to `most`."""

    def parse(value: object) -> int:
        text = str(value)  # a default is a number already
        digits = text.removeprefix("-")
        is_number = digits.isascii() and digits.isdecimal() and len(digits) <= len(str(most))
        if not is_number or not least <= int(text) <= most:
            raise _wrong(f"a whole number from {least} to {most}", text)
        return int(text)

    return parse


def amount(what: str, *, most: float = inf, zero: bool = False) -> Callable[[object], float]:
    """The parser of an option that takes a number of `what` above 0, or also 0 itself."""
    bounds = "from 0" if zero else "above 0"
    if most < inf:
        bounds += f" to {most:g}" if zero else f", {most:g} at most"

    def parse(value: object) -> float:
        try:
            number = float(str(value))
        except ValueError:
            number = -inf
        if not (0 < number <= most or (zero and number == 0)) or number == inf:  # or it is "nan"
            raise _wrong(f"{what} {bounds}", str(value))
        return number

    return parse


class WordOption(TypedDict):
    """What `typer.Option` takes for an option that is one of some words."""

    metavar: str
    parser: Callable[[str], str]
    autocompletion: Callable[[], list[str]]


def one_of(words: Collection[str]) -> WordOption:
    """Return what to give `typer.Option` for an option that takes one of these words."""

    def parse(value: str) -> str:
        if value not in words:
            raise _wrong(" or ".join(words), value)
        return value

    return {"metavar": "|".join(words), "parser": parse, "autocompletion": lambda: [*words]}


def _wrong(expected: str, got: str) -> typer.BadParameter:
    return typer.BadParameter(f"expected {expected}, got {got[:_LONGEST_SHOWN]!r}")


def seed_of(text: str) -> bytes:
    """The seed that was given, or ("") one from the system; raises `SeedError`."""
    return parse_seed(text) if text else secrets.token_bytes(SEED_BYTES)


def with_options(variant: str, options: Sequence[str]) -> str:
    """The text of the variant with these options added, each of which is NAME=VALUE."""
    for option in options:
        if "=" not in option:
            raise InvalidInputError(f"--option: expected NAME=VALUE, got {option!r}")
    joined = "&".join(options)
    if not joined:
        return variant
    text = variant.removesuffix("?")
    return f"{text}{'&' if '?' in text else '?'}{joined}"
