"""Tells what a trial has found: what passed, what failed, and what to mend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from mazzo.v1 import bot_pb2
from mazzo_server.results.commentary.lines import clean
from mazzo_server.results.commentary.trial_failures import Failure, find_failures

__all__ = [
    "TrialFinding",
    "clear_reasons",
    "describe_active",
    "describe_start",
    "describe_trial_needs",
    "find_entering_versions",
    "list_findings",
]

_MOST_LOG = 10  # lines of a failure
_MIB = 1024 * 1024
_OF_OWNER: Final = (
    *("reason", "advice", "seat", "record", "termination", "error", "log"),
)  # fields of a match and of a failure
_WITHHELD = "why, its owner and the organiser are told"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialFinding:
    """What became of one match of a trial, or of one kind of odd situations."""

    passed: bool
    text: str
    details: Sequence[str]  # lines on what failed


def list_findings(trial: bot_pb2.Trial) -> list[TrialFinding]:
    """Return the matches that passed, those that failed, and the kinds of situations."""
    failures = find_failures(trial)
    found = [
        TrialFinding(passed=True, text=f"{match.variant}: {_describe_pace(match)}", details=())
        for match in trial.matches
        if match.passed
    ]
    for failure in failures:
        if not failure.kind:
            text = f"{failure.first.variant}: {_describe_reason(failure)}"
            found.append(TrialFinding(passed=False, text=text, details=[*_list_details(failure)]))
    for check in trial.checks:
        left_out = f", {check.left_out} left out for lack of time" if check.left_out else ""
        own = [failure for failure in failures if failure.kind == check.name]
        details: list[str] = []
        for failure in own:
            details.append(f"{_describe_place(failure)}{_describe_reason(failure)}")
            details += _list_details(failure)
        if check.failures and not own:
            details.append("the same as above")
        text = f"{check.name}: {check.tried}{left_out}"
        found.append(TrialFinding(passed=not check.failures, text=text, details=details))
    return found


def clear_reasons(trial: bot_pb2.Trial) -> bot_pb2.Trial:
    """Return a trial without the parts that only its owner and the organiser may see."""
    shown = bot_pb2.Trial()
    shown.CopyFrom(trial)
    shown.ClearField("log")
    for part in (
        *shown.matches,
        *(failure for check in shown.checks for failure in check.failures),
    ):
        for name in _OF_OWNER:
            part.ClearField(name)
    return shown


def describe_start(trial: bot_pb2.Trial) -> str:
    """Say how long the bot took to start."""
    seconds = trial.start_up_seconds
    return f"ready after {seconds:.2f} s" if seconds else "never ready"


def describe_trial_needs(trial: bot_pb2.Trial) -> str:
    """Say how near the bot came to its limits; "" where an older report does not tell."""
    if not trial.HasField("limits"):
        return ""
    limits = trial.limits
    longest = max((match.longest_seconds for match in trial.matches), default=0.0)
    needs = [
        f"Start {trial.start_up_seconds:.2f} s of {limits.start_up_seconds:g} s",
        f"longest decision {longest:.3f} s of {limits.decision_seconds:g} s",
    ]
    if trial.memory_bytes:
        most = f" of {limits.memory_bytes // _MIB}" if limits.memory_bytes else ""
        needs.append(f"memory {trial.memory_bytes / _MIB:.0f}{most} MiB")
    return f"{'; '.join(needs)}."


def describe_active(bot: bot_pb2.Bot) -> str:
    """Say which version enters tournaments, and why."""
    if bot.retired:
        return f"{bot.name} is retired: it enters nothing."
    if bot.chosen_version:
        number = bot.chosen_version
        if not bot.active_version:
            return f"Version {number} was chosen and is not qualified, so none enters."
        return f"Version {number} enters tournaments, as chosen."
    if not bot.active_version:
        return f"No version of {bot.name} is qualified: it cannot enter any tournament."
    told = f"Version {bot.active_version} enters tournaments: the newest one that is qualified."
    older: dict[int, list[str]] = {}
    for variant, version in find_entering_versions(bot).items():
        if version != bot.active_version:
            older.setdefault(version, []).append(variant)
    for version, variants in older.items():
        told += (
            f" Version {version} still enters {', '.join(variants)}, which version "
            f"{bot.active_version} did not pass."
        )
    return told


def find_entering_versions(bot: bot_pb2.Bot) -> dict[str, int]:
    """Return which version enters each variant that the bot plays.

    A variant that the active version claims and did not pass is entered by the newest one that did,
    unless a version was chosen.
    """
    active = next((one for one in bot.versions if one.version == bot.active_version), None)
    if active is None:
        return {}
    found = dict.fromkeys(active.qualified, active.version)
    if bot.chosen_version:
        return found
    for older in reversed(bot.versions):
        for variant in older.qualified if older.version < active.version else ():
            if variant in active.games or variant.partition("/")[0] in active.games:
                found.setdefault(variant, older.version)
    return found


def _describe_pace(match: bot_pb2.TrialMatch) -> str:
    each = f"{match.decision_seconds * 1000:.1f} ms each"
    if match.longest_seconds:  # older reports do not have it
        each += f" (at most {match.longest_seconds * 1000:.1f} ms)"
    return f"{match.decisions} decisions, {each}"


def _describe_place(failure: Failure) -> str:
    # The reason speaks to the seat.
    seat = f", seat {failure.first.seat}" if failure.first.reason else ""
    return f"{failure.first.variant}{seat}: " if failure.first.variant else ""


def _describe_reason(failure: Failure) -> str:
    return clean(failure.first.reason) or _WITHHELD


def _list_details(failure: Failure) -> Iterator[str]:
    """Yield the error of a failure, what to mend, and the other variants that it hit."""
    first = failure.first
    if first.error.text:
        yield clean(first.error.text)
    for frame in first.error.frames:
        function = f", in {clean(frame.function)}" if frame.function else ""
        code = f": {clean(frame.code)}" if frame.code else ""
        yield f"  {clean(frame.file)}, line {frame.line}{function}{code}"
    for line in clean(first.log, lines=True).splitlines()[-_MOST_LOG:]:
        yield f"| {line}"
    if first.advice:
        yield f"mend: {clean(first.advice)}"
    if failure.others:
        yield f"the same in {', '.join(failure.others)}"
