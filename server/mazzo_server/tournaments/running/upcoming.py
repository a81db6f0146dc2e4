"""Decides what a run plays next, and what may still be changed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from mazzo.games import parse_variant
from mazzo.match import MatchFormat
from mazzo_server.errors import ConflictError
from mazzo_server.model import Change, Definition, PairingScheme
from mazzo_server.pairing import (
    Group,
    Rounds,
    begin_rounds,
    make_pairing,
)
from mazzo_server.play import MOST_GROUPS_WITH_NOTES, MatchRules
from mazzo_server.results import continue_rounds, read_results
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
        self._row = row
        self._rounds = begin_rounds(make_pairing(row.definition))
        self._changing = asyncio.Lock()  # held while the next groups are decided
        self._caught_up = asyncio.Event()  # the newest round has groups not stored yet
        self._changed = asyncio.Event()  # or stopped, since nothing was left to play
        self._is_over = False
        self._begun_to = 0  # one more than the last group that an earlier run has begun
        self._newest: Sequence[Group] = ()  # the groups of the newest round
        self._groups_before: Counter[int] = Counter()  # by entrant, in the rounds before the newest

    @property
    def is_endless(self) -> bool:
        """Whether it rests when there is nothing to play, until somebody joins."""
        return self.definition.pairing is PairingScheme.LADDER

    @property
    def matches_total(self) -> int:
        """The number of matches of the tournament, see `Rounds.total`."""
        return self._rounds.total * self.definition.seatings

    async def load(self) -> frozenset[tuple[int, int]]:
        """Find the current state; return the matches that an earlier run has stored.

        It returns none of the groups before the first that is not over.
        """
        store, tournament, first = self._store, self._row.id, 0
        if self._rounds.is_adaptive:
            self._rounds = await asyncio.to_thread(continue_rounds, store, self._row)
            first = self._rounds.end  # all groups before this one are over
        else:
            kept = await asyncio.to_thread(store.checkpoint, tournament)
            first = kept[0] if kept is not None else 0  # likewise
            await asyncio.to_thread(self._rounds.skip, first)
        self._groups_before.update(self._rounds.played)
        self.end = first
        self._begun_to = max(first, await asyncio.to_thread(store.next_group, tournament))
        return frozenset(
            await asyncio.to_thread(store.finished_matches, tournament, first_group=first)
        )

    async def take_next_round(self, wanted: int = 1) -> Sequence[Group]:
        """Return the next groups; none when the tournament is over.

        There are as many as are `wanted`, or somewhat more, if so many may be played. Where it is
        endless this waits until there are some, or until it is stopped.
        """
        while True:
            async with self._changing:
                groups = await self._take_next_round(wanted)
                if not groups and not self.is_endless:
                    self._is_over = True  # else a bot might still join, and never play
                if groups or self._is_over:
                    return groups
                self._changed.clear()
            await self._changed.wait()

    async def _take_next_round(self, wanted: int) -> Sequence[Group]:
        for group in self._newest:
            if group.number < self.end:  # a change may have cut the others off
                self._groups_before.update(group.table)
        if self.end < self._rounds.end:  # they were cut off for a change that failed
            groups: Sequence[Group] = [one for one in self._newest if one.number >= self.end]
        else:
            self._newest = ()  # a round may be large: there is room for one
            # In a thread, for a long schedule takes time.
            groups = await asyncio.to_thread(self._rounds.make_round, wanted)
        self._newest = groups
        self.end += len(groups)
        if self._is_newest:
            self._caught_up.set()
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
            seatings=self.definition.seatings,
            finished=finished,
            withdrawn=frozenset(withdrawn),
        )

    async def finish_round(
        self, groups: Sequence[Group], withdrawn: Iterable[int]
    ) -> Sequence[Group]:
        """Read the results of a round that is over and stored, if later rounds depend on them.

        Returns its groups then, without those that a change has cut off; else none.
        """
        if not self._rounds.is_adaptive:
            return ()
        if self._is_newest:  # an entrant was withdrawn when the process was killed
            await self.leave(withdrawn)
        played = [group for group in groups if group.number < self.end]
        await asyncio.to_thread(self._add_results, self._rounds, played)
        return played

    def _add_results(self, rounds: Rounds, groups: Sequence[Group]) -> None:
        rounds.add_results(read_results(self._store, self._row.id, self.definition, groups))
        if (kept := rounds.to_json()) is not None:
            self._store.keep_schedule(self._row.id, kept)

    async def change(self, amend: Amend, cut_off: Callable[[int], int]) -> int:
        """Change the entrants in the groups that have not begun; return the first of these groups.

        Stores the new definition. `cut_off` is that of the executor which plays the round. Raises
        what `amend` and the store raise, and `ConflictError` when the run is over.
        """
        await self._caught_up.wait()
        async with self._changing:
            if self._is_over:
                raise ConflictError("the tournament has just ended or stopped: look at it again")
            amend(self.definition, self.end)  # before anything is cut off, raise what it raises
            earliest = max(self._begun_to, self.definition.last_change)
            if self._rounds.may_end_early and (end := cut_off(earliest)):
                self.end = end
            # A process that was killed after a change may have begun groups that are not stored.
            first = max(self.end, self.definition.last_change)
            await self._adopt(amend(self.definition, first))
            return first

    async def leave(self, entrants: Iterable[int]) -> None:
        """Leave withdrawn entrants out of the pairing of later rounds."""
        if not self._rounds.is_adaptive:
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

    def stop(self) -> None:
        """Wait no longer where there is nothing to play, and allow no more changes there."""
        self._is_over = self._is_over or self.is_endless
        self._changed.set()

    def close(self) -> None:
        """Allow no more changes."""
        self._is_over = True
        self._caught_up.set()
        self._changed.set()

    @property
    def _is_newest(self) -> bool:
        """Whether nothing of a later round is stored: no change may come before such a round."""
        return self.end >= self._begun_to

    async def _adopt(self, definition: Definition) -> None:
        await asyncio.to_thread(self._store.amend, self._row.id, definition)
        self.definition = definition
        self._rounds = self._rounds.change(make_pairing(definition), self.end)
        self._changed.set()

    def _count_groups(self, groups: Sequence[Group]) -> Iterator[ChunkGroup]:
        before = self._groups_before.copy()
        for group in groups:
            counts = [min(before[entrant], MOST_GROUPS_WITH_NOTES) for entrant in group.table]
            # Who plays it needs no bracket.
            sent = group if group.look is None else replace(group, look=None)
            yield ChunkGroup(group=sent, groups_before=tuple(counts))
            before.update(group.table)
