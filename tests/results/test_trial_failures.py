"""Which failures of a trial count as the same one."""

from __future__ import annotations

from typing import Any

import pytest

from mazzo.v1 import bot_pb2
from mazzo_server.results.commentary import find_failures

CRASH = "crashed: its process exited with status 1"


def make_match(
    variant: str,
    reason: str = CRASH,
    *,
    error: str = "",
    line: int = 0,
    termination: str = "crashed",
) -> bot_pb2.TrialMatch:
    match = bot_pb2.TrialMatch(variant=variant, reason=reason, termination=termination)
    if error:
        match.error.text = error
    if line:
        match.error.frames.add(file="bot.py", line=line)
    return match


def told(*matches: bot_pb2.TrialMatch) -> list[list[str]]:
    trial = bot_pb2.Trial(matches=matches)
    return [[failure.first.variant, *failure.others] for failure in find_failures(trial)]


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ({"error": "KeyError: 'Ad'", "line": 3}, {"error": "KeyError: '2c'", "line": 3}, True),
        ({"error": "KeyError: 'Ad'", "line": 3}, {"error": "KeyError: 'Ad'", "line": 4}, False),
        ({"error": "KeyError: 'Ad'", "line": 3}, {"error": "IndexError: 1", "line": 3}, False),
        ({}, {}, True),
        ({}, {"reason": "crashed: its process was killed by signal 11"}, False),
        (
            {"reason": "illegal-action: got 2d", "termination": "illegal-action"},
            {"reason": "illegal-action: got 3d", "termination": "illegal-action"},
            True,
        ),
        ({"reason": ""}, {"reason": ""}, False),
    ],
)
def test_which_are_one(first: dict[str, Any], second: dict[str, Any], same: bool) -> None:
    """Promise: the same reason, type of error and place; nobody guesses what was not told."""
    found = told(make_match("a", **first), make_match("b", **second))
    assert found == ([["a", "b"]] if same else [["a"], ["b"]])


def test_one_against_every_variant_stands_for_itself() -> None:
    match = make_match("a")
    trial = bot_pb2.Trial(matches=[match])
    same = bot_pb2.TrialFailure(reason=match.reason, termination=match.termination)
    trial.checks.add(name="a new start", failures=[same])
    first, second = find_failures(trial)
    assert (first.kind, first.others) == ("", [])
    assert (second.kind, second.first.variant) == ("a new start", "")
