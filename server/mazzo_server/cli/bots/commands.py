"""`mazzo bots`: the list of its commands."""

from __future__ import annotations

import typer

from mazzo_server.cli.bots.listing import list_bots, show
from mazzo_server.cli.bots.logs import logs
from mazzo_server.cli.bots.registration import activate, delete, register, retire
from mazzo_server.cli.bots.submission import submit, trial

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Submit bots and see what became of them.")
app.command("submit")(submit)
app.command("trial")(trial)
app.command("activate")(activate)
app.command("register")(register)
app.command("list")(list_bots)
app.command("show")(show)
app.command("retire")(retire)
app.command("delete")(delete)
app.command("logs")(logs)
