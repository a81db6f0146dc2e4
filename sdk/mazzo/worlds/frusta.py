"""Frusta: the other hand and the stock.

A follower who does not follow is void at that moment, but may draw the suit face down later:
what was played, and what is held, must have come in time and not too early. So the places
are those of the pack (ten dealt cards, and one face-down card for each trick lost in stage
1), and a card may lie in those that its suit and its play allow. The own hand is arranged in
the same way: this seat knows what it holds, its view not where from.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from mazzo.cards import ITALIAN, bits, mask_of
from mazzo.games.frusta import FrustaView
from mazzo.worlds.layout import Layout, World, fill

__all__ = ["layouts"]

_HAND = 10  # cards
_STOCK = 2 * _HAND  # place of the stock's first card
_NEVER = 99  # a trick after the last


def layouts(view: FrustaView) -> list[Layout]:
    """Groups of places: face-down cards, the latest first, the dealt hands, the stock."""
    stage_1 = view.trick_winners[: _STOCK // 2]
    prize_mask = mask_of(view.prizes)
    voids = _voids(view)
    plays = [  # trick, seat, card
        (number, seat, int(card))
        for number, trick in enumerate((*view.tricks, view.trick))
        for seat, card in trick.plays
    ]
    own = view.hand_mask & ~prize_mask
    unseen = mask_of(view.unseen)
    cards = own | unseen | mask_of(card for _, _, card in plays if not prize_mask >> card & 1)

    def allowed(seat: int, since: int) -> int:
        """The cards that the seat may have got at the end of so many tricks (0: dealt)."""
        held = dict.fromkeys(bits(own if seat == view.seat else unseen), _NEVER)
        held |= {card: trick for trick, player, card in plays if player == seat}
        return mask_of(
            card
            for card, until in held.items()
            if since <= until
            and not any(
                since <= trick < until for trick in voids[seat].get(ITALIAN.cards[card].suit, ())
            )
        )

    places: list[list[int]] = []
    groups: list[tuple[int, int]] = []
    for number in reversed(range(len(stage_1))):
        places.append([_STOCK + 2 * number + 1])
        groups.append((1, allowed(1 - stage_1[number], number + 1)))
    for seat in (view.seat, 1 - view.seat):
        first = 0 if seat != view.dealer else _HAND
        places.append(list(range(first, first + _HAND)))
        groups.append((_HAND, allowed(seat, 0)))
    drawn = _STOCK + 2 * len(stage_1)
    prizes = dict(zip(_prize_places(), view.prizes, strict=False))
    stock = [place for place in range(drawn, len(ITALIAN)) if place not in prizes]
    places.append(stock)
    groups.append((len(stock), unseen))

    def complete(arranged: list[list[int]], rng: random.Random) -> World:
        deck = [-1] * len(ITALIAN)
        for place, card in prizes.items():
            deck[place] = card
        for group, group_cards in zip(places, arranged, strict=True):
            fill(group, group_cards, deck)
        return World(shuffles=[deck, *_tiebreak(view, rng)])

    return [Layout(cards=cards, groups=tuple(groups), complete=complete)]


def _prize_places() -> Iterator[int]:
    return iter(range(_STOCK, len(ITALIAN), 2))


def _voids(view: FrustaView) -> list[dict[str, list[int]]]:
    """By seat and suit, the tricks (from 0) at which it showed that it had none of it."""
    voids: list[dict[str, list[int]]] = [{}, {}]
    for number, seat, suit in view.voids_shown:
        voids[seat].setdefault(suit, []).append(number)
    return voids


def _tiebreak(view: FrustaView, rng: random.Random) -> list[list[int]]:
    """The second shuffle, where it has happened: only its first two cards were shown."""
    if not view.tiebreak:
        return []
    leader, other = view.tiebreak
    leads = view.trick_winners[-1] != view.dealer
    top = [leader, other] if leads else [other, leader]
    rest = [card for card in view.past_cards[:_STOCK] if card not in top]
    rng.shuffle(rest)
    return [top + rest]
