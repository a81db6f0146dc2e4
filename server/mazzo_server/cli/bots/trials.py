"""Puts into words what a trial found, and which version of a bot enters tournaments."""

from __future__ import annotations

from rich.padding import Padding
from rich.text import Text

from mazzo.v1 import bot_pb2
from mazzo_server.cli.text.output import console
from mazzo_server.results.commentary import clean

__all__ = [
    "describe_active",
    "describe_newest",
    "describe_start",
    "name_verdict",
    "print_report",
    "print_trial",
]

_MOST_LOG = 2000  # characters
_UNTOLD = "why, its owner and the organiser are told"


def name_verdict(version: bot_pb2.BotVersion) -> Text:
    """Return the result of a version's trial, in a word or two."""
    if not version.HasField("trial"):
        return Text("cut short")
    if version.trial.passed:
        return Text("passed")
    return Text("passed in part" if version.qualified else "failed", style="bold red")


def describe_newest(bot: bot_pb2.Bot) -> str:
    """Return the newest version, and in brackets the entering one if that is another."""
    newest, active = bot.versions[-1].version, bot.active_version
    return str(newest) if active in (0, newest) else f"{newest} ({active})"


def describe_active(bot: bot_pb2.Bot) -> str:
    """Say which version enters tournaments, and why."""
    if bot.retired:
        return f"{bot.name} is retired: it enters nothing."
    if bot.chosen_version:
        back = f"back to the newest qualified one with `mazzo bots activate {bot.name} newest`"
        number = bot.chosen_version
        if not bot.active_version:
            return f"Version {number} was chosen and is not qualified, so none enters; {back}."
        return f"Version {number} enters tournaments, as chosen; {back}."
    if not bot.active_version:
        return f"No version of {bot.name} is qualified: it cannot enter any tournament."
    return f"Version {bot.active_version} enters tournaments: the newest one that is qualified."


def print_trial(bot: bot_pb2.Bot, version: bot_pb2.BotVersion, *, path: str = "PATH") -> None:
    """Print what became of a version, and the report of its trial; the bot lies at `path`."""
    trial, name = version.trial, bot.name
    stored = f"{name} version {version.version} is stored ({version.content_hash[:12]})"
    if not version.HasField("trial"):
        console.print(
            f"{stored}; its trial was broken off: play it with `mazzo bots trial {name}"
            + ("`." if version == bot.versions[-1] else f" --version {version.version}`.")
        )
        return
    console.print(f"{stored}; {describe_start(trial)}.")
    print_report(version, again=f"mazzo check {path} --seed {trial.seed}")


def describe_start(trial: bot_pb2.Trial) -> str:
    """Say how long the bot took to start."""
    seconds = trial.start_up_seconds
    return f"ready after {seconds:.2f} s" if seconds else "never ready"


def print_report(version: bot_pb2.BotVersion, *, again: str, ask: str = "") -> None:
    """Print what was tried, what passed and what failed, and how to fix it.

    `again` is the command that plays the same trial once more, at home; `ask`, where there is one,
    asks the bot in the positions where it failed.
    """
    trial = version.trial
    for match in trial.matches:
        if match.passed:
            each = f"{match.decision_seconds * 1000:.1f} ms each"
            _say(True, f"{match.variant}: {match.decisions} decisions, {each}")
        else:
            _say(False, f"{match.variant}: {clean(match.reason) or _UNTOLD}", match.advice)
    for check in trial.checks:
        left_out = f", {check.left_out} left out for lack of time" if check.left_out else ""
        _say(not check.failures, f"{check.name}: {check.tried}{left_out}")
        for failure in check.failures:
            # The reason speaks to the seat.
            seat = f", seat {failure.seat}" if failure.reason else ""
            where = f"{failure.variant}{seat}: " if failure.variant else ""
            _say(None, f"{where}{clean(failure.reason) or _UNTOLD}", failure.advice)
    if not trial.passed:
        _print_failed(version, again, ask)


def _print_failed(version: bot_pb2.BotVersion, again: str, ask: str) -> None:
    fit = ", ".join(version.qualified)
    may = f"it may enter {fit} alone" if fit else "it cannot enter any tournament"
    console.print(Text(f"The trial failed: {may}.", style="bold red"))
    trial = version.trial
    if trial.log:
        console.print("The end of what it wrote:")
        console.print(clean(trial.log[-_MOST_LOG:], lines=True).rstrip(), soft_wrap=True)
    if ask:
        console.print("To ask the bot again where it failed:")
        console.print(f"  {ask}", soft_wrap=True)
    is_told = any(match.reason for match in trial.matches) or any(
        failure.reason for check in trial.checks for failure in check.failures
    )
    if trial.seed and is_told:
        console.print("The same trial again, at home:")
        console.print(f"  {again}", soft_wrap=True)


def _say(passed: bool | None, text: str, advice: str = "") -> None:
    """Print a line of the report, and what to fix; None continues the line before."""
    if passed is None:
        mark = Text("    ")
    elif passed:
        mark = Text("ok  ", style="green")
    else:
        mark = Text("FAIL", style="bold red")
    console.print(Text.assemble("  ", mark, f" {text}"))
    if advice:
        console.print(Padding(Text(f"mend: {clean(advice)}"), (0, 0, 0, 7), expand=False))
