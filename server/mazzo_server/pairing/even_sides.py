"""Gives all entrants every side equally often, where the groups of each table alone cannot.

Look at two sides only. Each seating is then an arrow, from the entrant at the one side to the
entrant at the other. Where each entrant has as many leaving as arriving arrows, give or take one,
the two sides are shared evenly. To turn an arrow is to exchange the sides of its two entrants.
Euler's method pairs the arrows at each entrant, and turns them so that the paths along the pairs
run in one direction. This is repeated for two sides after two sides. It ends with all of them even,
for each exchange makes the sum of the squares of the counts smaller (de Werra 1971, "Equitable
colorations of graphs").

Arrows of the same mirror group are paired before those of the same table, and these before all
others, so that what was even within a group and within a table remains so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations

__all__ = ["share_sides"]

_End = tuple[int, int]  # a seating, and 0 where the arrow leaves, 1 where it arrives


def share_sides(seatings: list[list[int]], groups: Sequence[tuple[int, int]]) -> None:
    """Exchange sides until all entrants have each of them equally often, give or take one.

    `seatings` have the entrant at each side, and are changed in place. `groups` has for each
    seating its table and its mirror group there; seatings of one group are adjacent.
    """
    sides = range(len(seatings[0])) if seatings else range(0)
    pairs = list(combinations(sides, 2))
    even = 0
    for one, other in pairs * len(seatings) * len(sides):
        even = 0 if _share_two(seatings, groups, one, other) else even + 1
        if even == len(pairs):
            return


def _share_two(
    seatings: list[list[int]], groups: Sequence[tuple[int, int]], one: int, other: int
) -> bool:
    """Share two sides evenly; return whether anything had to be exchanged."""
    surplus: Counter[int] = Counter()
    for seating in seatings:
        surplus[seating[one]] += 1
        surplus[seating[other]] -= 1
    if all(-1 <= difference <= 1 for difference in surplus.values()):
        return False
    ends: defaultdict[int, list[_End]] = defaultdict(list)
    for number, seating in enumerate(seatings):
        ends[seating[one]].append((number, 0))
        ends[seating[other]].append((number, 1))
    partner: dict[_End, _End] = {}
    for own in ends.values():
        _pair(own, groups, partner)
    met = [False] * len(seatings)
    loose = [end for own in ends.values() for end in own if end not in partner]
    for start in (*loose, *((number, 0) for number in range(len(seatings)))):
        path: list[_End] = []  # the end at which it enters each arrow
        end: _End | None = start
        while end is not None and not met[end[0]]:
            met[end[0]] = True
            path.append(end)
            end = partner.get((end[0], 1 - end[1]))
        against = sum(side for _, side in path)
        direction = int(2 * against > len(path))  # the direction for which fewer arrows turn
        for number, side in path:
            if side != direction:
                seating = seatings[number]
                seating[one], seating[other] = seating[other], seating[one]
    return True


def _pair(
    ends: Sequence[_End], groups: Sequence[tuple[int, int]], partner: dict[_End, _End]
) -> None:
    for depth in (2, 1, 0):  # arrows of a group, of a table, of all
        waiting: dict[tuple[int, ...], _End] = {}
        for end in ends:
            key = groups[end[0]][:depth]
            if key in waiting:
                first = waiting.pop(key)
                partner[first], partner[end] = end, first
            else:
                waiting[key] = end
        ends = list(waiting.values())
