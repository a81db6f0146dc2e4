"""Briscola: the other hands and the stock; nothing that is played shows what a hand lacks."""

from __future__ import annotations

import random

from mazzo.cards import mask_of
from mazzo.games.briscola.deal import PACKS, BriscolaView
from mazzo.layout import EVERYTHING, Layout, World, fill

__all__ = ["layouts"]

_HAND = 3  # cards


def layouts(view: BriscolaView) -> list[Layout]:
    """Return one group: every hidden place.

    The own cards lie where they came from. Which of another seat's places a card was played
    from is drawn as well: at each play it is one of the three that were filled and not played
    from, whatever they hold, so every choice leaves as many arrangements of the rest.
    """
    players = view.players
    pack = PACKS[players]
    own = view.hand_mask
    trump = int(view.trump_card)
    played = mask_of(view.past_cards) | mask_of(view.trick_cards)
    unseen = mask_of(pack) & ~(own | played | 1 << trump)
    places, stock = _places(view)
    trump_place = _HAND * players
    plays = view.plays
    me = view.seat
    heard = frozenset((talk.trick, talk.seat) for talk in view.talk)
    dealt, *draws = [list(receipt.cards) for receipt in view.received]

    def complete(groups: list[list[int]], rng: random.Random) -> World:
        deck = [-1] * len(pack)
        deck[trump_place] = trump
        left = [list(seat_places) for seat_places in places]
        played_by = [0] * players  # cards
        for seat, card in plays:
            if card == trump:
                left[seat].remove(trump_place)
            elif seat != me:
                # After n plays a seat has drawn n cards, as far as the stock went.
                filled = places[seat][: _HAND + played_by[seat]]
                free = [place for place in left[seat] if place in filled and place != trump_place]
                place = free[rng.randrange(len(free))]
                left[seat].remove(place)
                deck[place] = card
            played_by[seat] += 1
        mine = rng.sample(dealt, _HAND) + [card for (card,) in draws]
        fill(places[me], mine, deck)
        hidden = [
            place
            for seat in range(players)
            if seat != me
            for place in left[seat]
            if place != trump_place
        ]
        fill([*hidden, *stock], groups[0], deck)
        return World(shuffles=[deck], heard=heard)

    return [Layout(cards=unseen, groups=((unseen.bit_count(), EVERYTHING),), complete=complete)]


def _places(view: BriscolaView) -> tuple[list[list[int]], list[int]]:
    """Return the places of the pack that each seat has had, in order, and those never drawn.

    The trump card's place counts as drawn by whoever drew it, else as neither.
    """
    players = view.players
    first = (view.dealer + 1) % players
    places: list[list[int]] = [[] for _ in range(players)]
    for k in range(players):
        places[(first + k) % players] = [_HAND * k + index for index in range(_HAND)]
    size = len(PACKS[players])
    trump_place = _HAND * players
    stock = [*range(trump_place + 1, size), trump_place]
    drawn = 0
    for winner in view.trick_winners:
        if drawn < len(stock):
            for step in range(players):
                places[(winner + step) % players].append(stock[drawn + step])
            drawn += players
    return places, [place for place in stock[drawn:] if place != trump_place]
