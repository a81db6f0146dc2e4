"""Options that several commands have, and their parsers."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Annotated, Any, TypedDict, TypeVar

import typer

from mazzo.channel import parse_address
from mazzo.errors import AddressError, MazzoError
from mazzo.shuffle import SEED_BYTES, parse_seed
from mazzo_server.cli.shell.completion.games import (
    complete_match_format,
    complete_setting,
    complete_variant,
)
from mazzo_server.cli.shell.completion.platform import (
    complete_bot,
    complete_bots,
    complete_entrant,
    complete_tournament,
)
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import (
    EXECUTOR,
    MOST,
    RUN_PANEL,
    WORKERS,
    Amount,
    TournamentRequest,
    WholeNumber,
    Word,
)
from mazzo_server.settings import RAY_ADDRESS_VARIABLE, ExecutorKind

__all__ = [
    "ExecutorOption",
    "IdArgument",
    "IsolationOption",
    "NameArgument",
    "NodesAlikeOption",
    "OptionOption",
    "PlotOption",
    "RayAddressOption",
    "SeedOption",
    "VerboseOption",
    "WorkersOption",
    "add_options",
    "check_ray_address",
    "check_ray_options",
    "choose_seed",
    "make_amount_parser",
    "make_parser",
    "make_tournament_option",
    "make_whole_parser",
    "make_word_option",
]

_Value = TypeVar("_Value")

# Fields of a `TournamentRequest` whose values are found when somebody completes a command line.
_COMPLETERS: dict[str, Callable[..., Any]] = {
    "variant": complete_variant,
    "bots": complete_bots,
    "hero": complete_entrant,
    "match_format": complete_match_format,
}

OptionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        metavar="K=V",
        autocompletion=complete_setting,
        help="An option of the game; several times.",
    ),
]

VerboseOption = Annotated[
    bool,
    typer.Option(
        "--verbose",
        help="Show what the bot wrote when it failed first, with the frames of Mazzo; the JSON "
        "always has it.",
    ),
]


# Parsers of our own: Typer's messages for wrong values change with its versions, and leave out
# the value.


def make_whole_parser(least: int, most: int = MOST) -> Callable[[object], int]:
    """Return the parser of an option that takes a whole number from `least` to `most`."""
    return make_parser(WholeNumber(least, most).parse)


def make_amount_parser(
    what: str, *, most: float = inf, zero: bool = False
) -> Callable[[object], float]:
    """Return the parser of an option that takes a number of `what` above 0, or also 0."""
    return make_parser(Amount(what, most, zero).parse)


def make_parser(parse: Callable[[str], _Value]) -> Callable[[object], _Value]:
    """Return the parser of an option of which `parse` reads the text."""

    def parse_option(value: object) -> _Value:
        try:
            return parse(str(value))  # a default is a number already
        except MazzoError as error:
            raise typer.BadParameter(str(error)) from error

    return parse_option


def _parse_ray_address(text: str) -> str:
    """Return an address as it is; an empty one is none."""
    with suppress(AddressError):
        if not text or parse_address(text) is not None:
            return text
    raise InvalidInputError(f"expected the address HOST:PORT of a Ray cluster, got {text[:200]!r}")


def _parse_chart_file(text: str) -> Path:
    if Path(text).suffix.lower() != ".svg":
        raise InvalidInputError(f"expected a file such as chart.svg, got {text[:200]!r}")
    return Path(text)


PlotOption = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        metavar="FILE.svg",
        parser=make_parser(_parse_chart_file),
        help="Write a chart of it, too, which every browser shows.",
    ),
]


def make_tournament_option(field: str, *, usual: str = "", more: str = "") -> Any:
    """Return how Typer takes that field of a `TournamentRequest`.

    `usual` describes the default, where it is not the default of the field; `more` is added to the
    help.
    """
    option = TournamentRequest.list_options()[field]
    usual = usual or option.usual
    declare = typer.Option if option.flag else typer.Argument
    # A variant is read later, with the options of the game that are given apart.
    kind = option.kind if option.flag else None

    def parse(text: str) -> object:
        assert kind is not None
        return text if text == option.default else kind.parse(text)

    return declare(
        *([option.flag] if option.flag else []),
        metavar=option.metavar or None,
        parser=make_parser(parse) if kind else None,
        autocompletion=_find_completer(field, option.kind),
        help=" ".join(filter(None, (option.help, more, usual and f"By default {usual}."))),
        rich_help_panel=option.panel or None,
        show_default=False,
    )


def _find_completer(field: str, kind: object) -> Callable[..., Any] | None:
    """Return what completes the values of that field, if anything does."""
    if isinstance(kind, Word):
        words = kind.words
        return lambda: [*words]
    return _COMPLETERS.get(field)


WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        parser=make_parser(WORKERS.parse),
        rich_help_panel=RUN_PANEL,
        help="Processes that play. By default chosen.",
        show_default=False,
    ),
]


ExecutorOption = Annotated[
    str | None,
    typer.Option(
        "--executor",
        metavar="WHICH",
        parser=make_parser(EXECUTOR.parse),
        autocompletion=lambda: [*ExecutorKind],
        rich_help_panel=RUN_PANEL,
        help="Where it is played: processes here, or ray. By default processes, or the server's.",
        show_default=False,
    ),
]
RayAddressOption = Annotated[
    str,
    typer.Option(
        "--ray-address",
        metavar="HOST:PORT",
        parser=make_parser(_parse_ray_address),
        envvar=RAY_ADDRESS_VARIABLE,
        show_envvar=False,
        rich_help_panel=RUN_PANEL,
        help=f"The Ray cluster, as {RAY_ADDRESS_VARIABLE}.",
        show_default=False,
    ),
]
NodesAlikeOption = Annotated[
    bool,
    typer.Option(
        "--nodes-alike",
        rich_help_panel=RUN_PANEL,
        help="With ray: on nodes of like speed alone.",
    ),
]


def check_ray_address(address: str) -> None:
    """Raise `InvalidInputError` unless an address of a Ray cluster was given."""
    if not address:
        raise InvalidInputError(
            "expected the address of a Ray cluster: give it with --ray-address HOST:PORT, or in "
            f"{RAY_ADDRESS_VARIABLE}"
        )


def check_ray_options(executor: str | None, ray_address: str, *, server: str) -> None:
    """Raise `InvalidInputError` for a command that plays on a cluster it cannot know, or on none.

    Of a server only its own settings say which cluster it uses.
    """
    if server:
        return
    if executor == ExecutorKind.RAY:
        check_ray_address(ray_address)
        return
    if ray_address not in ("", os.environ.get(RAY_ADDRESS_VARIABLE)):
        raise InvalidInputError(
            f"--ray-address: expected --executor {ExecutorKind.RAY} beside it, for without it "
            "nothing is played on a cluster"
        )


class WordOption(TypedDict):
    """The arguments of `typer.Option` for an option that takes one of some words."""

    metavar: str
    parser: Callable[[object], str]
    autocompletion: Callable[[], list[str]]


def make_word_option(words: Collection[str]) -> WordOption:
    """Return the arguments of `typer.Option` for an option that takes one of these words."""
    return {
        "metavar": "|".join(words),
        "parser": make_parser(Word(words).parse),
        "autocompletion": lambda: [*words],
    }


IdArgument = Annotated[
    int,
    typer.Argument(
        metavar="ID",
        parser=make_whole_parser(1),
        autocompletion=complete_tournament,
        help="The tournament's number.",
    ),
]
NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", autocompletion=complete_bot, help="The bot's name.")
]
SeedOption = Annotated[str, make_tournament_option("seed")]
IsolationOption = Annotated[str, make_tournament_option("isolation")]


def choose_seed(text: str) -> bytes:
    """Return the given seed, or ("") one from the system; raise `SeedError`."""
    return parse_seed(text) if text else secrets.token_bytes(SEED_BYTES)


def add_options(variant: str, options: Sequence[str]) -> str:
    """Return the text of the variant with these options added; each is NAME=VALUE."""
    for option in options:
        if "=" not in option:
            raise InvalidInputError(f"--option: expected NAME=VALUE, got {option!r}")
    joined = "&".join(options)
    if not joined:
        return variant
    text = variant.removesuffix("?")
    return f"{text}{'&' if '?' in text else '?'}{joined}"
