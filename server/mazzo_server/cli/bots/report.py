"""Prints the report of a trial: what was tried, what failed, what to mend, and the verdict."""

from __future__ import annotations

import typer
from rich.text import Text

from mazzo.v1 import bot_pb2
from mazzo_server.cli.bots.failures import Failure, find_failures
from mazzo_server.cli.text.output import console
from mazzo_server.results.commentary import clean

__all__ = ["fail_unless_passed", "print_report", "print_verdict"]

_MOST_LOG = 10  # lines of a failure
_MIB = 1024 * 1024
_WITHHELD = "why, its owner and the organiser are told"
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
    failures = find_failures(trial)
    for match in trial.matches:
        if match.passed:
            _print_line(True, f"{match.variant}: {_describe_pace(match)}")
    for failure in failures:
        if not failure.kind:
            reason = clean(failure.first.reason) or _WITHHELD
            _print_line(False, f"{failure.first.variant}: {reason}")
            _print_details(failure)
    for check in trial.checks:
        left_out = f", {check.left_out} left out for lack of time" if check.left_out else ""
        _print_line(not check.failures, f"{check.name}: {check.tried}{left_out}")
        own = [one for one in failures if one.kind == check.name]
        for failure in own:
            _print_part(f"{_describe_place(failure)}{clean(failure.first.reason) or _WITHHELD}")
            _print_details(failure)
        if check.failures and not own:
            _print_part("the same as above")
    if trial.passed:
        _print_needs(trial)
    else:
        is_told = any(failure.first.reason for failure in failures)
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


def _describe_pace(match: bot_pb2.TrialMatch) -> str:
    each = f"{match.decision_seconds * 1000:.1f} ms each"
    if match.longest_seconds:  # older reports do not have it
        each += f" (at most {match.longest_seconds * 1000:.1f} ms)"
    return f"{match.decisions} decisions, {each}"


def _describe_place(failure: Failure) -> str:
    # The reason speaks to the seat.
    seat = f", seat {failure.first.seat}" if failure.first.reason else ""
    return f"{failure.first.variant}{seat}: " if failure.first.variant else ""


def _print_details(failure: Failure) -> None:
    """Print the error of a failure, the variants that it hit, and what to mend."""
    first = failure.first
    if first.error.text:
        _print_part(clean(first.error.text))
    for frame in first.error.frames:
        function = f", in {clean(frame.function)}" if frame.function else ""
        code = f": {clean(frame.code)}" if frame.code else ""
        _print_part(f"  {clean(frame.file)}, line {frame.line}{function}{code}")
    for line in clean(first.log, lines=True).splitlines()[-_MOST_LOG:]:
        _print_part(f"| {line}")
    if first.advice:
        _print_part(f"mend: {clean(first.advice)}")
    if failure.others:
        _print_part(f"the same in {', '.join(failure.others)}")


def _print_needs(trial: bot_pb2.Trial) -> None:
    """Print how near the bot came to its limits."""
    limits = trial.limits
    longest = max((match.longest_seconds for match in trial.matches), default=0.0)
    if not trial.HasField("limits"):  # an older report
        return
    needs = [
        f"Start {trial.start_up_seconds:.2f} s of {limits.start_up_seconds:g} s",
        f"longest decision {longest:.3f} s of {limits.decision_seconds:g} s",
    ]
    if trial.memory_bytes:
        most = f" of {limits.memory_bytes // _MIB}" if limits.memory_bytes else ""
        needs.append(f"memory {trial.memory_bytes / _MIB:.0f}{most} MiB")
    console.print(f"{'; '.join(needs)}.")


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
