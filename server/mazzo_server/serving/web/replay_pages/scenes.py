"""A position of a match as a page draws it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from mazzo.cards import Card
from mazzo.game import Trick
from mazzo_server.results.commentary import (
    Line,
    format_number,
    join_runs,
    make_advice_line,
    make_fact_lines,
)
from mazzo_server.results.watching import Decision, Position, WatchedMatch, format_seconds
from mazzo_server.serving.web.cards import Told, draw_back, draw_card, render_lines
from mazzo_server.serving.web.replay_pages.advice import Advice

__all__ = ["Scene", "list_result", "make_scene"]

_MOST_BACKS: Final = 12  # cards of one hand that are drawn from behind


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seat:
    """What is seen of one seat."""

    name: str
    moves: bool
    cards: list[Markup]
    told: str  # what the cards do not say


@dataclass(frozen=True, slots=True, kw_only=True)
class _Laid:
    """A card of a trick."""

    card: Markup
    name: str
    wins: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _LaidTrick:
    """A trick on the table, or the last one."""

    is_over: bool
    laid: list[_Laid]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a watcher sees at a position."""

    place: str  # where in the match it is
    facts: list[Told]
    seats: list[_Seat]  # none at the end of a deal
    tricks: list[_LaidTrick]
    decision: list[Told]  # none at the end of a deal
    choices: list[str]  # that play no card
    story: list[Told]  # what led to it
    shown: set[Card]  # the faces that are drawn


def make_scene(match: WatchedMatch, at: Position, advice: Advice | None = None) -> Scene:
    """Return what the watcher of a position sees, with what somebody says of the decision."""
    seen = None if match.is_end(at) else match.look(at)
    view = seen.view if seen else match.view_end(at)
    facts = make_fact_lines(view, match.names)
    tricks = [trick for trick in (view.trick, *view.tricks[-1:]) if trick.cards]
    shown = {card for trick in tricks for card in trick.cards}
    shown.update(part for line in facts for part in line.parts if isinstance(part, Card))
    if seen is not None:
        shown.update(card for hand in seen.hands for card in hand.cards)
    choices = (choice for choice in seen.choices if isinstance(choice, str)) if seen else ()
    return Scene(
        place=_describe_place(match, at),
        facts=render_lines(facts, with_faces=True),
        seats=_list_seats(match, seen, _find_card(match, advice)) if seen else [],
        tricks=[_describe_trick(trick, match.names) for trick in tricks],
        decision=[
            *(_describe_decision(match, seen) if seen else []),
            *(render_lines([_describe_advice(match, at, advice)]) if advice else []),
        ],
        choices=list(join_runs(choices)),
        story=render_lines(seen.story if seen else match.tell_end(at)),
        shown=shown,
    )


def _describe_place(match: WatchedMatch, at: Position) -> str:
    deal = f"Deal {at.deal + 1} of {len(match.steps)}"
    if match.is_end(at):
        return f"{deal}, the end"
    trick = match.tricks[at.deal][at.step] + 1
    return f"{deal}, trick {trick}, decision {at.step + 1} of {len(match.steps[at.deal])}"


def _find_card(match: WatchedMatch, advice: Advice | None) -> Card | None:
    if advice is None or advice.action is None:
        return None
    return match.record.variant.game.actions[advice.action].card


def _describe_advice(match: WatchedMatch, at: Position, advice: Advice) -> Line:
    if advice.action is None:
        return Line(label=advice.by.capitalize(), parts=(advice.problem,))
    choice = match.record.variant.game.actions[advice.action]
    return make_advice_line(advice.by, choice, match.steps[at.deal][at.step].action)


def _list_seats(match: WatchedMatch, seen: Decision, advised: Card | None) -> list[_Seat]:
    legal = {choice for choice in seen.choices if isinstance(choice, Card)}
    seats = []
    for seat, (name, hand) in enumerate(zip(match.names, seen.hands, strict=True)):
        moves = seat == seen.step.seat
        drawn = []
        for card in hand.cards:
            kinds = ["legal"] if moves and card in legal else []
            kinds += ["played"] if moves and card == seen.card else []
            kinds += ["advised"] if moves and card == advised != seen.card else []
            drawn.append(draw_card(card, " ".join(kinds)))
        hidden = hand.count - len(hand.cards)
        drawn += [draw_back()] * min(hidden, _MOST_BACKS)
        told = f"{hidden} hidden card{'' if hidden == 1 else 's'}" if hidden else ""
        if not hand.count:
            told = "no cards"
        seats.append(_Seat(name=name, moves=moves, cards=drawn, told=told))
    return seats


def _describe_trick(trick: Trick, names: Sequence[str]) -> _LaidTrick:
    best = trick.winner_so_far
    return _LaidTrick(
        is_over=trick.winner is not None,
        laid=[
            _Laid(card=draw_card(card), name=names[seat], wins=best is not None and seat == best[0])
            for seat, card in trick.plays
        ],
    )


def _describe_decision(match: WatchedMatch, seen: Decision) -> list[Told]:
    """Return what was decided, how long that took, and what the bot said of it."""
    step, name = seen.step, match.names[seen.step.seat]
    lines: list[Line] = []
    if step.fault is not None:
        told = f"{name}: {step.fault.termination}"
        if seen.is_open:
            told += f", fault of the {step.fault.owner}: {step.fault.reason}"
        lines.append(Line(label="Forfeit", parts=(told,)))
    if step.action is not None:
        by = ", played by the substitute" if step.by_substitute and seen.is_open else ""
        lines.append(Line(label="Decision", parts=(f"{name} ", *seen.action, by)))
        if seen.is_open and (step.micros or not step.by_substitute):
            taken = f"{format_seconds(step.micros)}, of {seen.bank:.1f} s left for the deal"
            lines.append(Line(label="Time", parts=(taken,)))
    if seen.is_open and step.note:
        lines.append(Line(label="Note", parts=(step.note,)))
    return render_lines(lines)


def list_result(match: WatchedMatch) -> list[tuple[int, int, str, str]]:
    """Return place, seat, name and match score, the best first."""
    record = match.record
    rows = [
        (record.ranking[seat], seat, name, format_number(record.match_scores[seat]))
        for seat, name in enumerate(match.names)
    ]
    return sorted(rows)
