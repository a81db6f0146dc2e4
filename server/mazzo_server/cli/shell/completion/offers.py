"""What is offered to complete a word."""

from __future__ import annotations

from collections.abc import Iterable

import typer

from mazzo_server.results.commentary import clean

__all__ = ["Offer", "complete_last_name", "make_offer", "read_first_argument"]

Offer = tuple[str, str]
"""A word, and in a few words what it is; Typer takes such pairs."""

_LONGEST = 60  # characters of a description


def make_offer(word: str, description: str = "") -> Offer:
    """Return a word with a description, of which a stranger may have written a part.

    A word that cannot be printed is left for `answer_shell` to drop.
    """
    text = clean(description)
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST - 1]}…"
    # Typer takes brackets for the markup of Rich, and fails at such as "[/red]".
    return word, text.replace("[", "(").replace("]", ")")


def complete_last_name(text: str, offers: Iterable[Offer]) -> list[Offer]:
    """Complete the last of some names with commas between; offer none that stands before it."""
    before, comma, _ = text.rpartition(",")
    given = {name.partition("*")[0].strip() for name in before.split(",")}
    return [
        (f"{before}{comma}{name}", description) for name, description in offers if name not in given
    ]


def read_first_argument(context: typer.Context, name: str) -> str:
    """Return the first argument of a command, by the name that the command gives it; "": none.

    While the value of an option is completed the option lacks one, and Click names no argument.
    """
    given = context.params.get(name) or next(iter(context.args), "")
    return str(given)
