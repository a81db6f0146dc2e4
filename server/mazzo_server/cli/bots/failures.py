"""Gathers the failures of a trial: what is the same failure is told once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from mazzo.v1 import bot_pb2

__all__ = ["Failure", "find_failures"]

_Told: TypeAlias = bot_pb2.TrialMatch | bot_pb2.TrialFailure


@dataclass(slots=True, kw_only=True)
class Failure:
    """One failure, in all the variants in which a bot fails in this way."""

    kind: str  # of the situation where it was found first; "": a match
    first: bot_pb2.TrialMatch | bot_pb2.TrialFailure
    others: list[str] = field(default_factory=list)  # the variants after the first


def find_failures(trial: bot_pb2.Trial) -> list[Failure]:
    """Return the failures of a trial, in the order in which they were found.

    Two are the same when a program fails for the same reason, with an error of the same type that
    was raised at the same place.
    """
    found: dict[tuple[object, ...], Failure] = {}
    for kind, told in _list_told(trial):
        failure = found.setdefault(_make_key(told), Failure(kind=kind, first=told))
        if told.variant not in (failure.first.variant, *failure.others):
            failure.others.append(told.variant)
    return list(found.values())


def _list_told(trial: bot_pb2.Trial) -> Iterator[tuple[str, _Told]]:
    """Yield the failures with the kind of situation, "" for a match."""
    for match in trial.matches:
        if not match.passed:
            yield "", match
    for check in trial.checks:
        for failure in check.failures:
            yield check.name, failure


def _make_key(told: _Told) -> tuple[object, ...]:
    error = told.error
    where = [(frame.file, frame.line) for frame in error.frames[:1]]
    # The rest of the text may name cards.
    return told.termination or told.reason, told.advice, error.text.partition(":")[0], *where
