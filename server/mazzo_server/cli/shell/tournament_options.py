"""The options that say what a tournament plays, for every command that takes them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.shell.connection import IsolationOption
from mazzo_server.cli.shell.options import OptionOption, SeedOption, amount, whole, with_options

__all__ = ["wishing"]


def _wish(
    variant: Annotated[
        str, typer.Argument(metavar="VARIANT", help="Such as briscola/2 or briscola/4?talk=off.")
    ],
    bots: Annotated[
        str | None,
        typer.Option(
            "--bots",
            metavar="A,B,…",
            help="Who takes part; by default every bot that qualified for it by its trial.",
        ),
    ] = None,
    option: OptionOption = None,
    deals: Annotated[
        int | None,
        typer.Option(
            "--deals",
            metavar="N",
            parser=whole(1),
            help="Deals that each table of entrants plays in all, rounded up to whole mirror "
            "groups.",
            show_default="100",
        ),
    ] = None,
    groups: Annotated[
        int | None,
        typer.Option(
            "--groups", metavar="N", parser=whole(1), help="Or: mirror groups of each table."
        ),
    ] = None,
    until_separated: Annotated[
        float | None,
        typer.Option(
            "--until-separated",
            metavar="P",
            parser=amount("confidence"),
            help="Or: play on until neighbours in the standings are separated, all of them with "
            "this confidence, such as 0.95.",
        ),
    ] = None,
    max_deals: Annotated[
        int | None,
        typer.Option(
            "--max-deals",
            metavar="N",
            parser=whole(1),
            help="With --until-separated: deals that each table plays at most.",
        ),
    ] = None,
    match: Annotated[
        str,
        typer.Option(
            "--match",
            metavar="FORMAT",
            help="deals:N, best-of:N or target:P.",
            show_default="deals:2 for two sides, deals:N for N seats",
        ),
    ] = "",
    mirror: Annotated[
        str,
        typer.Option(
            "--mirror",
            metavar="rotations|all|off",
            help="In how many seatings the same deals are played.",
            show_default="rotations",
        ),
    ] = "",
    time: Annotated[
        str,
        typer.Option(
            "--time",
            metavar="BASE+INCREMENT",
            help="Seconds in the bank for each deal, and more after each decision.",
            show_default="10+0.1",
        ),
    ] = "",
    limit: Annotated[
        float | None,
        typer.Option(
            "--limit",
            metavar="SECONDS",
            parser=amount("seconds"),
            help="For one decision.",
            show_default="5",
        ),
    ] = None,
    start_up: Annotated[
        float | None,
        typer.Option(
            "--start-up",
            metavar="SECONDS",
            parser=amount("seconds"),
            help="For a bot to start.",
            show_default="20",
        ),
    ] = None,
    grace: Annotated[
        float | None,
        typer.Option(
            "--grace",
            metavar="SECONDS",
            parser=amount("seconds"),
            help="For a remote bot to come back when its connection was lost.",
            show_default="10",
        ),
    ] = None,
    allow_remote_mirror: Annotated[
        bool,
        typer.Option(
            "--allow-remote-mirror",
            help="Mirror deals even with remote bots, which may remember the cards.",
        ),
    ] = False,
    pairing: Annotated[
        str,
        typer.Option(
            "--pairing",
            metavar="round-robin|gauntlet|swiss",
            help="Who meets whom.",
            show_default="round-robin",
        ),
    ] = "",
    tables: Annotated[
        int | None,
        typer.Option(
            "--tables",
            metavar="N",
            parser=whole(1),
            help="A balanced choice of at least so many tables of entrants.",
            show_default="every combination",
        ),
    ] = None,
    hero: Annotated[
        str, typer.Option("--hero", metavar="BOT", help="Who meets all others in a gauntlet.")
    ] = "",
    rounds: Annotated[
        int | None,
        typer.Option(
            "--rounds",
            metavar="N",
            parser=whole(1),
            help="Of a Swiss tournament.",
            show_default="one more than halving the field takes",
        ),
    ] = None,
    concurrency: Annotated[
        int | None,
        typer.Option(
            "--concurrency",
            metavar="N",
            parser=whole(1),
            help="Matches in flight at once; results do not depend on it.",
            show_default="128",
        ),
    ] = None,
    isolation: IsolationOption = "",
    cpu: Annotated[
        str,
        typer.Option(
            "--cpu",
            metavar="fair|shared",
            help="Whether no more bots think at once than there are cores, and the others are "
            "frozen.",
            show_default="fair where a bot takes one decision at a time and the machine can",
        ),
    ] = "",
    name: Annotated[str, typer.Option("--name", metavar="TEXT", help="What to call it.")] = "",
    seed: SeedOption = "",
) -> tournament_pb2.CreateTournamentRequest:
    return tournament_pb2.CreateTournamentRequest(
        variant=with_options(variant, option or []),
        bots=[part.strip() for part in bots.split(",")] if bots is not None else [],
        deals=deals,
        groups=groups,
        until_separated=until_separated,
        max_deals=max_deals,
        match_format=match,
        mirror=mirror,
        time_control=time,
        isolation=isolation,
        cpu=cpu,
        name=name,
        seed=seed,
        concurrency=concurrency or 0,
        limit_seconds=limit or 0.0,
        start_up_seconds=start_up or 0.0,
        grace_seconds=grace or 0.0,
        allow_remote_mirror=allow_remote_mirror,
        pairing=pairing,
        tables=tables,
        hero=hero,
        rounds=rounds,
    )


def wishing(
    command: Callable[..., None],
) -> Callable[..., None]:
    """A command whose first parameter is a tournament that was asked for, with the options for it.

    Typer reads the options of a command from its signature; this gives it one that has those of
    `_wish` in place of that parameter.
    """
    asked = inspect.signature(_wish).parameters
    own = list(inspect.signature(command).parameters.values())[1:]

    @wraps(command)
    def asking(**arguments: Any) -> None:
        wish = {name: arguments.pop(name) for name in asked}
        command(lambda: _wish(**wish), **arguments)

    hints = get_type_hints(_wish, include_extras=True) | get_type_hints(
        command, include_extras=True
    )
    parameters = [
        parameter.replace(annotation=hints[parameter.name]) for parameter in (*asked.values(), *own)
    ]
    asking.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    asking.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return asking
