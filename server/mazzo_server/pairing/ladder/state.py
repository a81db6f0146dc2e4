"""What a ladder remembers: a fold over its batches that stays small and can be kept."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Final, Self

from mazzo_server.pairing.seats import TableEntrants
from mazzo_server.stats import Rating, Ratings

__all__ = ["LadderState"]

_FORMAT: Final = "mazzo-ladder/4"  # changes whenever the same results give other batches

_Ranks = Mapping[int, int] | None  # by entrant: 0 is best, ties share; None: the group is void


class LadderState:
    """Which batches were made, and what the results of the earlier ones say.

    A batch is *open* from when it is made until its results are *taken*: from then on they count.
    The state does not grow with the number of groups, but with that of the pairs that have met.
    """

    def __init__(
        self, *, draw_probability: float, inherited: Mapping[int, Rating] | None = None
    ) -> None:
        """Begin without groups; who has `inherited` a rating starts from that, by index."""
        self.groups = 0  # of all batches
        self.played: Counter[int] = Counter()  # groups of each entrant in all batches
        self.latest: dict[int, int] = {}  # by entrant: one more than the number of its last group
        self.met: Counter[tuple[int, int]] = Counter()  # groups of each pair, ascending, likewise
        self._draw_probability = draw_probability
        self._inherited = dict(inherited or {})
        self._ratings = Ratings(draw_probability=draw_probability)
        self._rated: set[int] = set()
        self._open: deque[tuple[TableEntrants, ...]] = deque()
        self._results: deque[_Ranks] = deque()  # of the first groups of the open batches

    @property
    def open_batches(self) -> Sequence[tuple[TableEntrants, ...]]:
        """The tables of each open batch, the oldest batch first."""
        return tuple(self._open)

    @property
    def groups_known(self) -> int:
        """The number of groups of which the results were added."""
        return self.groups - sum(map(len, self._open)) + len(self._results)

    def find_rating(self, entrant: int) -> Rating:
        """Return what the results that were taken say of an entrant."""
        if entrant not in self._rated and entrant in self._inherited:
            return self._inherited[entrant]
        return self._ratings[entrant]

    def add_batch(self, tables: Iterable[TableEntrants]) -> None:
        """Add a batch that has been made."""
        batch = tuple(tables)
        for table in batch:
            self.groups += 1
            self.met.update(combinations(table, 2))
            for entrant in table:
                self.played[entrant] += 1
                self.latest[entrant] = self.groups
        self._open.append(batch)

    def add_result(self, ranks: _Ranks) -> None:
        """Add the ranks of the first group without a result; None: it is void and says nothing."""
        assert self.groups_known < self.groups, "expected a result of a group that was made"
        self._results.append(None if ranks is None else dict(ranks))

    def take_batch(self) -> bool:
        """Let the results of the oldest open batch count, if all of them were added."""
        if not self._open or len(self._results) < len(self._open[0]):
            return False
        for _ in self._open.popleft():
            self._rate(self._results.popleft())
        return True

    def _rate(self, ranks: _Ranks) -> None:
        if ranks is None:
            return
        for entrant in ranks.keys() - self._rated:
            if entrant in self._inherited:
                self._ratings[entrant] = self._inherited[entrant]
            self._rated.add(entrant)
        self._ratings.rate(ranks)

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
            "played": sorted(self.played.items()),
            "latest": sorted(self.latest.items()),
            "met": sorted([*pair, count] for pair, count in self.met.items()),
            "ratings": self._ratings.to_json(),
            "rated": sorted(self._rated),
            "open": list(self._open),
            "results": [ranks and sorted(ranks.items()) for ranks in self._results],
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
        state.groups = values["groups"]
        state.played = Counter(dict(values["played"]))
        state.latest = dict(values["latest"])
        state.met = Counter({(one, other): count for one, other, count in values["met"]})
        state._ratings = Ratings.from_json(values["ratings"], draw_probability=draw_probability)
        state._rated = set(values["rated"])
        state._open = deque(tuple(map(tuple, batch)) for batch in values["open"])
        state._results = deque(ranks and dict(ranks) for ranks in values["results"])
        return state
