"""`mazzo bots submit` and `trial`: store a version, and try it out."""

from __future__ import annotations

import asyncio
import shlex
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import grpc
import typer

from mazzo.v1 import bot_pb2, bot_pb2_grpc
from mazzo_server.cli.bots.report import fail_unless_passed, print_verdict
from mazzo_server.cli.bots.trials import print_active, print_trial
from mazzo_server.cli.shell.completion.files import complete_bundle
from mazzo_server.cli.shell.completion.platform import complete_version
from mazzo_server.cli.shell.connection import JsonOption, ServerOption, connect, execute, print_wait
from mazzo_server.cli.shell.options import (
    IsolationOption,
    NameArgument,
    VerboseOption,
    make_whole_parser,
)
from mazzo_server.cli.shell.retries import call_patiently
from mazzo_server.cli.text.output import console, error_console, print_json
from mazzo_server.model import read_bot_limits
from mazzo_server.results.commentary import clean
from mazzo_server.results.tables import to_json
from mazzo_server.settings import Settings

__all__ = ["submit", "trial", "upload"]

_CHUNK = 256 * 1024  # bytes


def submit(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            autocompletion=complete_bundle,
            help="A folder or zip archive with bot.toml at its top.",
        ),
    ],
    isolation: IsolationOption = "",
    server: ServerOption = "",
    verbose: VerboseOption = False,
    as_json: JsonOption = False,
) -> None:
    """Check a bot, store it as a new version, start it isolated, and play it a short trial.

    The status is 1 if the bot fails its trial; it is stored all the same.

    Example: mazzo bots submit my-bot
    """
    from mazzo_server.bots.bundles import MAX_BUNDLE, pack  # only a few commands need it

    async def work() -> bot_pb2.Bot:
        # Of a server only the server knows what it takes.
        limits = MAX_BUNDLE if server else read_bot_limits(Settings.from_environment().limits)
        archive = pack(path, most_packed=limits.archive_bytes, most_unpacked=limits.unpacked_bytes)
        async with connect(server) as client:
            with error_console.status("Playing a trial …"):
                answer: bot_pb2.SubmitBotResponse = await call_patiently(
                    lambda: upload(client.bots, archive, isolation), print_wait
                )
        return answer.bot

    bot = execute(work())
    version = bot.versions[-1]
    if as_json:
        print_json(to_json(bot))
    else:
        _print_tried(bot, version, path=shlex.quote(clean(str(path))), verbose=verbose)
    fail_unless_passed(version)


def _print_tried(
    bot: bot_pb2.Bot, version: bot_pb2.BotVersion, *, path: str, verbose: bool
) -> None:
    print_trial(bot, version, path=path, verbose=verbose)
    alike = [one for one in bot.versions[:-1] if one.content_hash == version.content_hash]
    if alike:
        console.print(f"Its files are the same as those of version {alike[-1].version}.")
    if bot.active_version != version.version:
        print_active(bot)
    print_verdict(bot.name, version)


async def upload(
    bots: bot_pb2_grpc.BotServiceStub, archive: bytes, isolation: str
) -> bot_pb2.SubmitBotResponse:
    """Send an archive as soon as the server has said that it takes it.

    A refusal that came while gRPC writes would be lost: it reports an "Internal error" of its own.
    """
    call = bots.SubmitBot()
    with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):  # awaiting the call tells why
        options = bot_pb2.SubmitOptions(isolation=isolation)
        await call.write(bot_pb2.SubmitBotRequest(options=options))
        if tuple(await call.initial_metadata()):  # none comes with a refusal
            for start in range(0, len(archive), _CHUNK):
                await call.write(bot_pb2.SubmitBotRequest(chunk=archive[start : start + _CHUNK]))
            await call.done_writing()
    answer: bot_pb2.SubmitBotResponse = await call
    return answer


def trial(
    name: NameArgument,
    version: Annotated[
        int | None,
        typer.Option(
            "--version",
            metavar="N",
            parser=make_whole_parser(1),
            autocompletion=complete_version,
            help="The version of the bot.",
            show_default="newest",
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
    verbose: VerboseOption = False,
    as_json: JsonOption = False,
) -> None:
    """Play the trial of a version again, such as one that was broken off.

    The status is 1 if the bot fails it.

    Example: mazzo bots trial my-bot --version 2
    """

    async def work() -> bot_pb2.Bot:
        request = bot_pb2.PlayTrialRequest(
            name=name,
            version=version or 0,
            options=bot_pb2.SubmitOptions(isolation=isolation),
            seed=seed,
        )
        async with connect(server) as client:
            with error_console.status("Playing a trial …"):
                answer: bot_pb2.PlayTrialResponse = await client.bots.PlayTrial(request)
        return answer.bot

    bot = execute(work())
    tried = bot.versions[version - 1 if version else -1]
    if as_json:
        print_json(to_json(bot))
    else:
        _print_tried(bot, tried, path="PATH", verbose=verbose)
    fail_unless_passed(tried)
