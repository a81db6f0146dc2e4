"""`mazzo bots list` and `mazzo bots show`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from mazzo.v1 import bot_pb2
from mazzo_server.cli.bots.report import print_verdict
from mazzo_server.cli.bots.trials import describe_newest, name_verdict, print_active, print_trial
from mazzo_server.cli.shell.connection import JsonOption, ServerOption, connect, execute, fetch_all
from mazzo_server.cli.shell.options import NameArgument
from mazzo_server.cli.text.output import console, has_room_for, make_table, print_json, print_table
from mazzo_server.results.commentary import clean
from mazzo_server.results.tables import to_json

__all__ = ["list_bots", "show"]


def list_bots(
    everything: Annotated[bool, typer.Option("--all", help="List retired bots too.")] = False,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """List the bots with their newest versions, and which of theirs enter tournaments.

    Example: mazzo bots list --all
    """

    async def work() -> list[bot_pb2.Bot]:
        request = bot_pb2.ListBotsRequest(include_retired=everything)
        async with connect(server) as client:
            return await fetch_all(client.bots.ListBots, request, "bots")

    bots = execute(work())
    if as_json:
        print_json([to_json(bot) for bot in bots])
        return
    if not bots:
        console.print("No bots yet: submit one with `mazzo bots submit PATH`.")
        return
    table = _list_table(bots)
    print_table(table if has_room_for(table) else _list_table(bots, folded=True))


def _list_table(bots: Sequence[bot_pb2.Bot], *, folded: bool = False) -> Table:
    """Return one row for each bot; `folded` puts the longest cells on two lines."""
    between = "\n" if folded else " "
    has_owners = any(bot.owner for bot in bots)
    owner = ["owner"] if has_owners else []
    table = make_table("bot", "version", "plays", "trial", *owner, "author", right=" r")
    for bot in bots:
        version = bot.versions[-1]
        trial = _describe_presence(bot) if bot.remote else name_verdict(version)
        table.add_row(
            bot.name + (f"{between}(retired)" if bot.retired else ""),
            describe_newest(bot),
            ", ".join(version.games),
            Text(trial.plain.replace(" ", between, 1), style=trial.style),
            *([bot.owner or "organiser"] if has_owners else []),
            clean(version.author),
        )
    return table


def _describe_presence(bot: bot_pb2.Bot) -> Text:
    return Text("remote, connected" if bot.connected else "remote, away")


def show(name: NameArgument, server: ServerOption = "", as_json: JsonOption = False) -> None:
    """Show a bot with all its versions and their trials.

    Example: mazzo bots show greedy
    """

    async def work() -> bot_pb2.Bot:
        async with connect(server) as client:
            request = bot_pb2.GetBotRequest(name=name)
            answer: bot_pb2.GetBotResponse = await client.bots.GetBot(request)
        return answer.bot

    bot = execute(work())
    if as_json:
        print_json(to_json(bot))
        return
    newest = bot.versions[-1]
    console.print(Text(bot.name + (" (retired)" if bot.retired else ""), style="bold"))
    if newest.description:
        console.print(clean(newest.description))
    plays, author = f"plays {', '.join(newest.games)}", f"by {clean(newest.author)}"
    if bot.owner:
        author += f", owner {bot.owner}"
    if bot.remote:
        console.print(f"{author}; plays from its author's machine: {_describe_presence(bot)}")
        console.print(f"{plays}; capacity {newest.capacity}")
        table = make_table("version", "registered", "plays", right="r")
        for version in bot.versions:
            active = " *" if version.version == bot.active_version else ""
            table.add_row(
                str(version.version) + active, _format_date(version), ", ".join(version.games)
            )
        print_table(table)
        print_active(bot)
        return
    console.print(f"{author}, licence {clean(newest.licence)}")
    console.print(
        f"{plays}; started with `{clean(' '.join(newest.command))}`, runtime {newest.runtime}; "
        f"capacity {newest.capacity}{_describe_needs(newest)}"
    )
    table = make_table("version", "submitted", "content", "trial", right="r")
    for version in bot.versions:
        table.add_row(
            str(version.version) + (" *" if version.version == bot.active_version else ""),
            _format_date(version),
            version.content_hash[:12],
            name_verdict(version),
        )
    print_table(table)
    print_active(bot)
    print_trial(bot, newest)
    if newest.HasField("trial"):
        print_verdict(bot.name, newest)


def _format_date(version: bot_pb2.BotVersion) -> str:
    return version.create_time.ToDatetime().strftime("%Y-%m-%d %H:%M UTC")


def _describe_needs(version: bot_pb2.BotVersion) -> str:
    """Return what it says that an instance needs; "" where it says nothing."""
    needs = []
    if version.HasField("memory_mib"):
        needs.append(f"{version.memory_mib:,} MiB of memory")
    if version.HasField("processes"):
        needs.append(f"{version.processes:,} processes")
    if version.HasField("disk_mib"):
        needs.append(f"{version.disk_mib:,} MiB in /tmp")
    return f"; needs {', '.join(needs)}" if needs else ""
