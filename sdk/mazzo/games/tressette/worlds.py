"""Tressette in due, both games: the cards dealt to the other hand, the stock or the packets.

Every card that a hand gets later is shown, so all that is hidden in the other hand was dealt
to it and has been there ever since: it is of no suit that its owner could not follow, and
not the card that a declared three of a rank lacked.
"""

from __future__ import annotations

import random

from mazzo.cards import ITALIAN, bits, mask_of
from mazzo.games.tressette.meta_mazzo import MetaMazzoView
from mazzo.games.tressette.pizzichino import PizzichinoView
from mazzo.layout import EVERYTHING, Layout, World, fill, out_of_suits

__all__ = ["meta_mazzo_layouts", "pizzichino_layouts"]

_PACKET = 5  # cards
_HAND = 10  # cards
_NOBODY = 255


def meta_mazzo_layouts(view: MetaMazzoView) -> list[Layout]:
    """Return two groups: the hidden cards of the other hand, and the stock."""
    drawn = mask_of(view.drawn_cards)
    other = 1 - view.seat
    dealt = [0, 0]
    for seat, card in view.plays:
        dealt[seat] |= 1 << card
    dealt[view.seat] |= view.hand_mask
    dealt[other] |= view.known_masks[other]
    dealt = [mask & ~drawn for mask in dealt]
    hidden = _HAND - dealt[other].bit_count()
    unseen = mask_of(ITALIAN.cards) & ~(dealt[0] | dealt[1] | drawn)
    stock_places = range(2 * _HAND + len(view.drawn_cards), len(ITALIAN))

    def complete(groups: list[list[int]], rng: random.Random) -> World:
        deck = [-1] * len(ITALIAN)
        fill(range(2 * _HAND, stock_places.start), view.drawn_cards, deck)
        fill(stock_places, groups[1], deck)
        for seat in (0, 1):
            cards = list(bits(dealt[seat])) + (groups[0] if seat == other else [])
            rng.shuffle(cards)
            # Packets of five in turn, the non-dealer's first.
            first = _PACKET if seat == view.dealer else 0
            places = [*range(first, first + _PACKET)]
            fill([*places, *(place + _HAND for place in places)], cards, deck)
        return World(shuffles=[deck])

    groups = ((hidden, unseen & _possible(view)), (len(stock_places), EVERYTHING))
    return [Layout(cards=unseen, groups=groups, complete=complete)]


def pizzichino_layouts(view: PizzichinoView) -> list[Layout]:
    """Return two groups: the hidden cards of the other hand, and everything face down."""
    deck = [-1] * len(ITALIAN)
    for packet, shown in enumerate(view.packet_shown):
        fill(range(_PACKET * packet, _PACKET * packet + len(shown)), shown, deck)
    if view.variant.option("packets") == "peek":
        # The first receipts tell what lies, or lay, on top of each of the seat's packets.
        for packet, receipt in zip(view.packets_of(view.seat), view.received, strict=False):
            deck[_PACKET * packet] = int(receipt.cards[0])
    placed = mask_of(card for card in deck if card >= 0)
    hand_places: list[list[int]] = [[], []]
    for packet, owner in enumerate(view.packet_owners):
        if owner != _NOBODY and not view.packet_counts[packet] and not view.packet_shown[packet]:
            places = range(_PACKET * packet, _PACKET * (packet + 1))
            hand_places[owner] += [place for place in places if deck[place] < 0]
    other = 1 - view.seat
    dealt = [0, 0]  # what is known of the dealt hands
    for seat, card in view.plays:
        dealt[seat] |= 1 << card
    dealt[view.seat] |= view.hand_mask
    dealt[other] |= view.known_masks[other]
    dealt = [mask & ~placed for mask in dealt]
    hidden = len(hand_places[other]) - dealt[other].bit_count()
    in_hands = {place for places in hand_places for place in places}
    face_down = [place for place, card in enumerate(deck) if card < 0 and place not in in_hands]
    unseen = mask_of(ITALIAN.cards) & ~(dealt[0] | dealt[1] | placed)

    def complete(groups: list[list[int]], rng: random.Random) -> World:
        world = list(deck)
        fill(face_down, groups[1], world)
        for seat in (0, 1):
            cards = list(bits(dealt[seat])) + (groups[0] if seat == other else [])
            rng.shuffle(cards)
            fill(hand_places[seat], cards, world)
        return World(shuffles=[world])

    groups = ((hidden, unseen & _possible(view)), (len(face_down), EVERYTHING))
    return [Layout(cards=unseen, groups=groups, complete=complete)]


def _possible(view: MetaMazzoView | PizzichinoView) -> int:
    """Return the cards that the other hand, as far as it is hidden, may hold."""
    other = 1 - view.seat
    void = [suit for _, seat, suit in view.voids_shown if seat == other]
    possible = out_of_suits("".join(void))
    for declaration in view.declarations:
        ranks = {card.rank for card in declaration.cards}
        if declaration.seat == other and len(ranks) == 1 and len(declaration.cards) == 3:
            possible &= ~mask_of(card for card in ITALIAN.cards if card.rank in ranks)
    return possible
