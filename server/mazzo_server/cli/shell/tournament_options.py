"""The options that say what a tournament plays, for every command that takes them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, fields, make_dataclass
from typing import Annotated, Any

import typer

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.shell.option_command import OptionCommand
from mazzo_server.cli.shell.option_group import OptionGroup
from mazzo_server.cli.shell.options import OptionOption, add_options, make_tournament_option
from mazzo_server.model import TournamentRequest

__all__ = ["OpenTournamentCommand", "TournamentCommand", "make_request"]


def _list_parameters(without: Collection[str] = (), **usual: str) -> list[tuple[str, Any, Any]]:
    """Return name, type and default of each parameter; None says that it was not given.

    Those in `without` are left out; `usual` describes defaults that are not the usual ones.
    """
    found: list[tuple[str, Any, Any]] = []
    for item in fields(TournamentRequest):
        if item.name in without:
            continue
        kind = str if item.name == "variant" else bool if item.default is False else str | None
        default = ... if item.name == "variant" else False if kind is bool else None
        option = make_tournament_option(item.name, usual=usual.get(item.name, ""))
        found.append((item.name, Annotated[kind, option], default))
    place = 1 + [name for name, *_ in found].index("bots")
    return [*found[:place], ("option", OptionOption, None), *found[place:]]


class TournamentCommand(OptionCommand):
    """A command whose first options say what a tournament plays."""

    options = OptionGroup(make_dataclass("GivenOptions", _list_parameters()))


class OpenTournamentCommand(OptionCommand):
    """The same for a tournament that bots enter later."""

    options = OptionGroup(
        make_dataclass(
            "GivenOptions",
            _list_parameters(without=("seed", "concurrency"), bots="nobody yet"),
        )
    )


def make_request(context: typer.Context) -> tournament_pb2.CreateTournamentRequest:
    """Return the request on the command line; raise `InvalidInputError` for a bad `--option`."""
    given = {name: value for name, value in asdict(context.obj).items() if value is not None}
    given["variant"] = add_options(given["variant"], given.pop("option", ()))
    return tournament_pb2.CreateTournamentRequest(**asdict(TournamentRequest(**given)))
