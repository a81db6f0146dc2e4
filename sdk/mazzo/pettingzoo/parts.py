"""What vectors are made of: named parts, each an array of numbers from 0 to 1.

Whatever is by seat begins with the view's own seat and goes on in order of play.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from mazzo.cards import mask_of
from mazzo.game import View

__all__ = [
    "Vector",
    "VectorPart",
    "VectorParts",
    "by_seat",
    "chips",
    "flags",
    "grid",
    "one_hot",
    "one_seat",
    "seats",
    "shares",
]

Vector: TypeAlias = NDArray[np.float32]
VectorPart: TypeAlias = tuple[str, Vector]
VectorParts: TypeAlias = Iterator[VectorPart]

_MOST_DOUBLINGS = 16  # of the ante, in a pot


def flags(mask: int, size: int) -> Vector:
    """Return a bit mask as `size` numbers, 0 or 1."""
    data = np.frombuffer(mask.to_bytes((size + 7) // 8, "little"), np.uint8)
    return np.unpackbits(data, count=size, bitorder="little").astype(np.float32)


def one_hot(index: int | None, size: int) -> Vector:
    """Return 1 at the index, 0 elsewhere; all 0 for None."""
    return flags(0 if index is None else 1 << index, size)


def shares(values: Iterable[float], most: float) -> Vector:
    """Return numbers in units of the most that they can be; what is more is cut off."""
    parts: Vector = np.array([min(value / most, 1) for value in values], np.float32)
    return parts


def by_seat(view: View, values: Sequence[float]) -> list[float]:
    """Return one number a seat, the view's own first."""
    return [*values[view.seat :], *values[: view.seat]]


def one_seat(view: View, seat: int | None) -> Vector:
    """Return 1 for this seat; all 0 for None."""
    players = view.players
    return one_hot(None if seat is None else (seat - view.seat) % players, players)


def seats(view: View, members: Iterable[int]) -> Vector:
    """Return 1 for each of these seats."""
    players = view.players
    return flags(mask_of((seat - view.seat) % players for seat in members), players)


def grid(view: View, size: int, mask: Callable[[int], int]) -> Vector:
    """Return for each seat the `size` numbers of its bit mask, one seat after the other."""
    players, joined = view.players, 0
    for place in range(players):
        joined |= mask((view.seat + place) % players) << size * place
    return flags(joined, size * players)


def chips(amount: int, ante: int) -> Vector:
    """Return one number: the logarithm to base 2 of 1 + antes, in units of 16."""
    return shares([math.log2(1 + amount / ante)], _MOST_DOUBLINGS)
