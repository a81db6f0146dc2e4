"""Commands that share their first options with others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from mazzo_server.cli.shell.credentials import PlatformCommand
from mazzo_server.cli.shell.option_group import OptionGroup

__all__ = ["OptionCommand"]


class OptionCommand(PlatformCommand):
    """A command whose first options are those of a group.

    The command finds what the group makes of them as `obj` of its context.
    """

    options: ClassVar[OptionGroup]

    def __init__(self, *arguments: Any, params: Sequence[Any] | None = None, **rest: Any) -> None:
        """Add the options to the parameters that Typer gives."""
        super().__init__(*arguments, params=[*self.options.parameters, *(params or ())], **rest)

    def invoke(self, ctx: Any) -> Any:
        """Keep what the group makes of its options, then run the command."""
        ctx.obj = self.options.take(ctx)
        return super().invoke(ctx)
