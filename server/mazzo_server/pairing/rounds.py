"""The rounds of a pairing, made one after the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from mazzo_server.pairing.base import MOST_GROUPS, Group, GroupResult, Pairing, list_groups
from mazzo_server.pairing.ladder import ChosenTable, Ladder

__all__ = ["Outlook", "Rounds", "begin_rounds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """Who plays next on a ladder, before a round is made."""

    present: Sequence[int]  # the entrants that may play
    waits: Mapping[int, int]  # by entrant that has played: groups since its last one
    next_tables: Sequence[ChosenTable]  # () while it rests


class Rounds(ABC):
    """What is known of the groups: those that were made, and, where they decide, their results.

    A round has as many groups as the results before it allow.
    """

    is_adaptive: bool  # whether results decide what is played
    # Whether the newest round may end where a change holds; else none comes before its end.
    may_end_early: bool

    def __init__(self, pairing: Pairing) -> None:
        self._pairing = pairing
        # How many groups each entrant had before the first round that was made; or none.
        self.played: Mapping[int, int] = {}

    @property
    @abstractmethod
    def end(self) -> int:
        """One more than the number of the last group that was made."""

    @property
    def total(self) -> int:
        """The number of all groups; where results decide, the most possible.

        Of a ladder, which has no planned end, the number of those that were made.
        """
        return self._pairing.total()

    def skip(self, end: int) -> None:
        """Go on from that group, where no result decides: those before it are over."""
        assert end == self.end, "expected the results of all groups before"

    @abstractmethod
    def make_round(self, wanted: int = 1) -> Sequence[Group]:
        """Make the next round, after all results of those before; (): there is none for now.

        It has as many groups as are `wanted`, or somewhat more, if so many may be played.
        """

    @abstractmethod
    def add_results(self, results: Sequence[GroupResult]) -> None:
        """Add the results of the newest round, in schedule order, where results decide."""

    @abstractmethod
    def change(self, pairing: Pairing, end: int) -> Rounds:
        """Return the rounds with one more change in the definition, which holds from `end` on.

        The groups from there on, of a newest round that may end early, are not made.
        """

    def explain(self) -> Outlook | None:
        """Return who plays next, and why; None where that is no question of a ladder."""
        return None

    def to_json(self) -> str | None:
        """Return what is known as text, for `begin_rounds`, when no result is missing.

        None: all results are needed again, or none.
        """
        return None


def begin_rounds(pairing: Pairing, kept: str | None = None) -> Rounds:
    """Return the rounds of a pairing, from the beginning or from a text that was kept.

    Raises `ValueError` for the text of another release.
    """
    if isinstance(pairing, Ladder):
        return _LadderRounds(pairing, kept)
    return _AdaptiveRounds(pairing) if pairing.is_adaptive else _FixedRounds(pairing)


class _FixedRounds(Rounds):
    """Those of a pairing that does not look at results."""

    is_adaptive = False
    may_end_early = True

    def __init__(self, pairing: Pairing) -> None:
        super().__init__(pairing)
        self._end = 0

    @property
    def end(self) -> int:
        return self._end

    def skip(self, end: int) -> None:
        before = takewhile(lambda group: group.number < end, list_groups(self._pairing))
        self.played = Counter(entrant for group in before for entrant in group.table)
        self._end = end

    def make_round(self, wanted: int = 1) -> Sequence[Group]:
        groups = self._pairing.next(self._end)
        made = len(groups)
        while made == MOST_GROUPS and len(groups) < wanted:
            more = self._pairing.next(self._end + len(groups))
            made = len(more)
            groups = (*groups, *more)
        self._end += len(groups)
        return groups

    def add_results(self, results: Sequence[GroupResult]) -> None:
        pass

    def change(self, pairing: Pairing, end: int) -> Rounds:
        self._pairing, self._end = pairing, end
        return self


class _AdaptiveRounds(Rounds):
    """Those of a pairing that decides by all results at once."""

    is_adaptive = True
    may_end_early = False

    def __init__(self, pairing: Pairing) -> None:
        super().__init__(pairing)
        self._end = 0
        self._results: list[GroupResult] = []

    @property
    def end(self) -> int:
        return self._end

    def make_round(self, wanted: int = 1) -> Sequence[Group]:
        groups = self._pairing.next(self._end, self._results)
        self._end += len(groups)
        return groups

    def add_results(self, results: Sequence[GroupResult]) -> None:
        self._results += results

    def change(self, pairing: Pairing, end: int) -> Rounds:
        assert end == self._end, "expected a change after the newest round"
        self._pairing = pairing
        return self


class _LadderRounds(Rounds):
    """Those of a ladder, of which the state is remembered alone.

    A round has the batches that can be made: two, as each depends on the one before the last.
    """

    is_adaptive = True
    may_end_early = True

    def __init__(self, ladder: Ladder, kept: str | None = None) -> None:
        super().__init__(ladder)
        self._ladder = ladder
        self._state = ladder.begin() if kept is None else ladder.read_state(kept)
        self._before = self._state.to_json()  # the newest round
        self.played = self._state.played.copy()

    @property
    def end(self) -> int:
        return self._state.groups

    @property
    def total(self) -> int:
        return self._state.groups

    def make_round(self, wanted: int = 1) -> Sequence[Group]:
        assert self._is_whole, "expected all results before"
        self._before = self._state.to_json()
        groups: list[Group] = []
        while batch := self._ladder.make_batch(self._state):
            groups += batch
        return groups

    def add_results(self, results: Sequence[GroupResult]) -> None:
        for result in results:
            self._state.add_result(result.ranks)

    def change(self, pairing: Pairing, end: int) -> Rounds:
        assert isinstance(pairing, Ladder)
        if end == self.end:
            changed = _LadderRounds(pairing, self._state.to_json())
            changed._before = self._before
            return changed
        changed = _LadderRounds(pairing, self._before)
        while changed.end < end:  # no batch goes beyond a change
            batch = pairing.make_batch(changed._state)
            assert batch, "expected the batches of the newest round"
        return changed

    def explain(self) -> Outlook | None:
        return Outlook(
            present=tuple(self._ladder.list_active(self._state)),
            waits={one: self.end - since for one, since in self._state.latest.items()},
            next_tables=tuple(self._ladder.explain_next(self._state)),
        )

    def to_json(self) -> str | None:
        return self._state.to_json() if self._is_whole else None

    @property
    def _is_whole(self) -> bool:
        return self._state.groups_known == self._state.groups
