"""The seatings of a mirror group, over places that a seed assigns to the entrants.

There are two designs. Both are built on the zigzag 0, 1, -1, 2, -2, … modulo n, whose successive
differences 1, -2, 3, -4, … are all different.

*Cyclic orders* (Walecki's decomposition, in Lucas, Récréations mathématiques II, 1883): one place
is fixed and the others stand in the turns of a zigzag. Each order is followed by its reverse, so
that behind and before are even; over a whole pass every place stands directly behind every other
equally often.

*Rows* (Williams 1949, "Experimental designs balanced for the estimation of residual effects of
treatments"): the turns of a zigzag form a Latin square, so that over all rows every place takes
every side once; for an even number of places everybody also precedes everybody once.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from math import gcd

from mazzo_server.model import Mirror

__all__ = ["Pattern", "make_pattern"]

_GOLDEN = (5**0.5 - 1) / 2  # steps of this part of a circle stay spread for any number of steps


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """The seatings of one group of a table.

    `rows` has for each seating the place at each side. `cycle` counts how often the table has
    completed the design before: each cycle assigns the places to the entrants anew.
    """

    cycle: int
    rows: tuple[tuple[int, ...], ...]


def make_pattern(mirror: Mirror, sides: int, number: int) -> Pattern:
    """Return the seatings of a table's group `number`, counted from 0.

    After any number of groups the sides that a place has taken differ by at most one seating.
    """
    seatings = mirror.count_seatings(sides)
    if mirror is Mirror.ALL:
        return Pattern(cycle=0, rows=tuple(permutations(range(sides))))
    if seatings == sides:
        return _list_rotations(sides, number)
    return _make_balanced_rows(sides, number, seatings)


def _list_rotations(sides: int, number: int) -> Pattern:
    """Return all rotations of one cyclic order: in each, every place has the same neighbours."""
    turns = sides - 1
    orders = turns if sides % 2 else 2 * turns  # with odd sides half the turns are reverses
    cycle, step = divmod(number, orders)
    turn, backwards = divmod(step, 2)
    order = [turns, *((place + turn) % turns for place in _make_zigzag(turns))]
    if backwards:
        order.reverse()
    rows = tuple((*order[k:], *order[:k]) for k in range(sides))
    return Pattern(cycle=cycle, rows=rows)


def _make_balanced_rows(sides: int, number: int, seatings: int) -> Pattern:
    """Return the next `seatings` rows of a Latin square, taken in golden steps.

    In one group each entrant has `seatings` different sides, spread over the table; a pass takes
    every row equally often, and every second pass is the reverse of the one before.
    """
    groups = sides // gcd(sides, seatings)
    passes, group = divmod(number, groups)
    cycle, backwards = divmod(passes, 2)
    step = min(
        (candidate for candidate in range(1, sides) if gcd(candidate, sides) == 1),
        key=lambda candidate: abs(candidate - sides * _GOLDEN),
    )
    zigzag = _make_zigzag(sides)
    if backwards:
        zigzag.reverse()
    turns = (step * (group * seatings + seating) for seating in range(seatings))
    rows = tuple(tuple((place + turn) % sides for place in zigzag) for turn in turns)
    return Pattern(cycle=cycle, rows=rows)


def _make_zigzag(size: int) -> list[int]:
    """Return 0, 1, -1, 2, -2, … modulo `size`: every number below it once."""
    return [(index // 2 + 1 if index % 2 else -(index // 2)) % size for index in range(size)]
