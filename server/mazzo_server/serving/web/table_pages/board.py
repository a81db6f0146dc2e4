"""What a person at a table sees: the table from its seat, and what can be done there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from mazzo.cards import Card
from mazzo.game import Action, MatchProgress, Trick, View
from mazzo.match import MatchFormat
from mazzo_server.results.commentary import (
    Line,
    list_action_remarks,
    list_card_remarks,
    make_distinct_names,
    make_fact_lines,
    make_score_lines,
    name_card,
    sort_cards,
)
from mazzo_server.serving.web.cards import draw_back, draw_card, draw_symbols, render_lines
from mazzo_server.serving.web.table_pages.seat_players import AskedDecision

__all__ = ["PlayBoard", "make_board"]

_MOST_BACKS = 12  # cards of one hand that are drawn from behind


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """Something that can be done."""

    action: int
    text: str
    remark: str
    is_hint: bool  # a strong player would do it


@dataclass(frozen=True, slots=True, kw_only=True)
class _HeldCard:
    """A card in the person's own hand."""

    face: Markup
    name: str
    remark: str
    action: int | None  # that plays it; None: it cannot be played now
    is_hint: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _OtherSeat:
    """What is seen of another seat."""

    name: str
    cards: list[Markup]
    told: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _ShownTrick:
    """A trick: whose card is which, and who wins."""

    is_over: bool
    laid: list[tuple[Markup, str, bool]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayBoard:
    """The table as the person in a seat sees it."""

    place: str
    number: int  # of the decision
    seconds: float  # that are left for it
    symbols: Markup
    facts: list[tuple[str, Markup]]
    story: list[tuple[str, Markup]]  # since the person's last decision
    partners: list[str]  # of the person, for the whole match
    others: list[_OtherSeat]
    tricks: list[_ShownTrick]
    hand: list[_HeldCard]
    choices: list[_Choice]  # that play no card of the hand


def make_board(
    question: AskedDecision,
    names: Sequence[str],
    *,
    earlier: View | None,
    before: MatchProgress | None = None,
    chosen: Action | None = None,
    is_open: bool,
    hint: int | None = None,
) -> PlayBoard:
    """Return the table at a question; `is_open`: nobody has answered it yet.

    `earlier` is the view of the question before, if there was one, `before` the match as it stood
    when the deal before this one began, `chosen` the answer, and `hint` the action that a strong
    player would take, if it is to be told.
    """
    view, names = question.view, make_distinct_names(names)
    facts = [*make_score_lines(view, names, before=before), *make_fact_lines(view, names)]
    story = _tell_since(view, earlier, names)
    if chosen is not None and chosen.card is not None:
        view = _play_card(view, chosen.card)
    trick = view.trick
    if len(trick.cards) == len(trick.seats) and trick.winner_so_far is not None:
        trick = replace(trick, winner=trick.winner_so_far[0])
    tricks = [trick for trick in (trick, *view.tricks[-1:]) if trick.cards]
    if trick.winner is not None:
        tricks = [trick]  # it is the last one now
    legal = list(view.legal) if is_open else []
    by_card = {action.card: action for action in legal if action.card is not None}
    hand = sort_cards(view, [*view.hand, *(card for card in by_card if card not in view.hand)])
    shown = {*hand, *(card for trick in tricks for card in trick.cards)}
    shown.update(part for line in (*facts, *story) for part in line.parts if isinstance(part, Card))
    others = [seat for seat in range(view.players) if seat != view.seat]
    shown.update(card for seat in others for card in view.known(seat))
    return PlayBoard(
        place=f"{_describe_deal(view.match)}, trick {len(view.trick_winners) + 1}",
        number=view.number,
        seconds=question.left,
        symbols=draw_symbols(view.variant.game.pack, shown, with_back=True),
        facts=render_lines(facts, with_faces=True),
        story=render_lines(story),
        partners=[
            names[seat]
            for side in view.variant.sides
            if view.seat in side
            for seat in side
            if seat != view.seat
        ],
        others=[_describe_other(view, seat, names) for seat in others],
        tricks=[_describe_trick(trick, names) for trick in tricks],
        hand=[_describe_held(view, card, by_card.get(card), hint) for card in hand],
        choices=[
            _Choice(
                action=int(action),
                text=action.code,
                remark=list_action_remarks(view, action),
                is_hint=int(action) == hint,
            )
            for action in legal
            if action.card is None
        ],
    )


def _describe_deal(progress: MatchProgress) -> str:
    """Return which deal of the match it is, and when the match ends."""
    deal, match_format = progress.deal + 1, MatchFormat.parse(progress.format)
    if match_format.kind == "deals":
        return f"Deal {deal} of {match_format.number}"
    if match_format.kind == "best-of":  # drawn deals are played again, and count for none
        return f"Deal {deal}, best of {match_format.number}"
    return f"Deal {deal}, to {match_format.number} points"


def _play_card(view: View, card: Card) -> View:
    """Return the view with a card laid to the trick on the table by the seat that sees it."""
    return replace(
        view,
        hand_mask=view.hand_mask & ~(1 << card),
        trick_cards=view.trick_cards + bytes([card]),
    )


def _describe_held(view: View, card: Card, action: Action | None, hint: int | None) -> _HeldCard:
    return _HeldCard(
        face=draw_card(card),
        name=name_card(card),
        remark=list_card_remarks(view, card) if action is not None else "",
        action=None if action is None else int(action),
        is_hint=action is not None and int(action) == hint,
    )


def _describe_other(view: View, seat: int, names: Sequence[str]) -> _OtherSeat:
    known = sort_cards(view, view.known(seat))
    hidden = view.hand_counts[seat] - len(known)
    cards = [draw_card(card) for card in known] + [draw_back()] * min(hidden, _MOST_BACKS)
    told = f"{hidden} hidden card{'' if hidden == 1 else 's'}" if hidden else ""
    return _OtherSeat(
        name=names[seat], cards=cards, told=told if view.hand_counts[seat] else "no cards"
    )


def _describe_trick(trick: Trick, names: Sequence[str]) -> _ShownTrick:
    best = trick.winner_so_far
    return _ShownTrick(
        is_over=trick.winner is not None,
        laid=[
            (draw_card(card), names[seat], best is not None and seat == best[0])
            for seat, card in trick.plays
        ],
    )


def _tell_since(view: View, earlier: View | None, names: Sequence[str]) -> list[Line]:
    """Tell what was done since the person's last decision, or since the deal began."""
    begins = earlier is None or earlier.match != view.match
    done = 0 if begins or earlier is None else len(earlier.actors)
    lines = []
    for index in range(done, len(view.actors)):
        action = view.variant.game.actions[view.actions[index]]
        card, said = action.card, action.code.replace(":", " ")
        parts = (said,) if card is None else ("plays ", card)
        lines.append(Line(label=names[view.actors[index]], parts=parts))
    return lines
