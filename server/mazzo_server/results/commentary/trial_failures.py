"""Joins equal failures of a trial into one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from mazzo.v1 import bot_pb2

__all__ = ["Failure", "find_failures"]

_Part: TypeAlias = bot_pb2.TrialMatch | bot_pb2.TrialFailure
_ENDS = ("crashed", "left", "malformed-answer")  # terminations for which the reason says how


@dataclass(slots=True, kw_only=True)
class Failure:
    """One failure, in all the variants in which a bot fails in this way."""

    kind: str  # of the situation where it was found first; "": a match
    first: bot_pb2.TrialMatch | bot_pb2.TrialFailure
    others: list[str] = field(default_factory=list)  # the variants after the first


def find_failures(trial: bot_pb2.Trial) -> list[Failure]:
    """Return the failures of a trial, in the order in which they were found.

    Two are the same when a program fails for the same reason, with an error of the same type that
    was raised at the same place. One whose reason is not told, or that counts against every
    variant, stands for itself.
    """
    found: dict[tuple[object, ...], Failure] = {}
    for number, (kind, part) in enumerate(_list_parts(trial)):
        key = _make_key(part) if part.reason and part.variant else (number,)
        failure = found.setdefault(key, Failure(kind=kind, first=part))
        if part.variant not in (failure.first.variant, *failure.others):
            failure.others.append(part.variant)
    return list(found.values())


def _list_parts(trial: bot_pb2.Trial) -> Iterator[tuple[str, _Part]]:
    """Yield the parts that failed with the kind of situation, "" for a match."""
    for match in trial.matches:
        if not match.passed:
            yield "", match
    for check in trial.checks:
        for failure in check.failures:
            yield check.name, failure


def _make_key(part: _Part) -> tuple[object, ...]:
    error = part.error
    where = [(frame.file, frame.line) for frame in error.frames[:1]]
    # The rest of the error's text, and the reason of an illegal action, may name cards.
    by_reason = not where and part.termination in ("", *_ENDS)
    reason = part.reason if by_reason else ""
    return part.termination, reason, part.advice, error.text.partition(":")[0], *where
