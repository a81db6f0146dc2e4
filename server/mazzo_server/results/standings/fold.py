"""The standings as a fold over the mirror groups of a tournament, which can be kept and resumed.

They follow from the definition, the schedule, the matches and the withdrawals, in whatever order
the matches finished. A mirror group counts only when every seating is finished; the groups of a
withdrawn entrant count for nobody. An entrant is a side of the table: a team has the scores of any
of its members, for they are the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from mazzo_server.model import Definition, MatchOutcome, PairingScheme
from mazzo_server.pairing import Bracket, Group, GroupResult, SwissRow, rank_places
from mazzo_server.results.standings.bracket import (
    BracketSums,
    list_played_pools,
    list_played_rounds,
)
from mazzo_server.results.standings.course import CourseSums
from mazzo_server.results.standings.fault_sums import FaultSums
from mazzo_server.results.standings.rows import (
    Tally,
    has_order_by_rating,
    list_pairs,
    make_rows,
)
from mazzo_server.results.standings.seat_bias import SeatSums
from mazzo_server.results.standings.shares import (
    add_scores,
    count_shares,
    judge_group,
    make_result,
    rank_shares,
)
from mazzo_server.results.standings.swiss_rounds import SwissSums
from mazzo_server.results.standings.values import Course, Standings, Withdrawal
from mazzo_server.stats import Rating, Ratings, Sums, Tables, compute_mean_score

__all__ = ["Fold"]

_FORMAT = "mazzo-standings/6"


@dataclass(slots=True)
class GroupCounts:
    """How many mirror groups were added."""

    counted: int = 0
    void: int = 0
    # Whether the ratings are those of all of them together, see `Fold.refit`.
    are_refitted: bool = False


class Fold:
    """A tournament's standings, to which mirror groups are added in schedule order.

    It keeps only sums, so it stays small however long the tournament is. The sums are exact: the
    same groups give the same bits, even when the fold was written and read in between.
    """

    def __init__(
        self,
        definition: Definition,
        sides: Sequence[Sequence[int]],
        withdrawals: Mapping[int, str] | None = None,
    ) -> None:
        """`sides` has the seats of each side, `withdrawals` the reasons by index of the entrant.

        Where results are kept as they were, nobody's are void for a withdrawal.
        """
        self._definition = definition
        self._sides = sides
        keeps_results = definition.pairing.keeps_results
        self._withdrawals = {} if keeps_results else dict(withdrawals or {})
        self._ratings = Ratings(draw_probability=definition.draw_probability)
        _inherit(self._ratings, definition)
        self.groups = GroupCounts()
        self._tallies = {
            index: Tally()
            for index in range(len(definition.entrants))
            if index not in self._withdrawals
        }
        self._tables: dict[tuple[int, ...], Sums] = {}
        self._course = CourseSums(sides)
        self._seats = SeatSums(sides)
        # Of a Swiss tournament or a bracket: what its own order follows from.
        self._rounds: SwissSums | BracketSums | None = None
        if definition.pairing is PairingScheme.SWISS:
            self._rounds = SwissSums()
        elif definition.pairing.has_bracket:
            self._rounds = BracketSums(definition)
        self._faults = FaultSums()

    def add(self, group: Group, matches: Sequence[MatchOutcome] | None) -> GroupResult:
        """Add the next finished group, with its match of each seating; None: it is void.

        It is also void when an entrant of the group was withdrawn. A bracket takes it as it was
        played all the same: who went on from a bout stays as it was.
        """
        if matches is None or not self._withdrawals.keys().isdisjoint(group.table):
            self.groups.void += 1
            void = GroupResult(table=group.table, ranks=None, scores={})
            in_round = void
            if matches and isinstance(self._rounds, BracketSums):
                in_round = judge_group(group, matches, sides=self._sides)
            self._add_to_round(group, in_round)
            return void
        self.groups.counted += 1
        shares = count_shares(group, matches, sides=self._sides)
        ranks = rank_shares(shares)
        self._ratings.rate(ranks)
        for entrant, share in shares.items():
            self._tallies[entrant].add(share, shares, rank=ranks[entrant], ranks=ranks)
        # Larger tables of a ladder are any number: nothing could be told of each, and what is kept
        # of a season would never stop growing.
        keeps_results = self._definition.pairing.keeps_results
        if not keeps_results or len(group.table) == 2:
            add_scores(self._tables, group.table, shares)
        if not keeps_results or len(group.table) == len(group.seatings):
            self._seats.add(group, matches)
        self._course.add(group.table, matches, shares, ranks)
        for match in matches:
            if match.faults:
                self._faults.add(match)
        self._course.add_moment(self.groups.counted, self._read_merits)
        result = make_result(group, shares, ranks)
        self._add_to_round(group, result)
        return result

    def _add_to_round(self, group: Group, result: GroupResult) -> None:
        if isinstance(self._rounds, SwissSums):
            self._rounds.add(group, result.ranks)
        elif self._rounds is not None:
            self._rounds.add(group, result)

    def refit(self, ratings: Mapping[int, Rating]) -> None:
        """Put the ratings of a whole season, by entrant, in the place of those group by group."""
        self.groups.are_refitted = True
        for entrant, rating in ratings.items():
            self._ratings[entrant] = rating

    def read_ratings(self) -> Mapping[int, Rating]:
        """Return the rating of each entrant for which a group counts."""
        return {
            index: self._ratings[index]
            for index, tally in self._tallies.items()
            if tally.has_played
        }

    def count_meetings(self) -> Mapping[tuple[int, int], tuple[int, int, int]]:
        """Return the groups that the first of two entrants has won against the second.

        Those that it has drawn and lost come after them. A pair stands once, in any order, or in
        both.
        """
        return {
            pair: sums.count_results()
            for pair, sums in self._course.met.items()
            if not self._withdrawals.keys() & {*pair}
        }

    def _read_merits(self) -> dict[int, float]:
        """Return what orders the rows, of those who have played; in a Swiss tournament ratings."""
        played = [index for index, tally in self._tallies.items() if tally.has_played]
        if has_order_by_rating(self._definition):
            return {index: self._ratings[index].conservative for index in played}
        means = {index: compute_mean_score(self._tables, index) for index in played}
        return {index: mean for index, mean in means.items() if mean is not None}

    def to_json(self) -> str:
        """Return the whole fold as a JSON text, for `from_json`."""
        state = {
            "format": _FORMAT,
            "withdrawn": sorted(self._withdrawals),
            "counted": self.groups.counted,
            "void": self.groups.void,
            "refitted": self.groups.are_refitted,
            "ratings": self._ratings.to_json(),
            "tallies": [[index, *tally.to_json()] for index, tally in self._tallies.items()],
            "tables": [[table, sums.to_json()] for table, sums in self._tables.items()],
            "course": self._course.to_json(),
            "seats": self._seats.to_json(),
            "swiss": self._rounds.to_json() if isinstance(self._rounds, SwissSums) else None,
            "bracket": self._rounds.to_json() if isinstance(self._rounds, BracketSums) else None,
            **self._faults.to_json(),
        }
        return json.dumps(state, separators=(",", ":"))

    @classmethod
    def from_json(
        cls,
        text: str,
        definition: Definition,
        sides: Sequence[Sequence[int]],
        withdrawals: Mapping[int, str] | None = None,
    ) -> Self | None:
        """Restore the fold from its JSON text; entrants may have joined or retired since.

        Returns None where another version of the platform wrote it, or other entrants were
        withdrawn then: all groups must be added again.
        """
        state = json.loads(text)
        fold = cls(definition, sides, withdrawals)
        if (state["format"], state["withdrawn"]) != (_FORMAT, sorted(fold._withdrawals)):
            return None
        fold.groups = GroupCounts(state["counted"], state["void"], state["refitted"])
        fold._ratings = Ratings.from_json(
            state["ratings"], draw_probability=definition.draw_probability
        )
        _inherit(fold._ratings, definition)
        for index, *numbers in state["tallies"]:
            fold._tallies[index] = Tally.from_json(numbers)
        for table, numbers in state["tables"]:
            fold._tables[tuple(table)] = Sums.from_json(len(table), numbers)
        fold._course = CourseSums.from_json(state["course"], sides)
        fold._seats = SeatSums.from_json(state["seats"], sides)
        if isinstance(fold._rounds, SwissSums):
            fold._rounds = SwissSums.from_json(state["swiss"])
        elif fold._rounds is not None:
            fold._rounds.read_json(state["bracket"])
        fold._faults = FaultSums.from_json(state)
        return fold

    def make_standings(self, *, groups: int, with_pairs: bool = True) -> Standings:
        """Return the standings over the groups so far; the schedule has `groups` of them.

        Without the pairs they are made sooner, where there are thousands.
        """
        swiss = self._make_swiss_rows()
        bracket = None
        if isinstance(self._rounds, BracketSums):
            bracket = self._rounds.make_bracket(self._withdrawals)
        ordered = make_rows(
            self._definition,
            self._sides,
            self._tallies,
            self._tables,
            self._ratings,
            ranks=self._rank_entrants(bracket) or {row.entrant: row.rank for row in swiss.values()},
        )
        return Standings(
            groups=groups,
            counted=self.groups.counted,
            void=self.groups.void,
            rows=tuple(row for _, row in ordered),
            withdrawn=self._list_withdrawn(),
            pairs=tuple(
                list_pairs(
                    self._definition,
                    [index for index, _ in ordered] if with_pairs else (),
                    self._tables,
                    self._course.met,
                )
            ),
            faults=self._faults.list_entries(self._definition),
            faults_total=self._faults.total,
            fault_kinds=self._faults.count_kinds(self._definition),
            seat_bias=self._seats.report(),
            swiss=tuple(swiss[index] for index, _ in ordered if swiss),
            bracket=None if bracket is None else list_played_rounds(self._definition, bracket),
            is_bracket_over=bracket is not None and bracket.is_over,
            pools=() if bracket is None else list_played_pools(self._definition, bracket),
        )

    def make_course(self) -> Course:
        """Return what lies behind the standings over the groups so far."""
        return self._course.make_course(
            self._definition,
            groups=self.groups.counted,
            has_ratings=has_order_by_rating(self._definition),
            # Ratings of a whole season are others than those of its moments.
            read=None if self.groups.are_refitted else self._read_merits,
        )

    @property
    def tables(self) -> Tables:
        """What was scored at each table in the groups so far."""
        return self._tables

    def _rank_entrants(self, bracket: Bracket | None) -> dict[int, int]:
        """Return the places in a bracket of all that were not withdrawn, from 1."""
        if bracket is None:
            return {}
        places = rank_places(bracket.rounds, self._definition.seeds)
        present = (entrant for entrant in places if entrant not in self._withdrawals)
        return {entrant: place for place, entrant in enumerate(present, start=1)}

    def _make_swiss_rows(self) -> dict[int, SwissRow]:
        if not isinstance(self._rounds, SwissSums):
            return {}
        found = self._rounds.make_rows(
            entrants=len(self._definition.entrants),
            withdrawn=self._withdrawals,
            changes=self._definition.changes,
        )
        return {row.entrant: row for row in found}

    def _list_withdrawn(self) -> tuple[Withdrawal, ...]:
        withdrawn = (
            Withdrawal(
                name=self._definition.entrants[index].name,
                version=self._definition.entrants[index].version,
                reason=reason,
            )
            for index, reason in self._withdrawals.items()
        )
        return tuple(sorted(withdrawn, key=lambda withdrawal: withdrawal.name))


def _inherit(ratings: Ratings, definition: Definition) -> None:
    """Begin with what versions have inherited that were not rated yet."""
    for change in definition.changes:
        if change.inherited is not None and change.entrant not in ratings:
            mu, sigma = change.inherited
            ratings[change.entrant] = Rating(mu=mu, sigma=sigma)
