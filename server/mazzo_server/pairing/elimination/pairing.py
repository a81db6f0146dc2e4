"""Plays a bracket: round by round, and within a round look by look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, Protocol

from mazzo_server.model import Change
from mazzo_server.pairing.base import MOST_GROUPS, Group, GroupResult
from mazzo_server.pairing.bracket import Bout, Bracket, BracketLook
from mazzo_server.pairing.elimination.duels import DuelRule
from mazzo_server.pairing.seats import Seats
from mazzo_server.stats import Sums

__all__ = ["BracketScheme", "Elimination", "LookSums"]


class BracketScheme(Protocol):
    """Which bouts follow from the rounds before: a pure function."""

    def count_bouts(self) -> int:
        """Return how many bouts are played at most."""

    def pair(self, rounds: Sequence[Sequence[Bout]], gone: Collection[int]) -> tuple[Bout, ...]:
        """Return the bouts after these rounds; none: it is over.

        `gone` have left, and all rounds are decided.
        """


class LookSums:
    """The sums of the open bouts of a bracket, to which the groups of a look are added."""

    def __init__(self, bracket: Bracket) -> None:
        self._bracket = bracket
        self._sums = {bout.seated: bout.read_sums() for bout in bracket.open_bouts}
        self._groups: Counter[tuple[int, ...]] = Counter()

    def add(self, result: GroupResult) -> None:
        """Add a group, which may be void."""
        self._groups[result.table] += 1
        if result.ranks is not None:
            scores = [result.scores[entrant] for entrant in result.table]
            self._sums[result.table].add([own.score for own in scores], deals=scores[0].deals)

    def make_bracket(self) -> Bracket:
        """Return the bracket with these groups; nothing is decided by them yet."""
        *before, last = self._bracket.rounds
        bouts = [
            bout
            if bout.order
            else replace(
                bout,
                groups=bout.groups + self._groups[bout.seated],
                sums=_read_numbers(self._sums[bout.seated]),
            )
            for bout in last
        ]
        return replace(self._bracket, rounds=(*before, tuple(bouts)))


def _read_numbers(sums: Sums) -> tuple[int, ...]:
    return tuple(sums.to_json()) if sums.groups else ()


class Elimination:
    """A pairing whose rounds follow from a bracket.

    All bouts of a round begin together, and a round begins when all of the one before are decided.
    Within a look group r of all bouts comes before group r + 1. Where two meet again, the groups of
    their table go on: no deal is met twice.

    An entrant that is withdrawn or retired loses at the end of the look, unless its bout is decided
    by then, and any later bout. What was decided before stays, so that the schedule does not
    change. Nobody joins.
    """

    is_adaptive: Final = True

    def __init__(
        self,
        seats: Seats,
        *,
        scheme: BracketScheme,
        rule: DuelRule,
        changes: Sequence[Change] = (),
    ) -> None:
        self._seats = seats
        self._scheme = scheme
        self._rule = rule
        self._changes = changes

    def total(self) -> int:
        """Return the number of groups if every bout plays the most."""
        return self._scheme.count_bouts() * self._rule.most

    def next(self, first: int, results: Sequence[GroupResult] = ()) -> Sequence[Group]:
        """Return the rest of the look of group `first`, at most `MOST_GROUPS`."""
        bracket, start, size = self._play(results, first)
        if bracket.is_over:
            return ()
        assert start <= first < start + size, "expected the results of all groups before the first"
        look = BracketLook(bracket=bracket, numbers=range(start, start + size))
        wanted = islice(self._list_look(bracket), first - start, first - start + MOST_GROUPS)
        return tuple(
            replace(self._seats.group(number, table, number_at_table), look=look)
            for number, (table, number_at_table) in enumerate(wanted, first)
        )

    def make_bracket(self, results: Sequence[GroupResult]) -> Bracket:
        """Return the bracket after the last look that is over."""
        return self._play(results, None)[0]

    def finish_look(self, bracket: Bracket, end: int, withdrawn: Collection[int]) -> Bracket:
        """Return the bracket after a look that ends before group `end`, with its groups added."""
        return self._settle(bracket.rounds, self._find_gone(end, withdrawn))

    def _play(self, results: Sequence[GroupResult], first: int | None) -> tuple[Bracket, int, int]:
        """Return the bracket before the look of a group, and the look's first group and size.

        None: before the first look that is not over.
        """
        withdrawn: set[int] = set()
        position = 0
        bracket = self._settle((), self._find_gone(0, withdrawn))
        while not bracket.is_over:
            size = sum(self._count_due(bout) for bout in bracket.open_bouts)
            end = position + size
            if len(results) < end or (first is not None and first < end):
                return bracket, position, size
            sums = LookSums(bracket)
            for result in results[position:end]:
                sums.add(result)
                withdrawn |= result.withdrawn
            position = end
            bracket = self.finish_look(sums.make_bracket(), end, withdrawn)
        return bracket, position, 0

    def _settle(self, rounds: Sequence[tuple[Bout, ...]], gone: Collection[int]) -> Bracket:
        """Decide the bouts that can be, and make rounds until there is something to play."""
        found = list(rounds)
        while True:
            if found:
                found[-1] = tuple(self._rule.judge(bout, gone) for bout in found[-1])
                if not all(bout.order for bout in found[-1]):
                    return Bracket(rounds=tuple(found))
            bouts = self._scheme.pair(found, gone)
            if not bouts:
                return Bracket(rounds=tuple(found), is_over=True)
            found.append(bouts)

    def _find_gone(self, position: int, withdrawn: Collection[int]) -> frozenset[int]:
        left = (
            change.entrant
            for change in self._changes
            if not change.joins and change.first_group <= position
        )
        return frozenset([*withdrawn, *left])

    def _count_due(self, bout: Bout) -> int:
        return self._rule.find_target(bout.groups) - bout.groups

    def _list_look(self, bracket: Bracket) -> Iterator[tuple[tuple[int, ...], int]]:
        """Return the groups of the next look: their tables, and their numbers there."""
        earlier: Counter[tuple[int, ...]] = Counter()
        for bouts in bracket.rounds:
            for bout in bouts:
                earlier[bout.seated] += bout.groups
        for number in range(max(map(self._count_due, bracket.open_bouts))):
            for bout in bracket.open_bouts:
                if number < self._count_due(bout):
                    yield bout.seated, earlier[bout.seated] + number
