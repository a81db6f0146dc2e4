"""Pools: parts of the entrants that play a round robin each, before a knock-out of the best.

Entrants are dealt to the pools by seed, forth and back: with three pools seeds 1, 6, 7 and 12 are
in the first, 2, 5, 8 and 11 in the second. In a pool every table of its entrants plays the same
number of mirror groups. Its order is by score per deal over these, and among equal scores by seed.
Who was withdrawn or retired by the end of the pools comes last, and the tables at which it sat
count for nobody.

The first so many of each pool go on; where fewer are left, nobody takes their place. The firsts of
all pools get the highest seeds of the knock-out, then come the seconds, and so on: among those of
the same place by score per deal, then by seed. In a bracket of two sides those of the same place
are exchanged, the last place first, as long as that has entrants of one pool meet later.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations

from mazzo_server.pairing.bracket import Bout, BoutStage
from mazzo_server.pairing.elimination.seeding import pair_seeds

__all__ = ["Pool", "PoolRow", "divide_entrants", "list_pools", "rank_classes", "rank_qualified"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolRow:
    """One entrant of a pool."""

    entrant: int
    score: Fraction | None  # per deal, of the groups that count; None without any
    groups: int  # that count
    has_left: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """A pool as it stands."""

    number: int  # from 1
    rows: tuple[PoolRow, ...]  # by place
    is_over: bool


def divide_entrants(seeds: Sequence[int], pools: int) -> list[tuple[int, ...]]:
    """Return the entrants of each pool, the highest seed first."""
    found: list[list[int]] = [[] for _ in range(pools)]
    for place, entrant in enumerate(seeds):
        turn, step = divmod(place, pools)
        found[step if turn % 2 == 0 else pools - 1 - step].append(entrant)
    return [tuple(pool) for pool in found]


def list_pools(rounds: Sequence[Sequence[Bout]], seeds: Sequence[int]) -> list[Pool]:
    """Return the pools of a bracket as they stand; none: it has none."""
    if not rounds or not _is_of_pools(rounds[0]):
        return []
    bouts: defaultdict[int, list[Bout]] = defaultdict(list)
    for bout in rounds[0]:
        bouts[bout.round].append(bout)
    places = {entrant: place for place, entrant in enumerate(seeds)}
    return [
        Pool(
            number=number,
            rows=tuple(sorted(_make_rows(own), key=lambda row: _find_merit(row, places))),
            is_over=all(bout.order for bout in own),
        )
        for number, own in sorted(bouts.items())
    ]


def rank_qualified(
    pools: Sequence[Pool], seeds: Sequence[int], *, qualify: int, sides: int
) -> list[int]:
    """Return who goes on to the knock-out, its highest seed first."""
    classes = rank_classes(pools, seeds, qualify)
    if sides == 2:
        classes = _split_pools(classes, pools)
    return [entrant for own in classes for entrant in own]


def rank_classes(pools: Sequence[Pool], seeds: Sequence[int], last: int) -> list[list[int]]:
    """Return those of each place up to the `last`, by score per deal, without those who left."""
    places = {entrant: place for place, entrant in enumerate(seeds)}
    classes = []
    for place in range(last):
        rows = [pool.rows[place] for pool in pools if place < len(pool.rows)]
        present = [row for row in rows if not row.has_left]
        present.sort(key=lambda row: _find_merit(row, places))
        classes.append([row.entrant for row in present])
    return classes


def _is_of_pools(bouts: Sequence[Bout]) -> bool:
    return bool(bouts) and bouts[0].stage is BoutStage.POOL


def _make_rows(bouts: Sequence[Bout]) -> Iterator[PoolRow]:
    left = {entrant for bout in bouts for entrant in bout.left}
    scores: defaultdict[int, int] = defaultdict(int)
    deals: defaultdict[int, int] = defaultdict(int)
    groups: defaultdict[int, int] = defaultdict(int)
    for bout in bouts:
        if left.intersection(bout.table):
            continue
        sums = bout.read_sums()
        for entrant, score in zip(bout.seated, sums.scores, strict=True):
            scores[entrant] += score
            deals[entrant] += sums.deals
            groups[entrant] += sums.groups
    for entrant in sorted({one for bout in bouts for one in bout.table}):
        yield PoolRow(
            entrant=entrant,
            score=Fraction(scores[entrant], deals[entrant]) if deals[entrant] else None,
            groups=groups[entrant],
            has_left=entrant in left,
        )


def _find_merit(row: PoolRow, places: Mapping[int, int]) -> tuple[bool, bool, Fraction, int]:
    return row.has_left, row.score is None, -(row.score or Fraction(0)), places[row.entrant]


def _split_pools(classes: Sequence[Sequence[int]], pools: Sequence[Pool]) -> list[list[int]]:
    """Exchange entrants of one place as long as those of one pool meet later by that."""
    found = [list(own) for own in classes]
    number = sum(map(len, found))
    if number < 2:
        return found
    slots = {seed: slot for slot, pair in enumerate(pair_seeds(range(number))) for seed in pair}
    pool_of = {row.entrant: pool.number for pool in pools for row in pool.rows}

    def count_meetings() -> list[int]:
        """Return how many pairs of one pool could meet in the first round, the second and so on."""
        taken: defaultdict[int, list[int]] = defaultdict(list)
        for seed, entrant in enumerate(chain(*found)):
            taken[pool_of[entrant]].append(slots[seed])
        counts = [0] * number.bit_length()
        for own in taken.values():
            for one, other in combinations(own, 2):
                counts[(one ^ other).bit_length()] += 1
        return counts

    least = count_meetings()
    better = any(least)
    while better:
        better = False
        for own in reversed(found):
            # The nearest first, so that seeds stay about where they were.
            pairs = combinations(range(len(own)), 2)
            for i, j in sorted(pairs, key=lambda pair: pair[1] - pair[0]):
                own[i], own[j] = own[j], own[i]
                if (after := count_meetings()) < least:
                    least, better = after, True
                else:
                    own[i], own[j] = own[j], own[i]
    return found
