"""`mazzo tournament`: the list of its commands."""

from __future__ import annotations

import typer

from mazzo_server.cli.entries.entering import enter, leave
from mazzo_server.cli.entries.listing import show_entries
from mazzo_server.cli.entries.opening import call_off, open_entries
from mazzo_server.cli.shell.tournament_options import OpenTournamentCommand, TournamentCommand
from mazzo_server.cli.tournaments.creation import create, plan
from mazzo_server.cli.tournaments.entrants import add, retire
from mazzo_server.cli.tournaments.files import delete, export, import_file
from mazzo_server.cli.tournaments.playing import cancel, pause, resume, run, start
from mazzo_server.cli.tournaments.reruns import rerun
from mazzo_server.cli.tournaments.show import list_tournaments, show, watch

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Run tournaments and see their standings.")
app.command("run", cls=TournamentCommand)(run)
app.command("plan", cls=TournamentCommand)(plan)
app.command("create", cls=TournamentCommand)(create)
app.command("open", cls=OpenTournamentCommand)(open_entries)
app.command("entries")(show_entries)
app.command("enter")(enter)
app.command("leave")(leave)
app.command("call-off")(call_off)
app.command("start")(start)
app.command("resume")(resume)
app.command("pause")(pause)
app.command("cancel")(cancel)
app.command("add")(add)
app.command("retire")(retire)
app.command("watch")(watch)
app.command("rerun")(rerun)
app.command("show")(show)
app.command("list")(list_tournaments)
app.command("export")(export)
app.command("import")(import_file)
app.command("delete")(delete)
