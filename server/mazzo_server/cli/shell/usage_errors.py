"""Wrong usage of the command line, told as every other error is: in one line."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from mazzo_server.cli.text.output import error_console
from mazzo_server.results.commentary import clean

__all__ = ["MainGroup"]

_WRONG_VALUE = re.compile(
    r"Invalid value(?: for '(?P<option>[^']*)')?: (?P<complaint>.*)", re.DOTALL
)


class MainGroup(TyperGroup):
    """All commands. Typer finds wrong usage before a command runs, and would draw a box."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line; with `standalone_mode` tell errors, and leave the program."""

        def run() -> Any:
            return super(MainGroup, self).main(
                args, prog_name, complete_var, False, windows_expand_args, **extra
            )

        if not standalone_mode:
            return run()
        try:
            status = run()
        except TyperException as error:
            _tell(error)
            sys.exit(error.exit_code)
        except typer.Abort:
            error_console.print("mazzo: stopped, for nobody answered")
            sys.exit(1)
        sys.exit(status if isinstance(status, int) else 0)


def _tell(error: TyperException) -> None:
    text = error.format_message()
    if not text:  # no command was named, and the help is printed already
        return
    if found := _WRONG_VALUE.fullmatch(text):  # which says what was expected
        said = found["complaint"] if found["option"] is None else ": ".join(found.groups())
    else:
        said = text[:1].lower() + text[1:].rstrip(".") + _name_help(getattr(error, "ctx", None))
    error_console.print(f"mazzo: {clean(said)}", soft_wrap=True)


def _name_help(context: Any) -> str:
    """Return where the usage is told of the command that was called."""
    words: list[str] = []
    while context is not None and context.parent is not None:
        words.insert(0, context.info_name)
        context = context.parent
    return f"; see `{' '.join(['mazzo', *words])} --help`"
