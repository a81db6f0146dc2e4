"""`--help` of every command: one example that works, 80 columns, two screens."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from mazzo_server.cli.app import app

_SCREEN = 40  # lines


def list_commands(
    command: Any, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command that does something, with the words that call it."""
    inner = getattr(command, "commands", {})
    if path and (not inner or command.invoke_without_command):
        yield path, command
    for name, one in inner.items():
        yield from list_commands(one, (*path, name))


MAZZO = typer.main.get_command(app)
COMMANDS = dict(list_commands(MAZZO))


@pytest.fixture(params=COMMANDS, ids=" ".join)
def path(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The words that call a command, each in turn."""
    words: tuple[str, ...] = request.param
    return words


def test_there_is_one_example_and_the_command_takes_it(path: tuple[str, ...]) -> None:
    """What nobody tries goes stale with the next option that is renamed."""
    told = COMMANDS[path].help or ""
    (example,) = re.findall(r"^Example: (.*)$", told, re.MULTILINE)
    words = shlex.split(example.partition(" > ")[0])
    assert tuple(words[: len(path) + 1]) == ("mazzo", *path)
    context: Any = None
    command: Any = MAZZO
    for name in path:
        context = command.context_class(command, info_name=name, parent=context)
        command = command.commands[name]
    command.make_context(path[-1], words[len(path) + 1 :], parent=context)


def test_it_fits_a_terminal(path: tuple[str, ...]) -> None:
    """Of 80 columns, and two screens."""
    ran = CliRunner().invoke(app, [*path, "--help"], env={"COLUMNS": "80", "TERM": "dumb"})
    assert ran.exit_code == 0
    lines = ran.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 2 * _SCREEN, len(lines)
    assert "Example: mazzo" in ran.stdout


def test_no_text_is_a_fragment(path: tuple[str, ...]) -> None:
    """Each option says what it does to somebody who reads nothing but that line."""
    for parameter in COMMANDS[path].params:
        told = getattr(parameter, "help", None) or ""
        if parameter.name in ("help", "install_completion", "show_completion"):
            continue
        assert told.endswith((".", "?", "…")), (parameter.name, told)
        assert len(told.split()) >= 3, (parameter.name, told)
