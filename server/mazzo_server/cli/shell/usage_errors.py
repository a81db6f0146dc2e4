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
_UNKNOWN_COMMAND = re.compile(r"No such command '(?P<name>[^']+)'\.")


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
            words = sys.argv[1:] if args is None else args
            _tell(error, self._find_called(words), self._list_paths())
            sys.exit(error.exit_code)
        except typer.Abort:  # a question met the end of the input
            error_console.print("mazzo: stopped, for nobody answered")
            sys.exit(1)
        sys.exit(status if isinstance(status, int) else 0)

    def _find_called(self, words: Sequence[str]) -> str:
        """Return the words at the beginning that name a command."""
        command: Any = self
        called = ["mazzo"]
        for word in words:
            command = getattr(command, "commands", {}).get(word)
            if command is None:
                break
            called.append(word)
        return " ".join(called)

    def _list_paths(self) -> list[str]:
        """Return every command, such as "mazzo bots submit"."""
        found, groups = list[str](), [("mazzo", self.commands)]
        for path, commands in groups:
            for name, command in commands.items():
                found.append(f"{path} {name}")
                if deeper := getattr(command, "commands", {}):
                    groups.append((found[-1], deeper))
        return found


def _tell(error: TyperException, called: str, paths: Sequence[str]) -> None:
    text = error.format_message()
    if not text:  # no command was named, and the help is printed already
        return
    if unknown := _UNKNOWN_COMMAND.fullmatch(text):
        alike = [f"`{path}`" for path in paths if path.endswith(f" {unknown['name']}")]
        if alike:
            text = f"no command `{called} {unknown['name']}`; there is {', '.join(alike)}"
    if found := _WRONG_VALUE.fullmatch(text):  # which says what was expected
        said = found["complaint"] if found["option"] is None else ": ".join(found.groups())
    else:
        said = f"{text[:1].lower()}{text[1:].rstrip('.')}; see `{called} --help`"
    error_console.print(f"mazzo: {clean(said)}", soft_wrap=True)
