"""`--ca` and `--token-file`: how a command proves who it is, and knows whom it talks to.

Every command with `--server` has them, and none has to know.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from mazzo.channel import CA_VARIABLE
from mazzo_server.errors import InvalidInputError
from mazzo_server.settings import ACCESS_TOKEN_VARIABLE

__all__ = ["Credentials", "credentials", "offer_credentials"]

_TOKEN = re.compile(r"[!-~]+")  # what a header may hold
_MOST_TOKEN = 4096  # bytes of a file that may hold one

_CaOption = Annotated[
    Path | None,
    typer.Option(
        "--ca",
        envvar=CA_VARIABLE,
        metavar="FILE",
        help="PEM certificates to trust, for a server whose certificate nobody else vouches for.",
    ),
]
_TokenFileOption = Annotated[
    Path | None,
    typer.Option(
        "--token-file",
        metavar="FILE",
        help=f"Where your access token is, in place of {ACCESS_TOKEN_VARIABLE}.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """What the command line gave."""

    ca: Path | None = None
    token_file: Path | None = None

    def token(self) -> str | None:
        """The token's text; None without any. `InvalidInputError` for what cannot be one."""
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


def credentials() -> Credentials:
    """Those of the command that runs."""
    return _GIVEN.get(Credentials())


def offer_credentials(app: typer.Typer) -> None:
    """Add the options to every command with `--server`, of the groups inside too."""
    itself = app.registered_callback
    if itself is not None and itself.callback is not None:
        itself.callback = _offering(itself.callback)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            offer_credentials(group.typer_instance)
    for command in app.registered_commands:
        if command.callback is not None:
            command.callback = _offering(command.callback)


def _offering(command: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(command, eval_str=True)
    parameters = list(signature.parameters.values())
    if "server" not in signature.parameters:
        return command

    @functools.wraps(command)
    def offering(*, ca: Path | None, token_file: Path | None, **arguments: Any) -> Any:
        _GIVEN.set(Credentials(ca=ca, token_file=token_file))
        return command(**arguments)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    place = list(signature.parameters).index("server") + 1
    parameters[place:place] = [
        inspect.Parameter("ca", kind, default=None, annotation=_CaOption),
        inspect.Parameter("token_file", kind, default=None, annotation=_TokenFileOption),
    ]
    vars(offering)["__signature__"] = signature.replace(parameters=parameters)
    return offering
