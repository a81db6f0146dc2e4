"""Uniform random arrangements of cards in places, where not every card may lie everywhere.

An arrangement puts each card in a place that is open to it. They are counted exactly, place
by place: what is left to arrange depends only on how many of the remaining cards have which
of the remaining places open to them, so cards that agree in this are counted together and
the counts are remembered. Walking the same places once more, each card being drawn with the
number of arrangements that go on from it as its weight, gives every arrangement with the
same probability. (Sampling by counting: Jerrum, Valiant and Vazirani 1986.)
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from math import factorial

from mazzo.cards import bits

__all__ = ["Matching"]

_Counts = tuple[tuple[int, int], ...]  # (groups open from here on, number of cards), ascending


class Matching:
    """All arrangements of some cards in groups of places.

    A group is a number of places with the set of the cards that may lie there. There are as
    many cards as places. Groups that few cards may lie in should come first: once every
    remaining place is open to every remaining card, they are simply shuffled.
    """

    def __init__(self, cards: int, groups: Sequence[tuple[int, int]]) -> None:
        """Take the set of the cards, and (number of places, set of the cards allowed) by group."""
        if cards.bit_count() != sum(size for size, _ in groups):
            raise ValueError("expected as many cards as places")
        self._cards = cards
        self._sizes = [size for size, _ in groups]
        self._groups = len(groups)
        self._open = {
            card: sum(
                1 << number for number, (_, allowed) in enumerate(groups) if allowed >> card & 1
            )
            for card in bits(cards)
        }
        self._known: dict[tuple[int, int, _Counts], int] = {}
        everywhere = (1 << self._groups) - 1
        self._free = all(groups_open == everywhere for groups_open in self._open.values())

    @property
    def total(self) -> int:
        """The number of arrangements; 0 if there is none."""
        if self._free:
            return factorial(self._cards.bit_count())
        return self._ways(0, 0, _counts(self._open.values()))

    def sample(self, rng: random.Random) -> list[list[int]]:
        """Return the cards of each group of places; all arrangements are equally likely.

        The order within a group is that of its places. There must be an arrangement.
        """
        if self._free:
            cards = list(bits(self._cards))
            rng.shuffle(cards)
            return _cut(cards, self._sizes)
        held: dict[int, list[int]] = {}
        for card, groups_open in self._open.items():
            held.setdefault(groups_open, []).append(card)
        dealt: list[list[int]] = []
        for group, size in enumerate(self._sizes):
            rest = self._all_free(group, held)
            if rest is not None:
                rng.shuffle(rest)
                return dealt + _cut(rest, self._sizes[group:])
            cards = []
            for place in range(size):
                counts = tuple(sorted((key, len(held[key])) for key in held))
                cards.append(self._draw(group, place, counts, held, rng))
            dealt.append(cards)
            held = _shifted(held)
        return dealt

    def _draw(
        self,
        group: int,
        place: int,
        counts: _Counts,
        held: dict[int, list[int]],
        rng: random.Random,
    ) -> int:
        """Take a card for a place out of `held`."""
        pick = rng.randrange(self._ways(group, place, counts))
        for index, (key, count) in enumerate(counts):
            if key & 1:
                ways = self._ways(group, place + 1, _without(counts, index))
                if pick < count * ways:
                    cards = held[key]
                    card = cards.pop(pick // ways)
                    if not cards:
                        del held[key]
                    return card
                pick -= count * ways
        raise AssertionError("the weights add up to the number of arrangements")

    def _ways(self, group: int, place: int, counts: _Counts) -> int:
        """The number of arrangements of the remaining cards from this place of a group on."""
        while group < self._groups and place == self._sizes[group]:
            group, place = group + 1, 0
            counts = _shift(counts)
        if group == self._groups:
            return 1
        if len(counts) == 1 and counts[0][0] + 1 == 1 << self._groups - group:
            return factorial(counts[0][1])
        if counts[0][0] == 0:
            return 0  # a card has no place left
        key = group, place, counts
        ways = self._known.get(key)
        if ways is None:
            ways = sum(
                count * self._ways(group, place + 1, _without(counts, index))
                for index, (groups_open, count) in enumerate(counts)
                if groups_open & 1
            )
            self._known[key] = ways
        return ways

    def _all_free(self, group: int, held: dict[int, list[int]]) -> list[int] | None:
        """Return the remaining cards, if all may lie in every group from this one on."""
        everywhere = (1 << self._groups - group) - 1
        return list(held[everywhere]) if held.keys() == {everywhere} else None


def _cut(cards: list[int], sizes: Sequence[int]) -> list[list[int]]:
    dealt, start = [], 0
    for size in sizes:
        dealt.append(cards[start : start + size])
        start += size
    return dealt


def _counts(keys: Iterable[int]) -> _Counts:
    return tuple(sorted(Counter(keys).items()))


def _without(counts: _Counts, index: int) -> _Counts:
    key, count = counts[index]
    rest = ((key, count - 1),) if count > 1 else ()
    return counts[:index] + rest + counts[index + 1 :]


def _shift(counts: _Counts) -> _Counts:
    totals: dict[int, int] = {}
    for key, count in counts:
        totals[key >> 1] = totals.get(key >> 1, 0) + count
    return tuple(sorted(totals.items()))


def _shifted(held: dict[int, list[int]]) -> dict[int, list[int]]:
    together: dict[int, list[int]] = {}
    for key, cards in held.items():
        together.setdefault(key >> 1, []).extend(cards)
    return together
