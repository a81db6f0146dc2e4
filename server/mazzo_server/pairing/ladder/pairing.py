"""A ladder: a season of which nobody knows the end, where bots join and leave.

It is made in batches. A batch follows from the definition, the results up to the batch before the
last one, and who is there when it begins. So while one batch is played, the next one is known.

A batch has a group for each that is there. It has more where many are new, and once all are known
well: each batch costs new instances of all bots, and its results change little of what is played
next. It ends early where somebody joins or leaves.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import NormalDist
from typing import Final

from mazzo_server.model import Change, Entrant
from mazzo_server.pairing.base import Group, GroupResult
from mazzo_server.pairing.ladder.rule import (
    ENOUGH_GROUPS,
    LEVEL_SHARE,
    ChosenTable,
    choose_tables,
)
from mazzo_server.pairing.ladder.state import LadderState
from mazzo_server.pairing.presence import list_present
from mazzo_server.pairing.seats import Seats, TableEntrants
from mazzo_server.stats import BETA, Rating

__all__ = ["Ladder", "compute_lead", "is_level_with"]

_LEAST_GROUPS: Final = 8  # of a batch
_NEEDED_SHARE: Final = 4  # a batch has one of so many groups that new ones still need,
_MOST_TIMES: Final = 2  # but at most so many for each that is there
_LATER_GROUPS: Final = 20  # for each so many that were played, a batch has one where none is new
_MOST_GROUPS: Final = 256  # of a batch where none is new
_MOST_OPEN: Final = 2  # batches without results, when a batch is made
_LEVEL_SKILL: Final = NormalDist().inv_cdf(LEVEL_SHARE) * BETA * math.sqrt(2)


class Ladder:
    """A pairing that goes on until all are known well enough, and again when somebody joins.

    Two versions of one bot do not meet: one could lose to the other on purpose.

    An entrant is a version of a bot. Several versions of one bot may be there: the newest one, and,
    until that has 30 groups, the newest of those that have them. The others rest.

    It is *settled* when nobody there has fewer than 30 groups, and of all neighbours by rating
    (μ − 3σ) it is as sure as the `confidence` that the upper one is better, or that they are level.
    Then `next` returns no more groups.
    """

    is_adaptive: Final = True

    def __init__(
        self,
        seats: Seats,
        *,
        entrants: Sequence[Entrant],
        sides: int,
        most_groups: int,
        confidence: float,
        draw_probability: float,
        inherited: Mapping[int, Rating] | None = None,
        changes: Sequence[Change] = (),
    ) -> None:
        """Make the pairing; `seats` and `entrants` are those of the whole season.

        Who is `inherited` a rating starts from it, by index. A season has at most `most_groups`.
        """
        assert 0.5 < confidence < 1
        self._seats = seats
        self._entrants = entrants
        self._sides = sides
        self._most_groups = most_groups
        self._confidence = confidence
        self._draw_probability = draw_probability
        self._inherited = inherited
        self._changes = changes

    def total(self) -> int:
        """Return the most groups of a season."""
        return self._most_groups

    def begin(self) -> LadderState:
        """Return the state before the first group."""
        return LadderState(draw_probability=self._draw_probability, inherited=self._inherited)

    def read_state(self, text: str) -> LadderState:
        """Return the state that was kept as this JSON text; raise `ValueError`, see there."""
        return LadderState.from_json(
            text, draw_probability=self._draw_probability, inherited=self._inherited
        )

    def next(self, first: int, results: Sequence[GroupResult] = ()) -> Sequence[Group]:
        """Return the groups from `first` on as far as they are known; () when it is settled."""
        state = self.begin()
        groups: list[Group] = []
        while batch := self.make_batch(state):
            groups += batch
            for result in results[state.groups_known : batch[-1].number + 1]:
                state.add_result(result.ranks)
        return groups[first:]

    def make_batch(self, state: LadderState) -> Sequence[Group] | None:
        """Make the next batch, and add it to the state.

        None: not before more results are added. (): none at all, the ladder is settled. The state
        takes the results of those batches that decide, and no more.
        """
        while len(state.open_batches) >= _MOST_OPEN:
            if not state.take_batch():
                return None
        chosen = self._choose_batch(state)
        if not chosen:
            return None if chosen is None else ()
        tables = [one.table for one in chosen]
        first = state.groups
        state.add_batch(tables)
        return tuple(self.make_group(number, table) for number, table in enumerate(tables, first))

    def explain_next(self, state: LadderState) -> Sequence[ChosenTable]:
        """Return the tables that `make_batch` would make of a state, and why; () for none now."""
        state = state.copy()
        while len(state.open_batches) >= _MOST_OPEN and state.take_batch():
            pass
        return self._choose_batch(state) or ()

    def _choose_batch(self, state: LadderState) -> Sequence[ChosenTable] | None:
        present = self.list_active(state)
        room = self._most_groups - state.groups
        bots = {entrant: self._entrants[entrant].bot for entrant in present}
        if len({*bots.values()}) < self._sides or room < 1:
            return ()
        if self._is_settled(state, present):
            is_settled = self._is_settled_by_all(state, present)
            if is_settled is not False:
                return is_settled and ()
        return choose_tables(
            state, bots, sides=self._sides, count=min(self._count_groups(state, present), room)
        )

    def make_group(self, number: int, table: TableEntrants) -> Group:
        """Return a group by its number and its table, which tell all else."""
        return self._seats.group(number, table, number)

    def _count_groups(self, state: LadderState, present: Sequence[int]) -> int:
        """Return how many groups the next batch has, if the season does not end before."""
        needed = sum(max(ENOUGH_GROUPS - state.played[entrant], 0) for entrant in present)
        more = min(state.groups // _LATER_GROUPS, _MOST_GROUPS)
        if needed:
            more = min(needed // _NEEDED_SHARE, _MOST_TIMES * len(present))
        count = max(_LEAST_GROUPS, len(present), more)
        later = [change.first_group - state.groups for change in self._changes]
        return min([count, *(number for number in later if number > 0)])

    def list_active(self, state: LadderState) -> list[int]:
        """Return who may play in the next batch: of each bot one version, or two."""
        here = list_present(state.groups, entrants=len(self._entrants), changes=self._changes)
        newest: dict[str, int] = {}
        known: dict[str, int] = {}  # the newest with enough groups
        for index in sorted(here, key=lambda index: self._entrants[index].version):
            bot = self._entrants[index].bot
            newest[bot] = index
            if state.played[index] >= ENOUGH_GROUPS:
                known[bot] = index
        return sorted({*newest.values(), *known.values()})

    def _is_settled_by_all(self, state: LadderState, present: Sequence[int]) -> bool | None:
        """Tell whether the results of the open batches change nothing; None: some are missing."""
        if state.groups_known < state.groups:
            return None
        later = state.copy()
        while later.take_batch():
            pass
        return self._is_settled(later, present)

    def _is_settled(self, state: LadderState, present: Sequence[int]) -> bool:
        if self._has_new(state, present):
            return False
        ratings = sorted(
            map(state.find_rating, present), key=lambda rating: (rating.conservative, rating.mu)
        )
        return all(
            compute_lead(upper, lower) >= self._confidence
            or is_level_with(upper, lower, confidence=self._confidence)
            for lower, upper in pairwise(ratings)
        )

    def _has_new(self, state: LadderState, present: Sequence[int]) -> bool:
        return any(state.played[entrant] < ENOUGH_GROUPS for entrant in present)


def compute_lead(one: Rating, other: Rating, *, margin: float = 0.0) -> float:
    """Return how probably the first has more skill than the second, by more than the margin."""
    spread = math.hypot(one.sigma, other.sigma)
    return math.erfc((other.mu + margin - one.mu) / spread / math.sqrt(2)) / 2


def is_level_with(one: Rating, other: Rating, *, confidence: float) -> bool:
    """Tell whether neither scores over 55 % of the groups against the other, as surely as this.

    A draw counts half. Of bots that play alike it stays in doubt who is better, but any two are
    told apart in the end, or level: level first where the better one scores less than 52.5 %.
    """
    ahead = compute_lead(one, other, margin=_LEVEL_SKILL)
    behind = compute_lead(other, one, margin=_LEVEL_SKILL)
    return ahead + behind <= 1 - confidence
