"""Asks a bot again in the positions where it failed its trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import typer

from mazzo.errors import BadRecordError, MatchFormatError, VariantError
from mazzo.fields import read_line
from mazzo.game import Action, View
from mazzo.record import DEAL_FORMAT
from mazzo_server.cli.text.lines import print_lines
from mazzo_server.cli.text.output import console, print_json
from mazzo_server.errors import InvalidInputError
from mazzo_server.home import (
    HomeBot,
    HomeBotError,
    RecordedDecision,
    find_home_bot,
    parse_position,
    play_decision,
)
from mazzo_server.results.commentary import (
    Line,
    Part,
    clean,
    join_parts,
    list_choices,
    make_part,
    make_table_lines,
)

__all__ = ["has_positions", "make_view_lines", "play_positions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    position: int  # from 1
    decision: RecordedDecision
    now: Action | None  # None: it fails
    note: str  # what the bot logged
    error: str  # "": it does not fail

    def to_json(self) -> dict[str, Any]:
        view = self.decision.view
        return {
            "position": self.position,
            "variant": view.variant.text,
            "seat": view.seat,
            "view": view.to_json(),
            "now": None if self.now is None else self.now.code,
            "note": self.note or None,
            "error": self.error or None,
        }


def has_positions(lines: Sequence[str]) -> bool:
    """Tell whether these lines hold positions of a trial, and no match record."""
    first = next((line for line in lines if line.strip()), "")
    try:
        value = read_line(first)
    except BadRecordError:
        return False
    return isinstance(value, dict) and value.get("format") == DEAL_FORMAT


def make_view_lines(view: View, names: Sequence[str]) -> list[Line]:
    """Return what a seat knows at a decision, and what it may do."""
    legal = join_parts([choice] for choice in list_choices(view))
    return [*make_table_lines(view, tuple(names)), Line(label="Legal", parts=tuple(legal))]


def play_positions(
    file: str, lines: Sequence[str], given: str, *, only: int | None, as_json: bool
) -> None:
    """Let a bot decide in each position, or in one; the status is 1 if it fails again.

    Raises `InvalidInputError` for positions and bots that are none.
    """
    decisions = [_parse(file, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if only is not None and only > len(decisions):
        raise InvalidInputError(
            f"--only: expected a position of {file}, from 1 to {len(decisions)}, got {only}"
        )
    chosen = [
        (number, decision) for number, decision in enumerate(decisions, 1) if only in (None, number)
    ]
    variants = dict.fromkeys(decision.view.variant for _, decision in chosen)
    bots = {variant: find_home_bot(given, variant) for variant in variants}
    answers = []
    for number, decision in chosen:
        if not as_json:
            _print_position(decision.view, f"Position {number} of {len(decisions)}")
        answers.append(_play_position(number, decision, bots[decision.view.variant]))
        if not as_json:
            _print_answer(answers[-1])
    if as_json:
        print_json([answer.to_json() for answer in answers])
    if any(answer.error for answer in answers):
        raise typer.Exit(1)


def _parse(file: str, number: int, line: str) -> RecordedDecision:
    try:
        return parse_position(line)
    except (BadRecordError, VariantError, MatchFormatError) as error:
        raise InvalidInputError(f"{file}, line {number}: {error}") from error


def _print_position(view: View, title: str) -> None:
    console.print(f"{title}: {view.variant}, seat {view.seat}, its decision {view.number}")
    print_lines(make_view_lines(view, [f"seat {seat}" for seat in range(view.players)]), console)


def _play_position(number: int, decision: RecordedDecision, bot: HomeBot) -> _Answer:
    try:
        taken = play_decision(decision, bot)
    except HomeBotError as error:
        return _Answer(position=number, decision=decision, now=None, note="", error=str(error))
    return _Answer(
        position=number,
        decision=decision,
        now=decision.view.variant.game.actions[taken.action],
        note=taken.note,
        error=taken.lateness,
    )


def _print_answer(answer: _Answer) -> None:
    fields: list[tuple[str, Part]] = [
        ("Log", clean(answer.note)),
        ("Now", "" if answer.now is None else make_part(answer.now)),
        ("Fails", clean(answer.error)),
    ]
    lines = [Line(label=label, parts=(part,)) for label, part in fields if part != ""]
    print_lines(lines, console)
    console.print()
