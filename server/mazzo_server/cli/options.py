"""Options that several commands have, and what they come to."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Annotated

import typer

from mazzo.shuffle import SEED_BYTES, parse_seed
from mazzo_server.errors import InvalidInputError

__all__ = ["OptionOption", "SeedOption", "seed_of", "with_options"]

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
