"""`mazzo bots register`, `activate`, `retire` and `delete`: choose what takes part, and how."""

from __future__ import annotations

from typing import Annotated

import typer

from mazzo.v1 import bot_pb2
from mazzo_server.cli.bots.trials import print_active
from mazzo_server.cli.shell.completion.games import complete_game
from mazzo_server.cli.shell.completion.platform import complete_active_version
from mazzo_server.cli.shell.confirmation import YesOption, check_confirmed
from mazzo_server.cli.shell.connection import JsonOption, ServerOption, connect, execute
from mazzo_server.cli.shell.options import NameArgument, make_whole_parser
from mazzo_server.cli.text.output import console, print_json
from mazzo_server.results.tables import to_json

__all__ = ["activate", "delete", "register", "retire"]


def activate(
    name: NameArgument,
    version: Annotated[
        str,
        typer.Argument(
            metavar="VERSION",
            autocompletion=complete_active_version,
            help="Its number, or newest: the newest one that is qualified.",
        ),
    ],
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Choose the version of a bot that enters tournaments from now on.

    Example: mazzo bots activate my-bot 2
    """
    number = 0 if version == "newest" else _parse_version_number(version)

    async def work() -> bot_pb2.Bot:
        request = bot_pb2.ActivateVersionRequest(name=name, version=number)
        async with connect(server) as client:
            answer: bot_pb2.ActivateVersionResponse = await client.bots.ActivateVersion(request)
        return answer.bot

    bot = execute(work())
    if as_json:
        print_json(to_json(bot))
    else:
        print_active(bot)


def _parse_version_number(text: str) -> int:
    try:
        return make_whole_parser(1)(text)
    except typer.BadParameter as error:
        raise typer.BadParameter(f"{error}, and it is not newest", param_hint="VERSION") from error


def register(
    name: NameArgument,
    game: Annotated[
        list[str] | None,
        typer.Option(
            "--game",
            metavar="GAME",
            autocompletion=complete_game,
            help="That it plays, such as briscola or briscola/4; several times.",
            show_default="every game",
        ),
    ] = None,
    capacity: Annotated[
        int | None,
        typer.Option(
            "--capacity",
            metavar="N",
            parser=make_whole_parser(1, 1024),
            help="Decisions that it gets at once.",
            show_default="1",
        ),
    ] = None,
    author: Annotated[
        str,
        typer.Option(
            "--author", metavar="TEXT", help="Who wrote the bot.", show_default="whose token it is"
        ),
    ] = "",
    new_key: Annotated[
        bool,
        typer.Option("--new-key", help="Make a new key, revoke the old one, and nothing else."),
    ] = False,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Make a remote bot, which plays from its author's machine, and show its key this once.

    Example: mazzo bots register my-bot --game briscola/2
    """

    async def work() -> bot_pb2.RegisterBotResponse:
        request = bot_pb2.RegisterBotRequest(
            name=name, games=game or [], capacity=capacity or 0, author=author, new_key=new_key
        )
        async with connect(server) as client:
            answer: bot_pb2.RegisterBotResponse = await client.bots.RegisterBot(request)
        return answer

    answer = execute(work())
    if as_json:
        print_json(to_json(answer))
        return
    bot, newest = answer.bot, answer.bot.versions[-1]
    if not new_key:
        plays = ", ".join(newest.games)
        console.print(f"{bot.name} version {newest.version} is registered and plays {plays}.")
    if answer.key:
        console.print("Its key, which is shown only now and goes into MAZZO_KEY:")
        console.print(answer.key, soft_wrap=True)
    else:
        console.print("Its key stays as it is; `--new-key` makes another.")


def retire(name: NameArgument, server: ServerOption = "", as_json: JsonOption = False) -> None:
    """Take a bot out of future tournaments; submitting it again brings it back.

    Example: mazzo bots retire my-bot
    """

    async def work() -> bot_pb2.Bot:
        async with connect(server) as client:
            request = bot_pb2.RetireBotRequest(name=name)
            answer: bot_pb2.RetireBotResponse = await client.bots.RetireBot(request)
        return answer.bot

    bot = execute(work())
    if as_json:
        print_json(to_json(bot))
    else:
        console.print(f"{bot.name} is retired.")


def delete(
    name: NameArgument,
    yes: YesOption = False,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Delete a bot for good, with its versions, files and keys; its name is free then.

    An entrant of a tournament is refused, for results need it: `retire` it.

    Example: mazzo bots delete my-bot
    """

    async def describe() -> str:
        async with connect(server) as client:
            found = (await client.bots.GetBot(bot_pb2.GetBotRequest(name=name))).bot
        count = len(found.versions)
        return f"{found.name}, with {count} version{'' if count == 1 else 's'}"

    async def work() -> bot_pb2.DeleteBotResponse:
        async with connect(server) as client:
            answer: bot_pb2.DeleteBotResponse = await client.bots.DeleteBot(
                bot_pb2.DeleteBotRequest(name=name)
            )
            return answer

    check_confirmed(lambda: f"Delete {execute(describe())}?", is_sure=yes)
    deleted = execute(work())
    if as_json:
        print_json({"name": name, "versions": deleted.versions})
    else:
        console.print(f"{name} is deleted.")
