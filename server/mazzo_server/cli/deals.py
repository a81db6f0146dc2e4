"""`mazzo deal`: replay deal records."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from mazzo.record import replay_line
from mazzo_server.cli.output import notes

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Replay and check deal records.")

_LONGEST_LINE = 1024 * 1024  # bytes; far above any record


@app.command("run")
def run(
    file: Annotated[
        str, typer.Argument(metavar="[FILE|-]", help="JSON Lines, one record a line; - is stdin.")
    ] = "-",
    trace: Annotated[
        bool, typer.Option("--trace", help="Add every decision: seat, legal actions, action.")
    ] = False,
    views: Annotated[
        bool, typer.Option("--views", help="Add what each seat may know at the end.")
    ] = False,
) -> None:
    """Replay deal records and print, for each, the position that it stands for.

    One JSON object a line in, one a line out, in order. Exits with status 1 if any record
    breaks a rule; the line then has the key `error`.
    """
    failed = False
    for line in _lines(file):
        answer = replay_line(line, trace=trace, views=views)
        failed = failed or "error" in answer
        # At once, for the other end may wait for it before it asks again.
        print(json.dumps(answer, separators=(",", ":")), flush=True)
    raise typer.Exit(1 if failed else 0)


def _lines(file: str) -> Iterator[str]:
    """The lines of a file, or of stdin ("-"); ends the process when it cannot be read."""
    try:
        with nullcontext(sys.stdin.buffer) if file == "-" else Path(file).open("rb") as source:
            yield from _lines_of(source)
    except OSError as error:
        notes.print(f"mazzo: cannot read {file}: {error.strerror}", soft_wrap=True)
        raise typer.Exit(2) from None


def _lines_of(source: BinaryIO) -> Iterator[str]:
    """The lines that are not blank; of one that is far too long, only its beginning."""
    while data := source.readline(_LONGEST_LINE):
        rest = data
        while len(rest) == _LONGEST_LINE and not rest.endswith(b"\n"):
            rest = source.readline(_LONGEST_LINE)
        if data.strip():
            yield data.decode(errors="replace")
