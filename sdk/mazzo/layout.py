"""What a view leaves open, and a world that fills it in."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from mazzo.cards import ITALIAN

__all__ = ["EVERYTHING", "Layout", "World", "fill", "out_of_suits"]

EVERYTHING = (1 << 64) - 1  # every card of any pack


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Everything that a deal consists of beside what the view tells."""

    shuffles: Sequence[Sequence[int]]  # the pack, and later shuffles that have happened
    start: Mapping[str, Any] | None = None
    unheard: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """By seat, in order: actions of other seats that the view does not know."""
    heard: Set[tuple[int, int]] = frozenset()  # at which trick the view's seat heard whom talk


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The cards that may be anywhere, the places for them, and how they make a world.

    Law: the arrangements of the cards in the places stand for equally many worlds each,
    `weight` of them.
    """

    cards: int  # the set of the cards to arrange
    groups: tuple[tuple[int, int], ...]  # (number of places, set of the cards allowed)
    complete: Callable[[list[list[int]], random.Random], World]
    weight: int = 1


def fill(places: Sequence[int], cards: Sequence[int], deck: list[int]) -> None:
    """Put the cards in these places of the pack, in order."""
    for place, card in zip(places, cards, strict=True):
        deck[place] = card


def out_of_suits(suits: str) -> int:
    """Return the cards of the Italian pack that are of none of these suits."""
    return sum(1 << card for card in ITALIAN.cards if card.suit not in suits)
