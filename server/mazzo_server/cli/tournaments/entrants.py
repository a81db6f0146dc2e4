"""`mazzo tournament add` and `retire`: change who takes part from now on."""

from __future__ import annotations

from typing import Annotated

import typer

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.shell.completion.platform import complete_entrant
from mazzo_server.cli.shell.connection import (
    JsonOption,
    ServerOption,
    connect,
    execute,
)
from mazzo_server.cli.shell.options import IdArgument
from mazzo_server.cli.text.output import console, print_json
from mazzo_server.results.tables import to_json

__all__ = ["add", "retire"]

BotArgument = Annotated[
    str, typer.Argument(metavar="BOT", autocompletion=complete_entrant, help="The bot's name.")
]


def add(
    id: IdArgument, bot: BotArgument, server: ServerOption = "", as_json: JsonOption = False
) -> None:
    """Let one more bot take part, with its active version, in the groups that have not begun.

    Example: mazzo tournament add 3 my-bot
    """

    async def work() -> tournament_pb2.AddEntrantResponse:
        request = tournament_pb2.AddEntrantRequest(id=id, bot=bot)
        async with connect(server) as client:
            answer: tournament_pb2.AddEntrantResponse = await client.tournaments.AddEntrant(request)
            return answer

    added = execute(work())
    if as_json:
        print_json(to_json(added))
        return
    console.print(
        f"{bot} version {added.version} takes part in tournament {id}, from mirror group "
        f"{added.first_group} on.",
        soft_wrap=True,
    )


def retire(
    id: IdArgument, bot: BotArgument, server: ServerOption = "", as_json: JsonOption = False
) -> None:
    """Let a bot play no more in a tournament; its results stay.

    Example: mazzo tournament retire 3 my-bot
    """

    async def work() -> tournament_pb2.RetireEntrantResponse:
        request = tournament_pb2.RetireEntrantRequest(id=id, bot=bot)
        async with connect(server) as client:
            answer: tournament_pb2.RetireEntrantResponse = await client.tournaments.RetireEntrant(
                request
            )
            return answer

    retired = execute(work())
    if as_json:
        print_json(to_json(retired))
        return
    console.print(
        f"{bot} is retired from tournament {id}, from mirror group {retired.first_group} on; its "
        "results stay.",
        soft_wrap=True,
    )
