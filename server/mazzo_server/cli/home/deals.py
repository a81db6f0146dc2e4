"""`mazzo deal`: replay deal records."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from mazzo.record import replay_line
from mazzo_server.cli.shell.streams import read_lines

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

    Example: mazzo deal run deals.jsonl --trace
    """
    failed = False
    for line in read_lines(file, longest=_LONGEST_LINE):
        if not line.strip():
            continue
        answer = replay_line(line, trace=trace, views=views)
        failed = failed or "error" in answer
        # At once, since the other end may wait for the answer.
        print(json.dumps(answer, separators=(",", ":")), flush=True)
    raise typer.Exit(1 if failed else 0)
