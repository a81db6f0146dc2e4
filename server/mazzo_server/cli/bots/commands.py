"""`mazzo bots`: submit, try out, register, list, show, choose versions, retire, logs."""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from mazzo.v1 import bot_pb2
from mazzo_server.cli.bots.trials import active_words, newest_words, print_trial, verdict
from mazzo_server.cli.shell.connection import (
    IsolationOption,
    JsonOption,
    ServerOption,
    all_pages,
    connect,
    execute,
)
from mazzo_server.cli.shell.options import whole
from mazzo_server.cli.text.output import (
    console,
    new_table,
    notes,
    print_json,
    print_table,
    table_fits,
    to_json,
)
from mazzo_server.results.commentary import clean

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Submit bots and see what became of them.")

_CHUNK = 1024 * 1024  # bytes
_OF_FORFEITS = ("group", "seating", "seat", "deal", "decision", "termination", "owner")
# What a log of this kind has no value for; the wire has 0 there, as for the first of each.
_ABSENT: dict[bot_pb2.BotLogKind, tuple[str, ...]] = {
    bot_pb2.BOT_LOG_KIND_TRIAL: ("tournament", *_OF_FORFEITS),
    bot_pb2.BOT_LOG_KIND_WITHDRAWAL: _OF_FORFEITS,
}

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The bot's name.")]


