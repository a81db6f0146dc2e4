"""Prints the report of a trial: what was tried, what failed, what to mend, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence

from rich.padding import Padding
from rich.text import Text

from mazzo.v1 import bot_pb2
from mazzo_server.cli.bots.failures import Failure, find_failures
from mazzo_server.cli.text.output import console
from mazzo_server.results.commentary import clean

__all__ = ["print_report", "print_verdict"]

_MOST_LOG = 2000  # characters, unless all is wanted
_MIB = 1024 * 1024
_UNTOLD = "why, its owner and the organiser are told"
_MARGIN = 7  # columns before what is told of a failure


def print_report(
    version: bot_pb2.BotVersion, *, again: str, ask: str = "", logs: str = "", verbose: bool = False
) -> None:
    """Print what was tried, what passed and what failed, and how to mend it.

    `again` is the command that plays the same trial once more, at home; `ask`, where there is one,
    asks the bot in the positions where it failed. All that the bot wrote is shown if `verbose`, or
    else by the command `logs`, "": by the same one with --verbose.
    """
    trial = version.trial
    failures = find_failures(trial)
    for match in trial.matches:
        if match.passed:
            _say(True, f"{match.variant}: {_describe_pace(match)}")
    _print_failures([one for one in failures if not one.kind])
    for check in trial.checks:
        left_out = f", {check.left_out} left out for lack of time" if check.left_out else ""
        _say(not check.failures, f"{check.name}: {check.tried}{left_out}")
        own = [one for one in failures if one.kind == check.name]
        for failure in own:
            where = _describe_place(failure.first)
            _print_part(f"{where}{clean(failure.first.reason) or _UNTOLD}")
            _print_details(failure)
        if check.failures and not own:
            _print_part("the same as above")
    if trial.passed:
        _print_needs(trial)
    else:
        _print_help(trial, failures, again=again, ask=ask, logs=logs, verbose=verbose)


def print_verdict(name: str, version: bot_pb2.BotVersion) -> None:
    """Print whether a version passes its trial, and what it may enter."""
    if version.trial.passed:
        console.print(Text(f"{name} passes its trial.", style="green"))
        return
    fit = ", ".join(version.qualified)
    may = f"it may enter {fit} alone" if fit else "it cannot enter any tournament"
    console.print(Text(f"{name} fails its trial: {may}.", style="bold red"))


def _describe_pace(match: bot_pb2.TrialMatch) -> str:
    each = f"{match.decision_seconds * 1000:.1f} ms each"
    if match.longest_seconds:  # older reports do not have it
        each += f" (at most {match.longest_seconds * 1000:.1f} ms)"
    return f"{match.decisions} decisions, {each}"


def _describe_place(told: bot_pb2.TrialMatch | bot_pb2.TrialFailure) -> str:
    # The reason speaks to the seat.
    seat = f", seat {told.seat}" if told.reason else ""
    return f"{told.variant}{seat}: " if told.variant else ""


def _print_failures(failures: Sequence[Failure]) -> None:
    for failure in failures:
        _say(False, f"{failure.first.variant}: {clean(failure.first.reason) or _UNTOLD}")
        _print_details(failure)


def _print_details(failure: Failure) -> None:
    """Print the error of a failure, the variants that it hit, and what to mend."""
    first = failure.first
    if first.error.text:
        _print_part(clean(first.error.text))
    for frame in first.error.frames:
        function = f", in {clean(frame.function)}" if frame.function else ""
        code = f": {clean(frame.code)}" if frame.code else ""
        _print_part(f"  {clean(frame.file)}, line {frame.line}{function}{code}")
    if first.advice:
        _print_part(f"mend: {clean(first.advice)}")
    if failure.others:
        _print_part(f"the same in {', '.join(failure.others)}")


def _print_needs(trial: bot_pb2.Trial) -> None:
    """Print how near the bot came to its limits."""
    limits = trial.limits
    longest = max((match.longest_seconds for match in trial.matches), default=0.0)
    if not trial.HasField("limits"):
        return
    needs = [
        f"Start {trial.start_up_seconds:.2f} s of {limits.start_up_seconds:g} s",
        f"longest decision {longest:.3f} s of {limits.decision_seconds:g} s",
    ]
    if trial.memory_bytes:
        most, limit = trial.memory_bytes / _MIB, limits.memory_bytes // _MIB
        needs.append(f"memory {most:.0f} of {limit} MiB")
    console.print(f"{'; '.join(needs)}.")


def _print_help(
    trial: bot_pb2.Trial,
    failures: Sequence[Failure],
    *,
    again: str,
    ask: str,
    logs: str,
    verbose: bool,
) -> None:
    is_read = all(failure.first.error.text for failure in failures)
    if trial.log and (verbose or not is_read):
        console.print("What it wrote:" if verbose else "The end of what it wrote:")
        shown = trial.log if verbose else trial.log[-_MOST_LOG:]
        console.print(clean(shown, lines=True).rstrip(), soft_wrap=True)
    elif trial.log:
        shows = f"`{logs}`" if logs else "the same command with --verbose"
        console.print(f"All that it wrote, and the frames of Mazzo: {shows}", soft_wrap=True)
    if ask:
        console.print("To ask the bot again where it failed:")
        console.print(f"  {ask}", soft_wrap=True)
    if trial.seed and any(failure.first.reason for failure in failures):
        console.print("The same trial again, at home:")
        console.print(f"  {again}", soft_wrap=True)


def _print_part(text: str) -> None:
    console.print(Padding(Text(text), (0, 0, 0, _MARGIN), expand=False))


def _say(passed: bool, text: str) -> None:
    """Print a line of the report."""
    mark = Text("ok  ", style="green") if passed else Text("FAIL", style="bold red")
    console.print(Text.assemble("  ", mark, f" {text}"))
