"""Adds up what lies behind the standings: who met whom, scores of deals, and moments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, Self

from mazzo_server.model import Definition, MatchOutcome
from mazzo_server.results.standings.meetings import MeetingSums, list_meetings
from mazzo_server.results.standings.moments import Moments
from mazzo_server.results.standings.shares import Share
from mazzo_server.results.standings.values import Course, Moment
from mazzo_server.stats import HistogramSums

__all__ = ["CourseSums"]

_MOST_BINS = 16  # of deal scores, on each side of 0

Merits = Mapping[int, float]
"""By entrant that has played: what orders the rows."""


class CourseSums:
    """The sums from which a `Course` is made."""

    def __init__(self, sides: Sequence[Sequence[int]]) -> None:
        self.met: dict[tuple[int, int], MeetingSums] = {}  # by the first entrant and the second
        self._members = [side[0] for side in sides]
        self._scores: dict[int, HistogramSums] = {}  # of deals, by entrant
        self._moments = Moments()

    def add(
        self,
        table: tuple[int, ...],
        matches: Sequence[MatchOutcome],
        shares: Mapping[int, Share],
        ranks: Mapping[int, int],
    ) -> None:
        """Add a group that counts."""
        for a, b in combinations(table, 2):
            sums = self.met.get((a, b))
            if sums is None:
                sums = self.met[a, b] = MeetingSums()
            sums.add((ranks[a], ranks[b]), (shares[a], shares[b]))
        for match in matches:
            for member in self._members:
                entrant = match.entrants[member]
                own = self._scores.get(entrant)
                if own is None:
                    own = self._scores[entrant] = HistogramSums(most=_MOST_BINS, exponent=0)
                for scores in match.counted_scores:
                    own.add(scores[member] if scores else 0)  # a forfeit broke it off

    def add_moment(self, groups: int, read: Callable[[], Merits]) -> None:
        """Keep how things stand after so many groups, now and then."""
        self._moments.add(groups, read)

    def to_json(self) -> list[Any]:
        """Return the whole state as values that JSON can hold, for `from_json`."""
        return [
            [[*pair, *sums.to_json()] for pair, sums in self.met.items()],
            [[index, *sums.to_json()] for index, sums in self._scores.items()],
            self._moments.to_json(),
        ]

    @classmethod
    def from_json(cls, state: Sequence[Any], sides: Sequence[Sequence[int]]) -> Self:
        """Return the sums of which `to_json` returned the state."""
        course = cls(sides)
        met, scores, moments = state
        course.met = {(a, b): MeetingSums.from_json(counts) for a, b, *counts in met}
        course._scores = {
            index: HistogramSums.from_json(counts, most=_MOST_BINS) for index, *counts in scores
        }
        course._moments = Moments.from_json(moments)
        return course

    def make_course(
        self,
        definition: Definition,
        *,
        groups: int,
        has_ratings: bool,
        read: Callable[[], Merits] | None,
    ) -> Course:
        """Return what there is after so many groups.

        `read` says how things stand now; without it the moments end with the last one that is kept.
        """
        names = [entrant.name for entrant in definition.entrants]
        moments = list(self._moments.list_moments())
        if read is not None and moments and moments[-1][0] != groups:
            moments.append((groups, read()))
        return Course(
            scores={names[index]: sums.make_histogram() for index, sums in self._scores.items()},
            has_ratings=has_ratings,
            moments=tuple(
                Moment(
                    groups=number,
                    values={names[index]: value for index, value in values.items()},
                )
                for number, values in moments
            ),
            meetings=list_meetings(definition, self.met),
        )
