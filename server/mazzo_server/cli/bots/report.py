"""Prints the report of a trial: what was tried, what failed, what to mend, and the verdict."""

from __future__ import annotations

import typer
from rich.text import Text

from mazzo.v1 import bot_pb2
from mazzo_server.cli.text.output import console
from mazzo_server.results.commentary import (
    clean,
    describe_trial_needs,
    find_failures,
    list_findings,
)

__all__ = ["fail_unless_passed", "print_report", "print_verdict"]

_MARGIN = "       "  # before the lines about a failure


def print_report(
    version: bot_pb2.BotVersion, *, again: str, ask: str = "", logs: str = "", verbose: bool = False
) -> None:
    """Print what was tried, what passed and what failed, and how to mend it.

    `again` is the command that plays the same trial once more, at home; `ask`, where there is one,
    asks the bot in the positions where it failed, and `logs` shows what the bot wrote. That is
    shown here if `verbose`.
    """
    trial = version.trial
    for finding in list_findings(trial):
        _print_line(finding.passed, finding.text)
        for detail in finding.details:
            _print_part(detail)
    if trial.passed:
        if needs := describe_trial_needs(trial):
            console.print(needs)
    else:
        is_told = any(failure.first.reason for failure in find_failures(trial))
        _print_help(trial, again=again if is_told else "", ask=ask, logs=logs, verbose=verbose)


def print_verdict(name: str, version: bot_pb2.BotVersion) -> None:
    """Print whether a version passes its trial, and what it may enter."""
    if version.trial.passed:
        console.print(Text(f"{name} passes its trial.", style="green"))
        return
    fit = ", ".join(version.qualified)
    may = f"it may enter {fit} alone" if fit else "it cannot enter any tournament"
    console.print(Text(f"{name} fails its trial: {may}.", style="bold red"))


def fail_unless_passed(version: bot_pb2.BotVersion) -> None:
    """End the command with status 1 if the version did not pass its trial."""
    if not version.trial.passed:
        raise typer.Exit(1)


def _print_help(trial: bot_pb2.Trial, *, again: str, ask: str, logs: str, verbose: bool) -> None:
    if trial.log and verbose:
        console.print("What it wrote when it failed first:")
        console.print(clean(trial.log, lines=True).rstrip(), soft_wrap=True)
    elif trial.log and logs:
        console.print(f"What it wrote, with the frames of Mazzo: {logs}", soft_wrap=True)
    if ask:
        console.print("To ask the bot again where it failed:")
        console.print(f"  {ask}", soft_wrap=True)
    if trial.seed and again:
        more = "" if verbose or logs else "; with --verbose it shows all that the bot wrote"
        console.print(f"The same trial again, at home{more}:")
        console.print(f"  {again}", soft_wrap=True)


def _print_part(text: str) -> None:
    _print_wrapped(Text(_MARGIN), text)


def _print_line(passed: bool, text: str) -> None:
    """Print a line of the report."""
    mark = Text("  ok   ", style="green") if passed else Text("  FAIL ", style="bold red")
    _print_wrapped(mark, text)


def _print_wrapped(before: Text, text: str) -> None:
    """Print a text after something as wide as the margin, which its further lines have."""
    for line in Text(text).wrap(console, max(console.width - len(_MARGIN), 20)):
        line.rstrip()
        console.print(Text.assemble(before, line), soft_wrap=True)
        before = Text(_MARGIN)
