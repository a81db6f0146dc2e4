"""A ladder: a season of which nobody knows the end, where bots join and leave.

It is made in batches. A batch follows from the definition, the results up to the batch before the
last one, and who is there when it begins. So while one batch is played, the next one is known.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice, pairwise
from typing import Final

from mazzo_server.model import Change, Entrant
from mazzo_server.pairing.base import Group, GroupResult
from mazzo_server.pairing.ladder.rule import ENOUGH_GROUPS, choose_tables
from mazzo_server.pairing.ladder.state import LadderState
from mazzo_server.pairing.presence import list_present
from mazzo_server.pairing.seats import Seats, TableEntrants
from mazzo_server.stats import Rating

__all__ = ["Ladder"]

_LEAST_GROUPS: Final = 8  # of a batch
_MOST_OPEN: Final = 2  # batches without results, when a batch is made


class Ladder:
    """A pairing that goes on until all are known well enough, and again when somebody joins.

    Two versions of one bot do not meet: one could lose to the other on purpose.

    An entrant is a version of a bot. Several versions of one bot may be there: the newest one, and,
    until that has 30 groups, the newest of those that have them. The others rest.

    It is *settled* when nobody there has fewer than 30 groups, and the order of all neighbours by μ
    is as sure as the `confidence`, by Φ(Δμ / √(σ₁² + σ₂²)). Then `next` returns no more groups.
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

    def next(self, first: int, results: Sequence[GroupResult] = ()) -> Sequence[Group]:
        """Return the rest of the batch of group `first`; () when the ladder is settled."""
        state = self.begin()
        while batch := self.make_batch(state, results[state.groups_known :]):
            if first < batch[-1].number + 1:
                return tuple(islice(batch, first - batch[0].number, None))
        return ()

    def make_batch(self, state: LadderState, results: Sequence[GroupResult]) -> Sequence[Group]:
        """Make the next batch, and add it to the state; () when the ladder is settled.

        `results` are those of the groups that the state does not know yet, as far as there are any.
        The state takes those that decide, and no more.
        """
        while len(state.open_batches) >= _MOST_OPEN:
            size = len(state.open_batches[0])
            assert len(results) >= size, "expected the results of the batch before the last one"
            state.add_results(results[:size])
            results = results[size:]
        present = self._list_active(state)
        room = self._most_groups - state.groups
        bots = {entrant: self._entrants[entrant].bot for entrant in present}
        if len({*bots.values()}) < self._sides or room < 1:
            return ()
        if self._is_settled(state, present) and self._is_settled_by_all(state, results, present):
            return ()
        count = min(max(_LEAST_GROUPS, len(present)), room)
        tables = choose_tables(state, bots, sides=self._sides, count=count)
        groups: list[Group] = []
        in_batch = Counter[TableEntrants]()
        for number, table in enumerate(tables, state.groups):
            number_at_table = state.at_table[table] + in_batch[table]
            groups.append(self._seats.group(number, table, number_at_table))
            in_batch[table] += 1
        state.add_batch(tables)
        return tuple(groups)

    def _list_active(self, state: LadderState) -> list[int]:
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

    def _is_settled_by_all(
        self, state: LadderState, results: Sequence[GroupResult], present: Sequence[int]
    ) -> bool:
        """Tell whether the results of the open batches, which must be there, change nothing."""
        later = state.copy()
        for batch in state.open_batches:
            assert len(results) >= len(batch), "expected the results of all groups before"
            later.add_results(results[: len(batch)])
            results = results[len(batch) :]
        return self._is_settled(later, present)

    def _is_settled(self, state: LadderState, present: Sequence[int]) -> bool:
        if any(state.played[entrant] < ENOUGH_GROUPS for entrant in present):
            return False
        ratings = sorted(map(state.find_rating, present), key=lambda rating: rating.mu)
        return all(
            _compute_probability(upper, lower) >= self._confidence
            for lower, upper in pairwise(ratings)
        )


def _compute_probability(one: Rating, other: Rating) -> float:
    """Return how probably the first has more skill than the second."""
    spread = math.hypot(one.sigma, other.sigma)
    return math.erfc((other.mu - one.mu) / spread / math.sqrt(2)) / 2
