"""A view as a vector of numbers and a mask of actions.

Law: both come from the view alone, so they hold nothing that the seat may not know.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from mazzo.cards import mask_of
from mazzo.game import Variant, View
from mazzo.games import parse_variant
from mazzo.pettingzoo.features import FEATURES
from mazzo.pettingzoo.parts import VectorParts, by_seat, flags, grid, one_seat, shares
from mazzo.shuffle import SEED_BYTES, SeededShuffles

__all__ = ["Observation", "layout", "observation"]


class Observation(TypedDict):
    """What an agent sees."""

    observation: NDArray[np.float32]  # `layout` names its parts; all numbers are 0 to 1
    action_mask: NDArray[np.int8]  # 1 for each legal action, by number; all 0 out of turn


def observation(view: View) -> Observation:
    """Return the vector and the mask of a view."""
    legal = flags(view.legal_mask, len(view.variant.game.actions))
    return {
        "observation": np.concatenate([part for _, part in _parts(view)]),
        "action_mask": legal.astype(np.int8),
    }


def layout(variant: Variant | str) -> dict[str, slice]:
    """Return where in the vectors of this variant each part stands, in order.

    A part by seat begins with the agent's own seat and goes on in order of play; a part by
    card is in the order of the cards' ids. One by both has all cards of the first seat first.
    """
    return dict(_layout(parse_variant(variant) if isinstance(variant, str) else variant))


@lru_cache(maxsize=256)
def _layout(variant: Variant) -> dict[str, slice]:
    shuffles = SeededShuffles(bytes(SEED_BYTES), 0)
    slices, end = {}, 0
    for name, part in _parts(variant.game.deal(variant, shuffles, dealer=0).view(0)):
        slices[name] = slice(end, end + len(part))
        end += len(part)
    return slices


_RECEIPTS = 20  # more than any game has


def _receipt_of_each(view: View, size: int) -> list[int]:
    """By card, the number of the first receipt that it came in, from 1; 0 if it never came."""
    numbers = [0] * size
    for number, receipt in enumerate(view.received, 1):
        for card in receipt.cards:
            numbers[card] = numbers[card] or number
    return numbers


def _parts(view: View) -> VectorParts:
    """Return what all games have, then what this one has."""
    variant = view.variant
    features, size = FEATURES[variant.game.id], len(variant.game.pack)
    laid, on_table = [0] * view.players, [0] * view.players
    for seat, action in zip(view.actors, view.actions, strict=True):
        if action < size:
            laid[seat] |= 1 << action
    for seat, card in view.trick.plays:
        on_table[seat] |= 1 << card
    winner = view.winner_so_far
    won = [view.trick_winners.count(seat) for seat in range(view.players)]
    yield "to_move", flags(view.legal_mask != 0, 1)
    yield "dealer", one_seat(view, view.dealer)
    yield "hand", flags(view.hand_mask, size)
    yield "received", shares(_receipt_of_each(view, size), _RECEIPTS)
    yield "known", grid(view, size, lambda seat: mask_of(view.known(seat)))
    yield "unseen", flags(mask_of(view.unseen), size)
    yield "hand_counts", shares(by_seat(view, view.hand_counts), features.most_cards)
    yield "leader", one_seat(view, view.trick_leader)
    yield "trick", grid(view, size, on_table.__getitem__)
    yield "winner_so_far", one_seat(view, None if winner is None else winner[0])
    yield "laid", grid(view, size, laid.__getitem__)
    yield "tricks_won", shares(by_seat(view, won), features.tricks(variant))
    yield from features.parts(view)
