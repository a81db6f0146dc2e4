"""`--ca` and `--token-file`: say whom a command trusts, and who it is.

Every command with `--server` has them, and none declares them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from mazzo.channel import CA_VARIABLE
from mazzo_server.cli.shell.option_group import SERVER_PANEL, OptionGroup
from mazzo_server.errors import InvalidInputError
from mazzo_server.settings import ACCESS_TOKEN_VARIABLE

__all__ = [
    "Credentials",
    "PlatformCommand",
    "PlatformGroup",
    "offer_credentials",
    "read_credentials",
    "take_credentials",
]

_TOKEN = re.compile(r"[!-~]+")  # what a header may hold
_MOST_TOKEN = 4096  # bytes of a file that may hold one

_CaOption = Annotated[
    Path | None,
    typer.Option(
        "--ca",
        envvar=CA_VARIABLE,
        show_envvar=False,
        metavar="FILE",
        help=f"PEM certificates to trust, as {CA_VARIABLE}.",
        rich_help_panel=SERVER_PANEL,
    ),
]
_TokenFileOption = Annotated[
    Path | None,
    typer.Option(
        "--token-file",
        metavar="FILE",
        help=f"Your access token, or {ACCESS_TOKEN_VARIABLE}.",
        rich_help_panel=SERVER_PANEL,
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """The credentials on the command line."""

    ca: Path | None = None
    token_file: Path | None = None

    def token(self) -> str | None:
        """Return the token's text, or None; raise `InvalidInputError` for what is no token."""
        if self.token_file is None:
            name, text = ACCESS_TOKEN_VARIABLE, os.environ.get(ACCESS_TOKEN_VARIABLE, "")
        else:
            name, text = f"--token-file {self.token_file}", _read(self.token_file)
        text = text.strip()
        if not text and self.token_file is None:
            return None
        if not _TOKEN.fullmatch(text):
            raise InvalidInputError(f"{name}: expected one access token and nothing else")
        return text


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_TOKEN).decode(errors="replace")
    except OSError as error:
        raise InvalidInputError(f"--token-file: cannot read {path}: {error.strerror}") from error


_GIVEN: ContextVar[Credentials] = ContextVar("credentials")


def read_credentials() -> Credentials:
    """Return the credentials of the running command."""
    return _GIVEN.get(Credentials())


def _keep(ca: _CaOption = None, token_file: _TokenFileOption = None) -> None:
    _GIVEN.set(Credentials(ca=ca, token_file=token_file))


_OPTIONS = OptionGroup(_keep)


def take_credentials(context: typer.Context) -> None:
    """Keep the credentials of a command that is not run, as it is only completed."""
    _OPTIONS.take(context)


def _add_options(parameters: Sequence[Any] | None) -> list[Any]:
    """Return the parameters with the options for credentials behind `--server`."""
    found = list(parameters or ())
    names = [parameter.name for parameter in found]
    if "server" in names:
        place = names.index("server") + 1
        found[place:place] = _OPTIONS.parameters
    return found


class PlatformCommand(TyperCommand):
    """A command that takes credentials, if it has `--server`."""

    def __init__(self, *arguments: Any, params: Sequence[Any] | None = None, **rest: Any) -> None:
        """Add the options to the parameters that Typer gives."""
        super().__init__(*arguments, params=_add_options(params), **rest)

    def invoke(self, ctx: Any) -> Any:
        """Keep the credentials, then run the command."""
        _OPTIONS.take(ctx)
        return super().invoke(ctx)


class PlatformGroup(TyperGroup):
    """A group of commands that takes credentials itself, if it has `--server`."""

    def __init__(self, *arguments: Any, params: Sequence[Any] | None = None, **rest: Any) -> None:
        """Add the options to the parameters that Typer gives."""
        super().__init__(*arguments, params=_add_options(params), **rest)

    def invoke(self, ctx: Any) -> Any:
        """Keep the credentials, then run what was asked for."""
        _OPTIONS.take(ctx)
        return super().invoke(ctx)


def offer_credentials(app: typer.Typer) -> None:
    """Let every command with `--server` take credentials, also in groups."""
    for group in app.registered_groups:
        if group.typer_instance is not None:
            offer_credentials(group.typer_instance)
    for command in app.registered_commands:
        if command.cls is TyperCommand:
            command.cls = PlatformCommand
