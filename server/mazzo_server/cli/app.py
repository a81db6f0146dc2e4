"""The commands, put together."""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib.metadata import version
from typing import Annotated

import typer

from mazzo_server.cli import auth, bots, deals, tournaments
from mazzo_server.cli.credentials import offer_credentials
from mazzo_server.cli.games import games
from mazzo_server.cli.output import notes
from mazzo_server.cli.play import play
from mazzo_server.cli.rankings import rankings
from mazzo_server.cli.serve import serve
from mazzo_server.cli.streams import cannot_write, drop_output, prepare_streams

__all__ = ["app", "run"]

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Tournaments for bots that play traditional trick-taking card games.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"mazzo {version('mazzo')}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Say which.")
    ] = False,
) -> None:
    pass


app.add_typer(bots.app, name="bots")
app.add_typer(tournaments.app, name="tournament")
app.command("rankings")(rankings)
app.command("play")(play)
app.command("games")(games)
app.add_typer(deals.app, name="deal")
app.command("serve")(serve)
app.add_typer(auth.app, name="auth")
offer_credentials(app)


def run() -> None:
    """The entry point."""
    prepare_streams()
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except OSError as error:
        if not cannot_write(error):
            raise
        drop_output()
        with suppress(OSError):
            notes.print(f"mazzo: cannot write the output: {error.strerror}")
        sys.exit(1)
