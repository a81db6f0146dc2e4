"""`mazzo tournament enter` and `leave`: authors act on their own bots, organisers on all."""

from __future__ import annotations

from rich.text import Text

from mazzo.v1 import entry_pb2
from mazzo_server.cli.entries.arguments import EntrantArgument, OpenIdArgument
from mazzo_server.cli.shell.connection import JsonOption, ServerOption, connect, execute
from mazzo_server.cli.text.output import console, print_json
from mazzo_server.results.commentary import clean, describe_entry_times
from mazzo_server.results.tables import to_json

__all__ = ["enter", "leave"]


def enter(
    id: OpenIdArgument, bot: EntrantArgument, server: ServerOption = "", as_json: JsonOption = False
) -> None:
    """Enter a bot for an open tournament; say what it still lacks to play.

    The version that is active when it starts plays, so a new one may still be submitted.

    Example: mazzo tournament enter 3 my-bot
    """

    async def work() -> entry_pb2.OpenTournament:
        request = entry_pb2.EnterBotRequest(id=id, bot=bot)
        async with connect(server) as client:
            answer: entry_pb2.EnterBotResponse = await client.entries.EnterBot(request)
        return answer.open_tournament

    shown = execute(work())
    if as_json:
        print_json(to_json(shown))
        return
    [entry] = [one for one in shown.entries if one.bot == bot]
    console.print(
        f"{clean(bot)} has entered open tournament {id}, with {shown.entries_total - 1} other"
        f"{'' if shown.entries_total == 2 else 's'}.",
        soft_wrap=True,
    )
    if entry.lacks:
        console.print(Text(f"It cannot play yet: {clean(entry.lacks)}"), soft_wrap=True)
    for sentence in describe_entry_times(shown):
        console.print(Text(clean(sentence)), soft_wrap=True)


def leave(
    id: OpenIdArgument, bot: EntrantArgument, server: ServerOption = "", as_json: JsonOption = False
) -> None:
    """Take a bot out of an open tournament.

    Example: mazzo tournament leave 3 my-bot
    """

    async def work() -> entry_pb2.OpenTournament:
        request = entry_pb2.LeaveBotRequest(id=id, bot=bot)
        async with connect(server) as client:
            answer: entry_pb2.LeaveBotResponse = await client.entries.LeaveBot(request)
        return answer.open_tournament

    shown = execute(work())
    if as_json:
        print_json(to_json(shown))
        return
    console.print(
        f"{clean(bot)} has left open tournament {id}; entries left: {shown.entries_total}.",
        soft_wrap=True,
    )
