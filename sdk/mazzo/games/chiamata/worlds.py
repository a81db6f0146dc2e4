"""Briscola chiamata: the other hands; neither bids nor plays prove what a hand lacks."""

from __future__ import annotations

import random

from mazzo.cards import bits, mask_of
from mazzo.games.chiamata.deal import ChiamataView
from mazzo.layout import EVERYTHING, Layout, World, fill

__all__ = ["layouts"]

_HAND = 8  # cards


def layouts(view: ChiamataView) -> list[Layout]:
    """Return one group: what the other seats still hold."""
    players = view.players
    played: list[list[int]] = [[] for _ in range(players)]
    for seat, card in view.plays:
        played[seat].append(card)
    known = [list(cards) for cards in played]
    known[view.seat] += bits(view.hand_mask)
    unseen = mask_of(view.unseen)

    def complete(groups: list[list[int]], rng: random.Random) -> World:
        deck = [-1] * (_HAND * players)
        hidden = iter(groups[0])
        for seat in range(players):
            place = _HAND * ((seat - view.dealer - 1) % players)
            cards = known[seat] + [next(hidden) for _ in range(_HAND - len(known[seat]))]
            rng.shuffle(cards)
            fill(range(place, place + _HAND), cards, deck)
        return World(shuffles=[deck])

    return [Layout(cards=unseen, groups=((unseen.bit_count(), EVERYTHING),), complete=complete)]
