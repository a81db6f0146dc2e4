"""The arguments that several of these commands have."""

from __future__ import annotations

from typing import Annotated

import typer

from mazzo_server.cli.shell.completion.platform import complete_entrant, complete_open_tournament
from mazzo_server.cli.shell.options import make_whole_parser

__all__ = ["EntrantArgument", "OpenIdArgument"]

_HELP = "The number of the open tournament, as `mazzo tournament entries` lists it."

OpenIdArgument = Annotated[
    int,
    typer.Argument(
        metavar="ID",
        parser=make_whole_parser(1),
        autocompletion=complete_open_tournament,
        help=_HELP,
    ),
]
EntrantArgument = Annotated[
    str, typer.Argument(metavar="BOT", autocompletion=complete_entrant, help="The bot's name.")
]
