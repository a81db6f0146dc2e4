"""Decides what a run plays next, and what may still be changed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from mazzo.games import parse_variant
from mazzo.match import MatchFormat
from mazzo_server.errors import ConflictError
from mazzo_server.model import Change, Definition
from mazzo_server.pairing import (
    MOST_GROUPS,
    Group,
    GroupResult,
    list_groups,
    make_pairing,
)
from mazzo_server.play import MOST_GROUPS_WITH_NOTES, MatchRules
from mazzo_server.results import read_results
from mazzo_server.storage import Store, TournamentRow
from mazzo_server.tournaments.executor import Chunk, ChunkGroup

__all__ = ["Amend", "UpcomingGroups"]

Amend = Callable[[Definition, int], Definition]
"""Makes a new definition from the present one and the first group that may be another one."""


class UpcomingGroups:
    """The groups of a tournament that are still to be played, round by round.

    They follow from the definition and, where results decide, from these. A change of the
    definition and the making of the next round exclude each other.
    """

    def __init__(self, row: TournamentRow, store: Store) -> None:
        """Begin empty; `load` finds the current state of the tournament."""
        self.definition = row.definition
        self.end = 0  # one more than the number of the newest round's last group
        self._store = store
        self._tournament = row.id
        self._pairing = make_pairing(row.definition)
        self._changing = asyncio.Lock()  # held while the next groups are decided
        self._caught_up = asyncio.Event()  # the newest round has groups not stored yet
        self._is_over = False
        self._begun_to = 0  # one more than the last group that an earlier run has begun
        self._results: list[GroupResult] = []
        self._newest: Sequence[Group] = ()  # the groups of the newest round
        self._groups_before: Counter[int] = Counter()  # by entrant, in the rounds before the newest

    @property
    def is_adaptive(self) -> bool:
        """Whether results decide what is played."""
        return self._pairing.is_adaptive

    @property
    def seatings(self) -> int:
        """The number of seatings in which each group is played."""
        return self.definition.seatings

    @property
    def matches_total(self) -> int:
        """The number of matches of the tournament; where results decide, the most possible."""
        return self._pairing.total() * self.seatings

    async def load(self) -> frozenset[tuple[int, int]]:
        """Find the current state; return the matches that an earlier run has stored.

        It returns none of the groups before the first that is not over.
        """
        store, tournament, first = self._store, self._tournament, 0
        if not self.is_adaptive:
            kept = await asyncio.to_thread(store.checkpoint, tournament)
            first = kept[0] if kept is not None else 0  # all groups before this one are over
            await asyncio.to_thread(self._count_groups_before, first)
        self.end = first
        self._begun_to = max(first, await asyncio.to_thread(store.next_group, tournament))
        return frozenset(
            await asyncio.to_thread(store.finished_matches, tournament, first_group=first)
        )

    async def take_next_round(self, wanted: int = 1) -> Sequence[Group]:
        """Return the next groups; none when the tournament is over.

        There are as many as are `wanted`, or somewhat more, if so many may be played.
        """
        async with self._changing:
            for group in self._newest:
                if group.number < self.end:  # a change may have cut the others off
                    self._groups_before.update(group.table)
            self._newest = ()  # a round may be large: there is room for one
            # In a thread, for a long schedule takes time.
            groups = await asyncio.to_thread(self._make_groups, wanted)
            self._newest = groups
            self.end += len(groups)
            if self._is_newest:
                self._caught_up.set()
            if not groups:  # else a bot might still join, and never play
                self._is_over = True
            return groups

    def _make_groups(self, wanted: int) -> Sequence[Group]:
        groups = self._pairing.next(self.end, self._results)
        made = len(groups)
        while not self.is_adaptive and made == MOST_GROUPS and len(groups) < wanted:
            more = self._pairing.next(self.end + len(groups))
            made = len(more)
            groups = (*groups, *more)
        return groups

    def make_chunk(
        self,
        groups: Sequence[Group],
        *,
        finished: frozenset[tuple[int, int]],
        withdrawn: Iterable[int],
    ) -> Chunk:
        """Return a round as a chunk for an executor."""
        definition = self.definition
        return Chunk(
            rules=MatchRules(
                variant=parse_variant(definition.variant),
                sides=definition.sides,
                match_format=MatchFormat.parse(definition.match_format),
                draws=definition.draws,
                time=definition.time,
            ),
            groups=tuple(self._count_groups(groups)),
            seatings=self.seatings,
            finished=finished,
            withdrawn=frozenset(withdrawn),
        )

    async def finish_round(self, groups: Sequence[Group], withdrawn: Iterable[int]) -> None:
        """Read the results of a round that is over and stored, if later rounds depend on them."""
        if not self.is_adaptive:
            return
        if self._is_newest:  # an entrant was withdrawn when the process was killed
            await self.leave(withdrawn)
        self._results += await asyncio.to_thread(
            read_results, self._store, self._tournament, self.definition, groups
        )

    async def change(self, amend: Amend, cut_off: Callable[[int], int]) -> int:
        """Change the entrants in the groups that have not begun; return the first of these groups.

        Stores the new definition. `cut_off` is that of the executor which plays the round. Raises
        what `amend` and the store raise, and `ConflictError` when the run is over.
        """
        await self._caught_up.wait()
        async with self._changing:
            if self._is_over:
                raise ConflictError("the tournament has just ended or stopped: look at it again")
            if not self.is_adaptive and (end := cut_off(self._begun_to)):
                self.end = end
            # A process that was killed after a change may have begun groups that are not stored.
            first = max(self.end, self.definition.last_change)
            await self._adopt(amend(self.definition, first))
            return first

    async def leave(self, entrants: Iterable[int]) -> None:
        """Leave withdrawn entrants out of the pairing of later rounds."""
        if not self.is_adaptive:
            return
        async with self._changing:
            changes = self.definition.changes
            left = {change.entrant for change in changes if not change.joins}
            leaving = [
                Change(entrant=entrant, first_group=self.end, joins=False)
                for entrant in sorted(set(entrants) - left)
            ]
            if leaving:
                await self._adopt(replace(self.definition, changes=(*changes, *leaving)))

    def close(self) -> None:
        """Allow no more changes."""
        self._is_over = True
        self._caught_up.set()

    @property
    def _is_newest(self) -> bool:
        """Whether nothing of a later round is stored: no change may come before such a round."""
        return self.end >= self._begun_to

    async def _adopt(self, definition: Definition) -> None:
        await asyncio.to_thread(self._store.amend, self._tournament, definition)
        self.definition = definition
        self._pairing = make_pairing(definition)

    def _count_groups_before(self, first: int) -> None:
        earlier = takewhile(lambda group: group.number < first, list_groups(self._pairing))
        for group in earlier:
            self._groups_before.update(group.table)

    def _count_groups(self, groups: Sequence[Group]) -> Iterator[ChunkGroup]:
        before = self._groups_before.copy()
        for group in groups:
            counts = [min(before[entrant], MOST_GROUPS_WITH_NOTES) for entrant in group.table]
            # Who plays it needs no bracket.
            sent = group if group.look is None else replace(group, look=None)
            yield ChunkGroup(group=sent, groups_before=tuple(counts))
            before.update(group.table)
