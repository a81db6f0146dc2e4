"""Drawn examples of a game, which the engine plays: the deal that the text on the game tells."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from markupsafe import Markup

from mazzo.cards import Card, bits
from mazzo.game import Deal, Trick, View
from mazzo.record import DealRecord
from mazzo.shuffle import GivenShuffles
from mazzo_server.results.commentary import (
    DealTeller,
    list_card_remarks,
    sort_cards,
)
from mazzo_server.serving.web.cards import Told, draw_card, draw_symbols, render_lines
from mazzo_server.serving.web.general_pages.texts import read_record

__all__ = ["DrawnGame", "draw_game"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _DrawnCard:
    """A card, and what is said of it."""

    card: Markup
    told: str
    wins: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnGame:
    """What is drawn on the page of a game."""

    symbols: Markup
    trumps: str  # the name of their suit in the deal; "" without any
    order: Sequence[_DrawnCard]  # a plain suit, from the highest card down
    hands: Sequence[tuple[str, Sequence[Markup]]]  # by seat at the first decision
    tricks: Sequence[Sequence[_DrawnCard]]
    story: Sequence[Told]


@cache
def draw_game(game: str) -> DrawnGame:
    """Return the drawn examples of a game."""
    record = DealRecord.from_json(json.loads(read_record(game)))
    deal = record.variant.game.deal(
        record.variant,
        GivenShuffles(record.shuffles or (), record.overheard),
        dealer=record.dealer,
        draws=record.draws,
        start=record.start,
    )
    names = [f"Seat {seat}" for seat in range(record.variant.players)]
    teller = DealTeller(names)
    story = [*teller.see(_list_views(deal))]
    hands: Sequence[int] = ()
    for code in record.actions:
        action = deal.variant.game.parse_action(code)
        if action.card is not None and not hands:
            hands = tuple(deal.hands)
        deal.apply(action)
        story += teller.see(_list_views(deal))
    assert deal.scores is not None
    story += [*teller.flush(), *teller.end(deal.scores, deal.variant.game.deal_winners(deal))]
    view = deal.view(0)
    cards = [view.pack.cards[number] for number in deal.shuffles[0]]
    trump: str = getattr(view, "trump", None) or ""
    suit = next(suit for suit in view.pack.suits if suit != trump)
    return DrawnGame(
        symbols=draw_symbols(view.pack, cards),
        trumps=view.pack.suit_names[view.pack.suits.index(trump)] if trump else "",
        order=[
            _DrawnCard(card=draw_card(card), told=list_card_remarks(view, card))
            for card in sort_cards(view, (card for card in cards if card.suit == suit))
        ],
        hands=[
            (name, [draw_card(card, "small") for card in sort_cards(view, _list_cards(view, hand))])
            for name, hand in zip(names, hands, strict=True)
        ],
        tricks=[_draw_trick(trick, names) for trick in view.tricks],
        story=render_lines(story),
    )


def _list_views(deal: Deal) -> list[View]:
    return [deal.view(seat) for seat in range(deal.variant.players)]


def _list_cards(view: View, hand: int) -> list[Card]:
    return [view.pack.cards[number] for number in bits(hand)]


def _draw_trick(trick: Trick, names: Sequence[str]) -> list[_DrawnCard]:
    return [
        _DrawnCard(card=draw_card(card, "small"), told=names[seat], wins=seat == trick.winner)
        for seat, card in trick.plays
    ]
