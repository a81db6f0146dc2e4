"""`mazzo bots logs`: shows what went wrong with a bot."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.text import Text

from mazzo.v1 import bot_pb2
from mazzo_server.cli.shell.completion.platform import complete_tournament
from mazzo_server.cli.shell.connection import JsonOption, ServerOption, connect, execute, fetch_all
from mazzo_server.cli.shell.options import NameArgument, make_whole_parser
from mazzo_server.cli.text.output import console, print_json
from mazzo_server.model import MatchId
from mazzo_server.results.commentary import clean, describe_life, describe_occasion
from mazzo_server.results.tables import to_json

__all__ = ["logs"]

_OF_FORFEITS = ("group", "seating", "seat", "deal", "decision", "termination", "owner")


# Fields without a value in a log of this kind; the wire has 0 there, as for the first of each.
_ABSENT: dict[bot_pb2.BotLogKind, tuple[str, ...]] = {
    bot_pb2.BOT_LOG_KIND_TRIAL: ("tournament", *_OF_FORFEITS),
    bot_pb2.BOT_LOG_KIND_WITHDRAWAL: _OF_FORFEITS,
}


def logs(
    name: NameArgument,
    tournament: Annotated[
        int | None,
        typer.Option(
            "--tournament",
            metavar="ID",
            parser=make_whole_parser(1),
            autocompletion=complete_tournament,
            help="Only those of this tournament.",
        ),
    ] = None,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Show what went wrong with a bot and what it wrote; only your own, when cards are known.

    Example: mazzo bots logs my-bot --tournament 3
    """

    async def work() -> list[bot_pb2.BotLog]:
        request = bot_pb2.ListBotLogsRequest(name=name, tournament=tournament or 0)
        async with connect(server) as client:
            return await fetch_all(client.bots.ListBotLogs, request, "logs")

    found = execute(work())
    if as_json:
        print_json([_encode_log(log) for log in found])
        return
    if not found and tournament:
        console.print(
            f"Of tournament {tournament} there is nothing to tell: if {clean(name)} takes part, it "
            "failed no start, and has forfeited nothing in mirror groups that are over."
        )
    elif not found:
        console.print(
            f"{clean(name)} has failed no trial and no start, and has forfeited nothing in mirror "
            "groups that are over."
        )
    for log in found:
        console.print(Text(describe_occasion(log), style="bold"), soft_wrap=True)
        console.print(f"  {clean(log.reason)}", soft_wrap=True)
        if log.kind == bot_pb2.BOT_LOG_KIND_FORFEIT:
            place = f"{_name_match(log)} --deal {log.deal + 1} --seat {log.seat}"
            console.print(f"  see it with `mazzo replay show {place}`", soft_wrap=True)
        if not log.HasField("log"):
            console.print("  log: when the tournament is over")
        if log.HasField("begin_time"):
            console.print(f"  {describe_life(log)}", soft_wrap=True)
        for line in clean(log.log, lines=True).splitlines():
            console.print(f"  | {line}", soft_wrap=True)


def _encode_log(log: bot_pb2.BotLog) -> dict[str, Any]:
    value: dict[str, Any] = to_json(log)
    absent = _ABSENT.get(log.kind, ())
    return {key: None if key in absent else content for key, content in value.items()}


def _name_match(log: bot_pb2.BotLog) -> MatchId:
    return MatchId(log.tournament, log.group, log.seating)
