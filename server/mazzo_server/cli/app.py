"""Puts the commands together."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Annotated

import typer

from mazzo.version import VERSION
from mazzo_server.cli.bots import challenges
from mazzo_server.cli.bots import commands as bots
from mazzo_server.cli.bots.check import check
from mazzo_server.cli.bots.new import new
from mazzo_server.cli.home import deals
from mazzo_server.cli.home.arena import arena
from mazzo_server.cli.home.games import games
from mazzo_server.cli.home.play import play
from mazzo_server.cli.ladders import commands as ladders
from mazzo_server.cli.rankings import commands as rankings
from mazzo_server.cli.replay import commands as replay
from mazzo_server.cli.replay.match_filters import MatchCommand
from mazzo_server.cli.replay.matches import matches
from mazzo_server.cli.replay.results import results
from mazzo_server.cli.server import auth, cluster, hooks, web
from mazzo_server.cli.server.doctor import doctor
from mazzo_server.cli.server.prune import prune
from mazzo_server.cli.server.serve import serve
from mazzo_server.cli.shell.completion.shells import answer_shell
from mazzo_server.cli.shell.credentials import offer_credentials
from mazzo_server.cli.shell.interrupts import handle_interrupts
from mazzo_server.cli.shell.next_steps import print_next_steps
from mazzo_server.cli.shell.streams import drop_output, is_output_error, prepare_streams
from mazzo_server.cli.shell.usage_errors import MainGroup
from mazzo_server.cli.text.output import error_console
from mazzo_server.cli.tournaments import commands as tournaments
from mazzo_server.cli.tournaments.audit import audit
from mazzo_server.logs import LogAction, set_up

__all__ = ["app", "run"]

app = typer.Typer(
    cls=MainGroup,
    pretty_exceptions_enable=False,
    help="Tournaments for bots that play traditional trick-taking card games.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"mazzo {VERSION}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _main(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    context.with_resource(handle_interrupts())
    # A command with an embedded server reports a failed request to the person itself.
    set_up(level="warning", without=(LogAction.REQUEST_FAILED,))
    if context.invoked_subcommand is None:
        print_next_steps()


app.add_typer(bots.app, name="bots")
app.add_typer(tournaments.app, name="tournament")
app.command("challenge")(challenges.challenge)
app.add_typer(challenges.app, name="challenges")
app.add_typer(ladders.app, name="ladder")
app.add_typer(rankings.app, name="rankings")
app.command("audit")(audit)
app.command("new")(new)
app.command("check")(check)
app.command("play")(play)
app.command("arena")(arena)
app.command("games")(games)
app.command("matches", cls=MatchCommand)(matches)
app.command("results", cls=MatchCommand)(results)
app.add_typer(deals.app, name="deal")
app.add_typer(replay.app, name="replay")
app.command("prune")(prune)
app.command("serve")(serve)
app.add_typer(web.app, name="web")
app.command("doctor")(doctor)
app.add_typer(cluster.app, name="cluster")
app.add_typer(auth.app, name="auth")
app.add_typer(hooks.app, name="hooks")
offer_credentials(app)


def run() -> None:
    """Run the command line; this is the entry point."""
    prepare_streams()
    try:
        try:
            status = answer_shell(app)
            if status is None:
                app()
        finally:
            sys.stdout.flush()
        if status is not None:
            os._exit(status)
    except OSError as error:
        if not is_output_error(error):
            raise
        drop_output()
        with suppress(OSError):
            error_console.print(f"mazzo: cannot write the output: {error.strerror}")
        sys.exit(1)
