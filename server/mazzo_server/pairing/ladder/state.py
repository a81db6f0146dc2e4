"""What a ladder remembers: a fold over its batches that stays small and can be kept."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Final, Self

from mazzo_server.pairing.base import GroupResult
from mazzo_server.pairing.seats import TableEntrants
from mazzo_server.stats import Rating, Ratings

__all__ = ["LadderState"]

_FORMAT: Final = "mazzo-ladder/1"  # changes whenever the same results give other batches


class LadderState:
    """Which batches were made, and what the results of the earlier ones say.

    A batch is *open* from when it is made until its results are added. Its size does not grow with
    the number of groups, but with that of the tables that have met.
    """

    def __init__(
        self, *, draw_probability: float, inherited: Mapping[int, Rating] | None = None
    ) -> None:
        """Begin without groups; who has `inherited` a rating starts from that, by index."""
        self.groups = 0  # of all batches
        self.groups_known = 0  # those of which the results were added
        self.played: Counter[int] = Counter()  # groups of each entrant in all batches
        self.latest: dict[int, int] = {}  # by entrant: one more than the number of its last group
        self.at_table: Counter[TableEntrants] = Counter()  # groups of each table in all batches
        self.met: Counter[tuple[int, int]] = Counter()  # groups of each pair, ascending, likewise
        self._draw_probability = draw_probability
        self._inherited = dict(inherited or {})
        self._ratings = Ratings(draw_probability=draw_probability)
        self._rated: set[int] = set()
        self._open: deque[tuple[TableEntrants, ...]] = deque()

    @property
    def open_batches(self) -> Sequence[tuple[TableEntrants, ...]]:
        """The tables of each batch without results, the oldest batch first."""
        return tuple(self._open)

    def find_rating(self, entrant: int) -> Rating:
        """Return what the results so far say of an entrant."""
        if entrant not in self._rated and entrant in self._inherited:
            return self._inherited[entrant]
        return self._ratings[entrant]

    def add_batch(self, tables: Iterable[TableEntrants]) -> None:
        """Add a batch that has been made."""
        batch = tuple(tables)
        for table in batch:
            self.groups += 1
            self.at_table[table] += 1
            self.met.update(combinations(table, 2))
            for entrant in table:
                self.played[entrant] += 1
                self.latest[entrant] = self.groups
        self._open.append(batch)

    def add_results(self, results: Sequence[GroupResult]) -> None:
        """Add the results of the oldest open batch, in schedule order; void groups say nothing."""
        batch = self._open.popleft()
        assert tuple(result.table for result in results) == batch, "expected those of the batch"
        for result in results:
            self.groups_known += 1
            if result.ranks is None:
                continue
            for entrant in result.ranks.keys() - self._rated:
                if entrant in self._inherited:
                    self._ratings[entrant] = self._inherited[entrant]
                self._rated.add(entrant)
            self._ratings.rate(result.ranks)

    def copy(self) -> Self:
        """Return a state that changes on its own."""
        return type(self).from_json(
            self.to_json(), draw_probability=self._draw_probability, inherited=self._inherited
        )

    def to_json(self) -> str:
        """Return the whole state as a JSON text, for `from_json`."""
        state = {
            "format": _FORMAT,
            "groups": self.groups,
            "groups_known": self.groups_known,
            "latest": sorted(self.latest.items()),
            "at_table": [[table, count] for table, count in self.at_table.items()],
            "ratings": self._ratings.to_json(),
            "rated": sorted(self._rated),
            "open": list(self._open),
        }
        return json.dumps(state, separators=(",", ":"))

    @classmethod
    def from_json(
        cls,
        text: str,
        *,
        draw_probability: float,
        inherited: Mapping[int, Rating] | None = None,
    ) -> Self:
        """Restore the state to the bit; entrants may have joined since.

        Raises `ValueError` for the text of another release: all results must be added again.
        """
        values = json.loads(text)
        if values["format"] != _FORMAT:
            raise ValueError(f"expected the state of a ladder as {_FORMAT}")
        state = cls(draw_probability=draw_probability, inherited=inherited)
        state.groups, state.groups_known = values["groups"], values["groups_known"]
        state.latest = dict(values["latest"])
        for entrants, count in values["at_table"]:
            table = tuple(entrants)
            state.at_table[table] = count
            for entrant in table:
                state.played[entrant] += count
            for pair in combinations(table, 2):
                state.met[pair] += count
        state._ratings = Ratings.from_json(values["ratings"], draw_probability=draw_probability)
        state._rated = set(values["rated"])
        state._open = deque(tuple(map(tuple, batch)) for batch in values["open"])
        return state
