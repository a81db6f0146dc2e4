"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

__all__ = ["SERVER_PANEL", "OptionGroup"]

SERVER_PANEL = "Server and output"
"""The heading of help over the options that most commands have."""


class OptionGroup:
    """Options of a command that another function takes."""

    def __init__(self, take: Callable[..., object]) -> None:
        """Typer reads the options from the signature of `take`."""
        app = typer.Typer(add_completion=False)
        app.command()(take)
        self._command = typer.main.get_command(app)

    @property
    def parameters(self) -> list[Any]:
        """The options, as a command of Typer has them."""
        return [*self._command.params]

    def take(self, context: Any) -> Any:
        """Call the function with its options, and return what it returns.

        The options are removed from the context, so that the command gets none of them.
        """
        names = [item.name for item in self.parameters if item.name in context.params]
        assert self._command.callback is not None
        return self._command.callback(**{name: context.params.pop(name) for name in names})
