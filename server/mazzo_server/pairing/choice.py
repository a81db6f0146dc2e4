"""Makes a balanced choice of tables, where all combinations of entrants would be too many.

The choice is cyclic: the entrants stand in a circle, and a table is turned by 1, 2, 3, … places.
The tables of a whole turn have every entrant equally often. Every two entrants that stand d places
apart meet equally often: as many times as the distance d occurs at the table (twice that for
opposite places, which stand d apart both ways). So the distances at a few base tables must be
balanced. They form a cyclic difference family, as in Bose 1939, "On the construction of balanced
incomplete block designs", except that counts may differ by one. Simulated annealing finds it.

A choice of arbitrary size cannot be balanced: ten tables of four among forty entrants leave most
pairs unmet, and the eleventh may have to repeat one. Whole turns nearly always can; where they need
one more turn, one more is taken. All combinations are balanced anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, count
from math import comb, exp

from mazzo.shuffle import Stream

__all__ = ["choose_balanced"]

_STEPS = 20_000  # steps until a search is given up: about a third of a second
_FEW = 40  # members up to which longer trying is worth it
_TURNS, _TURNS_OF_MANY = 12, 2  # turns to try beyond those that were asked for
_COOL = 0.8  # the part of the cost by which a step may well make it worse

_Blocks = tuple[tuple[int, ...], ...]


def choose_balanced(members: int, size: int, at_least: int) -> list[tuple[int, ...]]:
    """Return at least so many different tables of `size` of `members`; at most all combinations.

    All members appear equally often, and no pair meets more than once less or more often than the
    mean pair: where the mean is no whole number, two pairs differ by one at most. The number of
    tables is the smallest multiple of `members` for which such a choice is found. With many members
    at large tables the search may not find it soon. Then it takes one multiple more, two more, and
    so on; this never happens up to 40 members at tables of 12. Numbers within a table ascend. The
    same arguments give the same tables.
    """
    every = comb(members, size)
    least = -(-at_least // members)
    patience = _TURNS if members <= _FEW else _TURNS_OF_MANY
    for attempt in count():
        slack, more = divmod(attempt, patience)
        turns = least + more
        if turns * members >= every:
            return list(combinations(range(members), size))
        # Those left out are as balanced as those chosen, and smaller tables are easier to balance.
        part = min(size, members - size)
        blocks = _find_base_blocks(members, part, turns, slack)
        if blocks is not None:
            return list(_turn(blocks, members, complement=part < size))
    raise AssertionError("unreachable: any choice is balanced with enough slack")


def _turn(blocks: _Blocks, members: int, *, complement: bool) -> Iterator[tuple[int, ...]]:
    for block in blocks:
        for turn in range(members):
            table = {(place + turn) % members for place in block}
            yield tuple(place for place in range(members) if (place in table) != complement)


@lru_cache(maxsize=256)
def _find_base_blocks(members: int, size: int, number: int, slack: int) -> _Blocks | None:
    """Return tables with balanced distances, none a turn of itself or another; None: not found."""
    draw = Stream(b"mazzo-choice/1", f"{members} {size} {number}")
    blocks = [draw.shuffle(members)[:size] for _ in range(number)]
    distance = [min(step, members - step) for step in range(members)]
    weight = [1 + (2 * step == members) for step in range(members // 2 + 1)]
    meetings = [0] * len(weight)  # of each two at that distance, over the whole choice
    for block in blocks:
        for one, other in combinations(block, 2):
            step = distance[one - other]
            meetings[step] += weight[step]
    total = number * size * (size - 1)
    low = -(-total // (members - 1)) - 1 - slack
    high = total // (members - 1) + 1 + slack
    for _ in range(_STEPS):
        if low <= min(meetings[1:]) and max(meetings[1:]) <= high and _differ(blocks, members):
            return tuple(tuple(sorted(block)) for block in blocks)
        which, new = divmod(draw.word() % (number * size * members), members)
        block, place = blocks[which // size], which % size
        old = block[place]
        if new in block:
            continue
        change: dict[int, int] = {}
        for index, member in enumerate(block):
            if index != place:
                step = distance[old - member]
                change[step] = change.get(step, 0) - weight[step]
                step = distance[new - member]
                change[step] = change.get(step, 0) + weight[step]
        # Sum of the squared meetings over all pairs, divided by the members.
        worse = sum(by * (2 * meetings[step] + by) / weight[step] for step, by in change.items())
        if worse <= 0 or draw.word() < 2**32 * exp(-worse / _COOL):
            block[place] = new
            for step, by in change.items():
                meetings[step] += by
    return None


def _differ(blocks: Sequence[Sequence[int]], members: int) -> bool:
    """Tell whether all turns of all blocks are different tables."""
    turned = {
        frozenset((place + turn) % members for place in block)
        for block in blocks
        for turn in range(members)
    }
    return len(turned) == len(blocks) * members
