"""The commands, as they are loaded."""

from __future__ import annotations

import subprocess
import sys

import typer
from typer.testing import CliRunner

from mazzo_server.cli.shell.usage_errors import MainGroup


def test_what_few_commands_need_is_not_loaded_for_all() -> None:
    """Or `mazzo --help` would take twice as long."""
    heavy = {"sqlalchemy", "alembic", "numpy", "trueskill"}
    heavy |= {f"mazzo_server.{room}" for room in ("bots", "play", "serving", "tournaments")}
    code = "import sys, mazzo_server.cli.app; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "mazzo_server.cli.app" in loaded.stdout.split()
    assert not heavy & set(loaded.stdout.split())


def test_a_question_that_nobody_answers_ends_the_command() -> None:
    """In one line, and with the status of a failure."""
    app = typer.Typer(cls=MainGroup)

    @app.command()
    def ask() -> None:
        raise typer.Abort

    @app.command()
    def tell() -> None: ...

    ran = CliRunner().invoke(app, ["ask"])
    assert (ran.exit_code, ran.stderr) == (1, "mazzo: stopped, for nobody answered\n")
    assert CliRunner().invoke(app, ["tell"]).exit_code == 0
