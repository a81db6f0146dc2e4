"""Tells in words what is on the table of any game, and what can be done there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from mazzo.cards import Card
from mazzo.game import Action, Event, Game, MatchProgress, View
from mazzo.games.briscola import BRISCOLA
from mazzo.games.chiamata import CHIAMATA
from mazzo.games.frap import FRAP
from mazzo.games.frusta import FRUSTA
from mazzo.games.tressette import META_MAZZO, PIZZICHINO
from mazzo_server.results.commentary.briscola import BriscolaWords, ChiamataWords
from mazzo_server.results.commentary.frap import FrapWords
from mazzo_server.results.commentary.frusta import FrustaWords
from mazzo_server.results.commentary.lines import (
    Line,
    Part,
    find_exact_score,
    format_number,
    join_parts,
    make_hand_parts,
)
from mazzo_server.results.commentary.tressette import MetaMazzoWords, PizzichinoWords
from mazzo_server.results.commentary.words import Names, Words, list_by_name, read_kind

__all__ = [
    "Tallies",
    "list_action_remarks",
    "list_card_remarks",
    "make_action_parts",
    "make_fact_lines",
    "make_help_lines",
    "make_score_lines",
    "make_table_lines",
    "make_tallies",
    "make_trick_parts",
    "make_words",
]

_WORDS: Final[dict[str, Words[Any]]] = {
    BRISCOLA.id: BriscolaWords(),
    CHIAMATA.id: ChiamataWords(),
    FRAP.id: FrapWords(),
    FRUSTA.id: FrustaWords(),
    META_MAZZO.id: MetaMazzoWords(),
    PIZZICHINO.id: PizzichinoWords(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tallies:
    """The points of all sides for which the game counts any."""

    counted: str  # what the points are
    usual: int  # points of a side in a deal, about
    sides: dict[str, tuple[Fraction, ...]]  # by the side's name, its points at each view


def make_words(game: Game) -> Words[Any]:
    """Return the words of a game."""
    return _WORDS[game.id]


def make_fact_lines(view: View, names: Names) -> list[Line]:
    """Return what is open on the table, except the trick."""
    facts = make_words(view.variant.game).list_facts(view, names)
    return [Line(label=label, parts=tuple(parts)) for label, parts in facts]


def make_action_parts(before: View, after: View, event: Event) -> list[Part]:
    """Return a seat's action in words that follow its name; the views must show the action."""
    if event.action.card is not None:
        return ["plays ", event.action.card]
    said = make_words(after.variant.game).tell_action(before, after, event)
    return [event.action.code] if said is None else said[1]


def make_table_lines(view: View, names: Names) -> list[Line]:
    """Return what a player sees at its turn: the table, what others hold, and its hand."""
    facts = make_words(view.variant.game).list_facts(view, names)
    if view.match.scores and (view.match.deal or any(view.match.scores)):
        facts.insert(0, ("Match", _describe_match(view, names)))
    for seat in range(view.players):
        if seat != view.seat and (known := view.known(seat)):
            facts.append(("Known", [f"{names[seat]} holds ", *make_hand_parts(view, known)]))
    if trick := make_trick_parts(view, names):
        facts.append(("Table", trick))
    elif any(action.card is not None for action in view.legal):
        facts.append(("Table", ["nothing, you lead"]))
    if view.hand_mask:
        facts.append(("Hand", make_hand_parts(view, view.hand)))
    return [Line(label=label, parts=tuple(parts)) for label, parts in facts]


def make_tallies(views: Sequence[View], names: Names) -> Tallies:
    """Return the points at each of the views, which are of one deal, in their order.

    The sides are those that are known at the last one.
    """
    last = views[-1]
    words = make_words(last.variant.game)
    points = [words.count_points(view) for view in views]
    return Tallies(
        counted=words.counted,
        usual=words.usual,
        sides={
            " and ".join(names[seat] for seat in side): tuple(
                Fraction(sum(seats[seat] for seat in side)) for seats in points
            )
            for side in words.list_counted_sides(last)
        },
    )


def make_trick_parts(view: View, names: Names) -> list[Part]:
    """Return the trick on the table: who led and followed, who is winning, and what it is worth."""
    winning = view.winner_so_far
    if winning is None:
        return []
    plays: list[list[Part]] = [[f"{names[seat]} ", card] for seat, card in view.trick.plays]
    plays[0].insert(1, "leads ")
    parts = [*join_parts(plays), f"; {names[winning[0]]} is winning"]
    worth = make_words(view.variant.game).tell_trick_worth(view)
    return [*parts, "; ", *worth] if worth else parts


def make_score_lines(view: View, names: Names, *, before: MatchProgress | None) -> list[Line]:
    """Return what all deals before this one gave, and where scores are summed the last of them.

    `before` is the match as it stood when that one began; None where that is not known.
    """
    now, scores = view.match, [find_exact_score(score) for score in view.match.scores]
    if not now.deal:
        return []
    if view.variant.game.counts_wins:
        return [Line(label="Deals won", parts=(_list_scores(names, scores),))]
    lines = []
    if before is not None and before.deal == now.deal - 1:
        old = map(find_exact_score, before.scores)
        points = [score - earlier for score, earlier in zip(scores, old, strict=True)]
        lines = [Line(label=f"Deal {now.deal}", parts=(_list_scores(names, points),))]
    if now.deal > len(lines):
        lines.append(Line(label="Match so far", parts=(_list_scores(names, scores),)))
    return lines


def _describe_match(view: View, names: Names) -> list[Part]:
    so_far = _list_scores(names, map(find_exact_score, view.match.scores))
    return [f"deal {view.match.deal + 1} of {view.match.format}; {so_far}"]


def _list_scores(names: Names, scores: Iterable[Fraction]) -> str:
    return list_by_name(names, [format_number(score) for score in scores])


def list_card_remarks(view: View, card: Card) -> str:
    """Return what to remind a player of about a card that it can play."""
    words, told = make_words(view.variant.game), []
    if value := words.describe_card(view, card):
        told.append(value)
    if card.suit == getattr(view, "trump", None):
        told.append("trump")
    winning = view.winner_so_far
    if winning is not None and view.beats(card, winning[1]):
        told.append("would be winning")
    return ", ".join(told)


def list_action_remarks(view: View, action: Action) -> str:
    """Return what a legal action does that plays no card."""
    words = make_words(view.variant.game)
    return words.explain_action(view, action) or _explain_kind(words, read_kind(action))


def _explain_kind(words: Words[Any], kind: str) -> str:
    """Return what actions of a kind do."""
    return next(
        text
        for codes, text in words.moves
        if kind in {code.partition(":")[0] for code in codes.split(", ")}
    )


def make_help_lines(view: View) -> list[tuple[str, str]]:
    """Return every kind of action of the game, and what it does; those possible now come first."""
    pack, game = view.variant.game.pack, view.variant.game
    suits = ", ".join(
        f"{suit} {name}" for suit, name in zip(pack.suits, pack.suit_names, strict=True)
    )
    kinds = {read_kind(action) for action in view.legal if action.card is None}
    known = make_words(game).moves
    now = [(code, text) for code, text in known if code.partition(":")[0] in kinds]
    later = [(code, f"{text} (not now)") for code, text in known if (code, text) not in now]
    return [("CARD", f"play it; rank, then suit: {suits}"), *now, *later]