@app.command("submit")
def submit(
    path: Annotated[
        Path,
        typer.Argument(metavar="PATH", help="A folder or zip archive with bot.toml at its top."),
    ],
    isolation: IsolationOption = "",
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Check a bot, store it as a new version, start it isolated, and play it a short trial."""
    from mazzo_server.bots.bundles import pack  # which few commands need

    async def work() -> bot_pb2.Bot:
        archive = pack(path)
        async with connect(server) as client:
            with notes.status("Playing a trial …"):
                answer: bot_pb2.SubmitBotResponse = await client.bots.SubmitBot(
                    _upload(archive, isolation)
                )
        return answer.bot

    bot = execute(work())
    if as_json:
        print_json(to_json(bot))
        return
    _print_tried(bot, bot.versions[-1], shlex.quote(str(path)))


def _print_tried(bot: bot_pb2.Bot, version: bot_pb2.BotVersion, path: str = "PATH") -> None:
    print_trial(bot, version, path=path)
    if bot.active_version != version.version:
        console.print(active_words(bot))


async def _upload(archive: bytes, isolation: str) -> AsyncIterator[bot_pb2.SubmitBotRequest]:
    options = bot_pb2.SubmitOptions(isolation=isolation)
    yield bot_pb2.SubmitBotRequest(options=options)
    for start in range(0, len(archive), _CHUNK):
        yield bot_pb2.SubmitBotRequest(chunk=archive[start : start + _CHUNK])


@app.command("trial")
def trial(
    name: NameArgument,
    version: Annotated[
        int | None,
        typer.Option(
            "--version", metavar="N", parser=whole(1), help="Its version.", show_default="newest"
        ),
    ] = None,
    seed: Annotated[
        str,
        typer.Option(
            "--seed",
            metavar="HEX",
            help="Of an earlier trial, to play its deals again; for the organiser.",
            show_default="drawn",
        ),
    ] = "",
    isolation: IsolationOption = "",
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Play the trial of a version again, such as one that was broken off."""

    async def work() -> bot_pb2.Bot:
        request = bot_pb2.PlayTrialRequest(
            name=name,
            version=version or 0,
            options=bot_pb2.SubmitOptions(isolation=isolation),
            seed=seed,
        )
        async with connect(server) as client:
            with notes.status("Playing a trial …"):
                answer: bot_pb2.PlayTrialResponse = await client.bots.PlayTrial(request)
        return answer.bot

    bot = execute(work())
    if as_json:
        print_json(to_json(bot))
    else:
        _print_tried(bot, bot.versions[version - 1 if version else -1])


@app.command("activate")
def activate(
    name: NameArgument,
    version: Annotated[
        str,
        typer.Argument(
            metavar="VERSION", help="Its number, or newest: the newest one that is qualified."
        ),
    ],
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Choose the version of a bot that enters tournaments from now on."""
    number = 0 if version == "newest" else _version_number(version)

    async def work() -> bot_pb2.Bot:
        request = bot_pb2.ActivateVersionRequest(name=name, version=number)
        async with connect(server) as client:
            answer: bot_pb2.ActivateVersionResponse = await client.bots.ActivateVersion(request)
        return answer.bot

    bot = execute(work())
    if as_json:
        print_json(to_json(bot))
    else:
        console.print(active_words(bot))


def _version_number(text: str) -> int:
    try:
        return whole(1)(text)
    except typer.BadParameter as error:
        raise typer.BadParameter(f"{error}, and it is not newest", param_hint="VERSION") from error


@app.command("register")
def register(
    name: NameArgument,
    game: Annotated[
        list[str] | None,
        typer.Option(
            "--game",
            metavar="GAME",
            help="That it plays, such as briscola or briscola/4; several times.",
            show_default="every game",
        ),
    ] = None,
    capacity: Annotated[
        int | None,
        typer.Option(
            "--capacity",
            metavar="N",
            parser=whole(1, 1024),
            help="Decisions that it gets at once.",
            show_default="1",
        ),
    ] = None,
    author: Annotated[
        str,
        typer.Option(
            "--author", metavar="TEXT", help="Who wrote it.", show_default="whose token it is"
        ),
    ] = "",
    new_key: Annotated[
        bool,
        typer.Option("--new-key", help="Make a new key, revoke the old one, and nothing else."),
    ] = False,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Make a remote bot, which plays from its author's machine, and show its key this once."""

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


@app.command("list")
def list_bots(
    everything: Annotated[bool, typer.Option("--all", help="Retired bots too.")] = False,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """List the bots with their newest versions, and which of theirs enter tournaments."""

    async def work() -> list[bot_pb2.Bot]:
        request = bot_pb2.ListBotsRequest(include_retired=everything)
        async with connect(server) as client:
            return await all_pages(client.bots.ListBots, request, "bots")

    bots = execute(work())
    if as_json:
        print_json([to_json(bot) for bot in bots])
        return
    if not bots:
        console.print("No bots yet: submit one with `mazzo bots submit PATH`.")
        return
    table = _list_table(bots)
    print_table(table if table_fits(table) else _list_table(bots, folded=True))


def _list_table(bots: Sequence[bot_pb2.Bot], *, folded: bool = False) -> Table:
    """One row a bot; `folded` has the longest cells on two lines, for narrow terminals."""
    between = "\n" if folded else " "
    table = new_table("bot", "version", "plays", "trial", "author", right=" r")
    for bot in bots:
        version = bot.versions[-1]
        trial = _presence(bot) if bot.remote else verdict(version)
        table.add_row(
            bot.name + (f"{between}(retired)" if bot.retired else ""),
            newest_words(bot),
            ", ".join(version.games),
            Text(trial.plain.replace(" ", between, 1), style=trial.style),
            clean(version.author),
        )
    return table


def _presence(bot: bot_pb2.Bot) -> Text:
    return Text("remote, connected" if bot.connected else "remote, away")


@app.command("show")
def show(name: NameArgument, server: ServerOption = "", as_json: JsonOption = False) -> None:
    """Show a bot with all its versions and their trials."""

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
        console.print(f"{author}; plays from its author's machine: {_presence(bot)}")
        console.print(f"{plays}; capacity {newest.capacity}")
        table = new_table("version", "registered", "plays", right="r")
        for version in bot.versions:
            active = " *" if version.version == bot.active_version else ""
            table.add_row(str(version.version) + active, _date(version), ", ".join(version.games))
        print_table(table)
        console.print(active_words(bot))
        return
    console.print(f"{author}, licence {clean(newest.licence)}")
    console.print(
        f"{plays}; started with `{clean(' '.join(newest.command))}`, runtime {newest.runtime}; "
        f"capacity {newest.capacity}"
    )
    table = new_table("version", "submitted", "content", "trial", right="r")
    for version in bot.versions:
        table.add_row(
            str(version.version) + (" *" if version.version == bot.active_version else ""),
            _date(version),
            version.content_hash[:12],
            verdict(version),
        )
    print_table(table)
    console.print(active_words(bot))
    print_trial(bot, newest)


def _date(version: bot_pb2.BotVersion) -> str:
    return version.create_time.ToDatetime().strftime("%Y-%m-%d %H:%M UTC")


@app.command("retire")
def retire(name: NameArgument, server: ServerOption = "", as_json: JsonOption = False) -> None:
    """Take a bot out of future tournaments; submitting it again brings it back."""

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


@app.command("logs")
def logs(
    name: NameArgument,
    tournament: Annotated[
        int | None,
        typer.Option("--tournament", metavar="ID", parser=whole(1), help="Only this one."),
    ] = None,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Show what went wrong with a bot and what it wrote; only your own, when cards are known."""

    async def work() -> list[bot_pb2.BotLog]:
        request = bot_pb2.ListBotLogsRequest(name=name, tournament=tournament or 0)
        async with connect(server) as client:
            return await all_pages(client.bots.ListBotLogs, request, "logs")

    found = execute(work())
    if as_json:
        print_json([_log_to_json(log) for log in found])
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
        console.print(Text(_occasion(log), style="bold"), soft_wrap=True)
        console.print(f"  {clean(log.reason)}", soft_wrap=True)
        if not log.HasField("log"):
            console.print("  log: when the tournament is over")
        for line in clean(log.log, lines=True).splitlines():
            console.print(f"  | {line}", soft_wrap=True)


def _log_to_json(log: bot_pb2.BotLog) -> dict[str, Any]:
    value: dict[str, Any] = to_json(log)
    absent = _ABSENT.get(log.kind, ())
    return {key: None if key in absent else content for key, content in value.items()}


def _occasion(log: bot_pb2.BotLog) -> str:
    """Where something went wrong."""
    if log.kind == bot_pb2.BOT_LOG_KIND_TRIAL:
        return f"version {log.version}: failed its trial"
    if log.kind == bot_pb2.BOT_LOG_KIND_WITHDRAWAL:
        return f"tournament {log.tournament}, version {log.version}: withdrawn"
    return (
        f"tournament {log.tournament}, version {log.version}, group {log.group}, "
        f"seating {log.seating}, seat {log.seat}, deal {log.deal}, "
        f"decision {log.decision}: {log.termination} ({log.owner})"
    )
