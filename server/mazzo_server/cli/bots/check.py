"""`mazzo check`: the trial of a submission, at home."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mazzo.shuffle import parse_seed
from mazzo.v1 import bot_pb2
from mazzo_server.cli.bots.positions import write_positions
from mazzo_server.cli.bots.report import fail_unless_passed, print_report, print_verdict
from mazzo_server.cli.shell.completion.files import complete_bundle
from mazzo_server.cli.shell.connection import JsonOption, execute
from mazzo_server.cli.shell.options import VerboseOption, make_tournament_option
from mazzo_server.cli.text.output import console, error_console, print_json
from mazzo_server.errors import IsolationError, StoreError
from mazzo_server.model import read_bot_limits
from mazzo_server.results.commentary import clean, describe_start
from mazzo_server.results.tables import to_json
from mazzo_server.sandbox import ScratchFolder
from mazzo_server.settings import Isolation, Settings

if TYPE_CHECKING:
    from mazzo_server.serving.hosting import Platform

__all__ = ["check"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checked:
    bot: bot_pb2.Bot
    isolation: str

    @property
    def version(self) -> bot_pb2.BotVersion:
        return self.bot.versions[-1]


def check(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            autocompletion=complete_bundle,
            help="A folder or zip archive with bot.toml at its top.",
        ),
    ],
    seed: Annotated[
        str,
        typer.Option(
            "--seed",
            metavar="HEX",
            help="Of an earlier check or trial, to play its deals again.",
            show_default="drawn",
        ),
    ] = "",
    isolation: Annotated[
        str, make_tournament_option("isolation", usual="the best that this machine offers")
    ] = "",
    verbose: VerboseOption = False,
    as_json: JsonOption = False,
) -> None:
    """Try a bot as a submission is tried, without a server, and say what to mend.

    Example: mazzo check my-bot
    """
    from mazzo_server.bots.bundles import pack  # only a few commands need it

    async def work() -> _Checked:
        seed_bytes = parse_seed(seed) if seed else None
        limits = read_bot_limits(Settings.from_environment().limits)
        archive = pack(path, most_packed=limits.archive_bytes, most_unpacked=limits.unpacked_bytes)
        with error_console.status("Unpacking …") as status:
            return await _check(
                archive,
                isolation=isolation,
                seed=seed_bytes,
                on_progress=lambda doing: status.update(f"Playing a trial: {doing} …"),
            )

    checked = execute(work())
    version = checked.version
    if as_json:
        print_json(
            {
                "name": checked.bot.name,
                "content_hash": version.content_hash,
                "isolation": checked.isolation,
                "qualified": list(version.qualified),
                "trial": to_json(version.trial),
            }
        )
    else:
        chosen = f" --isolation {isolation}" if isolation else ""
        given = shlex.quote(clean(str(path)))
        again = f"mazzo check {given}{chosen} --seed {version.trial.seed}"
        _print(
            checked,
            again=again,
            ask=write_positions(checked.bot.name, version.trial, path),
            verbose=verbose,
        )
    fail_unless_passed(version)


async def _check(
    archive: bytes, *, isolation: str, seed: bytes | None, on_progress: Callable[[str], None]
) -> _Checked:
    """Submit the bot to a platform that lasts as long as its trial."""
    from mazzo_server.serving.grpc.messages import encode_bot
    from mazzo_server.serving.hosting import Platform
    from mazzo_server.storage import MemoryStore

    given = Settings.from_environment()
    with _make_scratch_folder() as folder:
        settings = Settings(home=Path(folder), require=given.require, limits=given.limits)
        platform = Platform(settings, MemoryStore(), embedded=True)
        try:
            isolation = isolation or await _find_best_isolation(platform)
            version = await platform.bots.submit(
                archive, isolation=isolation, seed=seed, on_progress=on_progress
            )
            row, versions = await platform.bots.find(version.bot)
        finally:
            await platform.close(grace=0)
    return _Checked(
        bot=encode_bot(row, versions, private=True, connected=False), isolation=isolation
    )


def _make_scratch_folder() -> ScratchFolder:
    try:
        return ScratchFolder()
    except OSError as error:
        raise StoreError(f"cannot make a folder for temporary files: {error}") from error


async def _find_best_isolation(platform: Platform) -> str:
    """Return the first isolation that this machine can provide.

    Raises `IsolationError` for one that MAZZO_REQUIRE names and the machine lacks.
    """
    for name in Isolation:
        try:
            await platform.bots.launcher.find_sandbox(name)
        except IsolationError as error:
            if name is Isolation.NONE:
                raise
            error_console.print(
                f"mazzo: no isolation {name} here: {clean(str(error))}", soft_wrap=True
            )
            continue
        if name is Isolation.NONE:
            error_console.print(
                "mazzo: so the bot runs with your own rights, and can do what you can do"
            )
        return name
    raise AssertionError("the last way returns or raises")


def _print(checked: _Checked, *, again: str, ask: str, verbose: bool) -> None:
    name, version = checked.bot.name, checked.version
    console.print(f"{name}, isolation {checked.isolation}; {describe_start(version.trial)}.")
    print_report(version, again=again, ask=ask, verbose=verbose)
    print_verdict(name, version)
