"""Puts into words what became of a version, and which version of a bot enters tournaments."""

from __future__ import annotations

from rich.text import Text

from mazzo.v1 import bot_pb2
from mazzo_server.cli.bots.report import print_report
from mazzo_server.cli.text.output import console
from mazzo_server.results.commentary import describe_active, describe_start

__all__ = [
    "describe_newest",
    "name_verdict",
    "print_active",
    "print_trial",
]


def name_verdict(version: bot_pb2.BotVersion) -> Text:
    """Return the result of a version's trial, in a word or two."""
    if not version.HasField("trial"):
        return Text("no trial")
    if version.trial.passed:
        return Text("passed")
    return Text("passed in part" if version.qualified else "failed", style="bold red")


def describe_newest(bot: bot_pb2.Bot) -> str:
    """Return the newest version, and in brackets the entering one if that is another."""
    newest, active = bot.versions[-1].version, bot.active_version
    return str(newest) if active in (0, newest) else f"{newest} ({active})"


def print_active(bot: bot_pb2.Bot) -> None:
    """Print which version enters tournaments, and how to take a choice back."""
    told = describe_active(bot)
    if bot.chosen_version and not bot.retired:
        back = f"back to the newest qualified one with `mazzo bots activate {bot.name} newest`"
        told = f"{told.removesuffix('.')}; {back}."
    console.print(told)


def print_trial(
    bot: bot_pb2.Bot, version: bot_pb2.BotVersion, *, path: str = "PATH", verbose: bool = False
) -> None:
    """Print what became of a version, and the report of its trial; the bot lies at `path`."""
    trial, name = version.trial, bot.name
    stored = f"{name} version {version.version} is stored ({version.content_hash[:12]})"
    if bot.retired and not version.HasField("trial"):
        console.print(
            f"{name} version {version.version} has no trial: it came with a tournament that was "
            "imported, without its files, or its trial was broken off.",
            soft_wrap=True,
        )
        return
    if not version.HasField("trial"):
        console.print(
            f"{stored}; its trial was broken off: play it with `mazzo bots trial {name}"
            + ("`." if version == bot.versions[-1] else f" --version {version.version}`.")
        )
        return
    console.print(f"{stored}; {describe_start(trial)}.")
    print_report(
        version,
        again=f"mazzo check {path} --seed {trial.seed}",
        logs=f"mazzo bots logs {name}",
        verbose=verbose,
    )
