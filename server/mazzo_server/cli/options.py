"""A variant from its text and the options beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from mazzo_server.errors import InvalidInputError

__all__ = ["OptionOption", "with_options"]

OptionOption = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="K=V", help="An option of the game; several times."),
]


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
