"""The commands of `mazzo ladder`."""

from __future__ import annotations

from typing import Annotated

import typer

from mazzo.v1 import ladder_pb2, tournament_pb2
from mazzo_server.cli.ladders import seasons
from mazzo_server.cli.ladders.screen import print_ladder, print_season, print_seasons
from mazzo_server.cli.ladders.seasons import VariantArgument
from mazzo_server.cli.shell.completion.platform import complete_bot
from mazzo_server.cli.shell.connection import (
    JsonOption,
    ServerOption,
    connect,
    execute,
    fetch_all,
)
from mazzo_server.cli.shell.options import make_parser, make_tournament_option, make_whole_parser
from mazzo_server.cli.text.legend import LegendOption
from mazzo_server.cli.text.output import console, print_json
from mazzo_server.model import LADDER_CONFIDENCE, LADDER_SHARE
from mazzo_server.results.commentary import clean
from mazzo_server.results.tables import to_json

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    help="Play a ladder: `mazzo serve` plays it whenever something is in doubt.",
)
app.add_typer(seasons.app, name="season")

MemberArgument = Annotated[
    str, typer.Argument(metavar="BOT", autocompletion=complete_bot, help="The bot's name.")
]


@app.command("create")
def create(
    variant: VariantArgument,
    bots: Annotated[str | None, make_tournament_option("bots")] = None,
    match_format: Annotated[str | None, make_tournament_option("match_format")] = None,
    time_control: Annotated[str | None, make_tournament_option("time_control")] = None,
    limit_seconds: Annotated[float | None, make_tournament_option("limit_seconds")] = None,
    isolation: Annotated[str | None, make_tournament_option("isolation")] = None,
    limits: Annotated[str | None, make_tournament_option("limits")] = None,
    concurrency: Annotated[int | None, make_tournament_option("concurrency")] = None,
    seed: Annotated[str | None, make_tournament_option("seed")] = None,
    confidence: Annotated[
        float | None,
        typer.Option(
            "--confidence",
            metavar="P",
            parser=make_parser(LADDER_CONFIDENCE.parse),
            help="It rests when it is as sure as this of all neighbours who is better, or that "
            "they are level. By default 0.9.",
            show_default=False,
        ),
    ] = None,
    share: Annotated[
        float | None,
        typer.Option(
            "--share",
            metavar="PART",
            parser=make_parser(LADDER_SHARE.parse),
            help="Of the processors, for its bots; one at least. By default 0.5.",
            show_default=False,
        ),
    ] = None,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Begin the ladder of a variant with the bots that are qualified for it, or with some.

    Example: mazzo ladder create briscola/2 --share 0.5
    """

    async def work() -> ladder_pb2.LadderSeason:
        asked = tournament_pb2.CreateTournamentRequest(
            variant=variant,
            bots=bots or (),
            match_format=match_format or "",
            time_control=time_control or "",
            limit_seconds=limit_seconds or 0.0,
            isolation=isolation or "",
            limits=limits or "",
            concurrency=concurrency or 0,
            seed=seed or "",
        )
        async with connect(server) as client:
            answer: ladder_pb2.CreateLadderResponse = await client.ladders.CreateLadder(
                ladder_pb2.CreateLadderRequest(
                    tournament=asked,
                    confidence=confidence or 0.0,
                    share=share or 0.0,
                )
            )
        return answer.season

    made = execute(work())
    if as_json:
        print_json(to_json(made))
        return
    print_season(made, "has begun")
    members = ", ".join(map(clean, made.bots)) or "no bots yet"
    console.print(f"On it: {members}. Others may join.", soft_wrap=True)
    if not server:
        console.print(
            "`mazzo serve` plays it whenever something is in doubt; "
            f"`mazzo ladder show {made.variant}` shows it.",
            soft_wrap=True,
        )


@app.command("list")
def list_ladders(server: ServerOption = "", as_json: JsonOption = False) -> None:
    """List the seasons of all ladders, the newest first.

    Example: mazzo ladder list
    """

    async def work() -> list[ladder_pb2.LadderSeason]:
        async with connect(server) as client:
            return await fetch_all(
                client.ladders.ListLadders, ladder_pb2.ListLaddersRequest(), "seasons"
            )

    found = execute(work())
    if as_json:
        print_json([to_json(season) for season in found])
        return
    if not found:
        console.print("No ladders yet: an organiser begins one with `mazzo ladder create VARIANT`.")
        return
    print_seasons(found)


@app.command("show")
def show(
    variant: VariantArgument,
    season: Annotated[
        int | None,
        typer.Option(
            "--season",
            metavar="N",
            parser=make_whole_parser(1),
            help="An earlier season. By default the newest.",
            show_default=False,
        ),
    ] = None,
    with_replaced: Annotated[
        bool, typer.Option("--all", help="Also the versions that newer ones have replaced.")
    ] = False,
    legend: LegendOption = False,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Show a ladder: the ratings, how sure their order is, and who plays next and why.

    Example: mazzo ladder show briscola/2
    """

    async def work() -> ladder_pb2.GetLadderResponse:
        async with connect(server) as client:
            answer: ladder_pb2.GetLadderResponse = await client.ladders.GetLadder(
                ladder_pb2.GetLadderRequest(variant=variant, season=season or 0)
            )
        return answer

    shown = execute(work())
    if as_json:
        print_json(to_json(shown))
    else:
        print_ladder(shown, with_replaced=with_replaced, legend=legend)


@app.command("join")
def join(
    variant: VariantArgument,
    bot: MemberArgument,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Let a bot join with its active version; later versions follow when they are qualified.

    Example: mazzo ladder join briscola/2 my-bot
    """

    async def work() -> ladder_pb2.JoinLadderResponse:
        async with connect(server) as client:
            answer: ladder_pb2.JoinLadderResponse = await client.ladders.JoinLadder(
                ladder_pb2.JoinLadderRequest(variant=variant, bot=bot)
            )
        return answer

    joined = execute(work())
    if as_json:
        print_json(to_json(joined))
        return
    console.print(
        f"{bot} version {joined.version} is on the ladder of {variant}, from mirror group "
        f"{joined.first_group} on; its later versions follow by themselves.",
        soft_wrap=True,
    )


@app.command("leave")
def leave(
    variant: VariantArgument,
    bot: MemberArgument,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Let a bot leave with all its versions; its results stay, and it may come back.

    Example: mazzo ladder leave briscola/2 my-bot
    """

    async def work() -> ladder_pb2.LeaveLadderResponse:
        async with connect(server) as client:
            answer: ladder_pb2.LeaveLadderResponse = await client.ladders.LeaveLadder(
                ladder_pb2.LeaveLadderRequest(variant=variant, bot=bot)
            )
        return answer

    left = execute(work())
    if as_json:
        print_json(to_json(left))
        return
    console.print(
        f"{bot} has left the ladder of {variant}, from mirror group {left.first_group} on; its "
        "results stay.",
        soft_wrap=True,
    )


@app.command("pause")
def pause(variant: VariantArgument, server: ServerOption = "", as_json: JsonOption = False) -> None:
    """Play no more after the current matches, until it is resumed.

    Example: mazzo ladder pause briscola/2
    """

    async def work() -> ladder_pb2.LadderSeason:
        async with connect(server) as client:
            answer: ladder_pb2.PauseLadderResponse = await client.ladders.PauseLadder(
                ladder_pb2.PauseLadderRequest(variant=variant)
            )
        return answer.season

    paused = execute(work())
    if as_json:
        print_json(to_json(paused))
    else:
        then = f" `mazzo ladder resume {paused.variant}` goes on."
        print_season(paused, "is paused", then=then)


@app.command("resume")
def resume(
    variant: VariantArgument, server: ServerOption = "", as_json: JsonOption = False
) -> None:
    """Let a paused ladder be played on.

    Example: mazzo ladder resume briscola/2
    """

    async def work() -> ladder_pb2.LadderSeason:
        async with connect(server) as client:
            answer: ladder_pb2.ResumeLadderResponse = await client.ladders.ResumeLadder(
                ladder_pb2.ResumeLadderRequest(variant=variant)
            )
        return answer.season

    resumed = execute(work())
    if as_json:
        print_json(to_json(resumed))
    else:
        print_season(resumed, "goes on", then=" `mazzo serve` plays it.")
