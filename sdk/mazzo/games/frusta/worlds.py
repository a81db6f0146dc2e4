"""Frusta: the other hand and the stock.

A follower who does not follow is void at that moment, but may draw the suit face down later:
what was played, and what is held, must have come in time and not too early. So the places
are those of the pack (ten dealt cards, and one face-down card for each trick lost in stage
1), and a card may lie in those that its suit and its play allow. The own cards lie where they
came from.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from mazzo.cards import ITALIAN, bits, mask_of
from mazzo.games.frusta.deal import FrustaView
from mazzo.layout import Layout, World, fill

__all__ = ["layouts"]

_HAND = 10  # cards
_STOCK = 2 * _HAND  # place of the stock's first card
_NEVER = 99  # a trick after the last


def layouts(view: FrustaView) -> list[Layout]:
    """Return groups of places: his face-down cards, latest first, his dealt hand, the stock."""
    me, other = view.seat, 1 - view.seat
    stage_1 = view.trick_winners[: _STOCK // 2]
    prize_mask = mask_of(view.prizes)
    voids = _voids(view, other)
    unseen = mask_of(view.unseen)
    held = dict.fromkeys(bits(unseen), _NEVER)  # until which trick the other holds a card
    for number, trick in enumerate((*view.tricks, view.trick)):
        for seat, card in trick.plays:
            if seat == other and not prize_mask >> card & 1:
                held[int(card)] = number

    def allowed(since: int) -> int:
        """Return the cards that the other may have got at the end of so many tricks (0: dealt)."""
        return mask_of(
            card
            for card, until in held.items()
            if since <= until
            and not any(since <= trick < until for trick in voids.get(ITALIAN.cards[card].suit, ()))
        )

    places: list[list[int]] = []
    groups: list[tuple[int, int]] = []
    for number in reversed(range(len(stage_1))):
        if stage_1[number] == me:
            places.append([_STOCK + 2 * number + 1])
            groups.append((1, allowed(number + 1)))
    places.append(_dealt_places(view, other))
    groups.append((_HAND, allowed(0)))
    drawn = _STOCK + 2 * len(stage_1)
    known = dict(zip(_prize_places(), view.prizes, strict=False))  # place: card
    dealt, *draws = [list(receipt.cards) for receipt in view.received]
    for number, (card,) in enumerate(draws):
        known[_STOCK + 2 * number + (stage_1[number] != me)] = card
    stock = [place for place in range(drawn, len(ITALIAN)) if place not in known]
    places.append(stock)
    groups.append((len(stock), unseen))

    def complete(arranged: list[list[int]], rng: random.Random) -> World:
        deck = [-1] * len(ITALIAN)
        for place, card in known.items():
            deck[place] = card
        fill(_dealt_places(view, me), rng.sample(dealt, _HAND), deck)
        for group, group_cards in zip(places, arranged, strict=True):
            fill(group, group_cards, deck)
        return World(shuffles=[deck, *_tiebreak(view, rng)])

    return [Layout(cards=mask_of(held), groups=tuple(groups), complete=complete)]


def _dealt_places(view: FrustaView, seat: int) -> list[int]:
    first = 0 if seat != view.dealer else _HAND
    return list(range(first, first + _HAND))


def _prize_places() -> Iterator[int]:
    return iter(range(_STOCK, len(ITALIAN), 2))


def _voids(view: FrustaView, seat: int) -> dict[str, list[int]]:
    """By suit, the tricks (from 0) at which the seat showed that it had none of it."""
    voids: dict[str, list[int]] = {}
    for number, who, suit in view.voids_shown:
        if who == seat:
            voids.setdefault(suit, []).append(number)
    return voids


def _tiebreak(view: FrustaView, rng: random.Random) -> list[list[int]]:
    """Return the second shuffle, where it has happened: only its first two cards were shown."""
    if not view.tiebreak:
        return []
    leader, other = view.tiebreak
    leads = view.trick_winners[-1] != view.dealer
    top = [leader, other] if leads else [other, leader]
    rest = [card for card in view.past_cards[:_STOCK] if card not in top]
    rng.shuffle(rest)
    return [top + rest]
