"""Asks a bot again in the positions where it failed its trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import typer

from mazzo.errors import BadRecordError, VariantError
from mazzo.game import View
from mazzo.record import DEAL_FORMAT
from mazzo_server.cli.text.lines import print_lines
from mazzo_server.cli.text.output import console, print_json
from mazzo_server.errors import InvalidInputError
from mazzo_server.home import (
    HomeBotError,
    RecordedDecision,
    find_home_bot,
    parse_position,
    play_decision,
)
from mazzo_server.results.commentary import Line, clean, make_table_lines

__all__ = ["has_positions", "make_view_lines", "play_positions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    position: int  # from 1
    decision: RecordedDecision
    now: str | None  # code of the action; None: it fails
    note: str  # what the bot logged
    error: str  # "": it does not fail

    def to_json(self) -> dict[str, Any]:
        view = self.decision.view
        return {
            "position": self.position,
            "variant": view.variant.text,
            "seat": view.seat,
            "view": view.to_json(),
            "now": self.now,
            "note": self.note or None,
            "error": self.error or None,
        }


def has_positions(lines: Sequence[str]) -> bool:
    """Tell whether these lines hold positions of a trial, and no match record."""
    return bool(lines) and DEAL_FORMAT in lines[0]


def make_view_lines(view: View, names: Sequence[str]) -> list[Line]:
    """Return what a seat knows at a decision, and what it may do."""
    legal = ", ".join(action.code for action in view.legal)
    return [*make_table_lines(view, tuple(names)), Line(label="Legal", parts=(legal,))]


def play_positions(
    file: str, lines: Sequence[str], given: str, *, only: int | None, as_json: bool
) -> None:
    """Let a bot decide in each position, or in one; the status is 1 if it fails again.

    Raises `InvalidInputError` for positions and bots that are none.
    """
    decisions = [_parse(file, number, line) for number, line in enumerate(lines, 1)]
    if only is not None and only > len(decisions):
        raise InvalidInputError(
            f"--only: expected a position of {file}, from 1 to {len(decisions)}, got {only}"
        )
    answers = []
    for number, decision in enumerate(decisions, 1):
        if only not in (None, number):
            continue
        if not as_json:
            _tell_position(decision.view, f"Position {number} of {len(decisions)}")
        answers.append(_play_position(number, decision, given))
        if not as_json:
            _tell_answer(answers[-1])
    if as_json:
        print_json([answer.to_json() for answer in answers])
    if any(answer.error for answer in answers):
        raise typer.Exit(1)


def _parse(file: str, number: int, line: str) -> RecordedDecision:
    try:
        return parse_position(line)
    except (BadRecordError, VariantError) as error:
        raise InvalidInputError(f"{file}, line {number}: {error}") from error


def _tell_position(view: View, title: str) -> None:
    console.print(f"{title}: {view.variant}, seat {view.seat}, its decision {view.number}")
    print_lines(make_view_lines(view, [f"seat {seat}" for seat in range(view.players)]), console)


def _play_position(number: int, decision: RecordedDecision, given: str) -> _Answer:
    bot = find_home_bot(given, decision.view.variant)
    now, note, failure = None, "", ""
    try:
        action, note = play_decision(decision, bot)
        now = decision.view.variant.game.actions[action].code
    except HomeBotError as error:
        failure = str(error)
    return _Answer(position=number, decision=decision, now=now, note=note, error=failure)


def _tell_answer(answer: _Answer) -> None:
    told = [("Log", answer.note), ("Now", answer.now or ""), ("Fails", answer.error)]
    print_lines([Line(label=label, parts=(clean(text),)) for label, text in told if text], console)
    console.print()
