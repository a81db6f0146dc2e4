"""Sums from which the figures of an arena are computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf

from mazzo.game import Variant
from mazzo_server.home.arena.match import PARTS_OF_A_DEAL, Outcome
from mazzo_server.pairing import Group
from mazzo_server.stats import (
    LEAST_GROUPS,
    Interval,
    Sums,
    Tables,
    compute_probability_better,
    estimate_score,
)

__all__ = ["ArenaTally", "Measure"]


class Measure(StrEnum):
    """The measures of a bot; each is a mean with mirror groups as the unit."""

    SCORE = "score"  # deal score
    LEAD = "lead"  # its deal score less the mean of the other sides'
    WON = "won"  # share of the deals won; a shared deal counts in part
    PLACE = "place"  # place in the match, from 1; ties have the mean of their places


@dataclass(slots=True)
class _Thought:
    """A running count of a bot's decisions."""

    decisions: int = 0
    late: int = 0
    micros: int = 0


class ArenaTally:
    """The sums over mirror groups, in any order.

    Copies of another bot around a lone one count for nobody: their gain is the lone bot's loss.
    """

    def __init__(self, variant: Variant, bots: int, *, alone: bool) -> None:
        self._sides = variant.sides
        self._alone = alone
        self._bots = bots
        # By bot: many tables are slow to search for those of one.
        self._tables: dict[Measure, list[dict[tuple[int, ...], Sums]]] = {
            measure: [{} for _ in range(bots)] for measure in Measure
        }
        self._thoughts = [_Thought() for _ in range(bots)]
        self.groups = 0
        self.matches = 0
        self.deals = 0
        self.decisions = 0

    def add(self, group: Group, outcomes: Sequence[Outcome]) -> None:
        """Add a group with all its seatings."""
        self.groups += 1
        self.matches += len(outcomes)
        deals = sum(outcome.deals for outcome in outcomes)
        self.deals += deals
        # At a lone bot's table only its own results count; the other number belongs to the key.
        counted = group.table[:1] if self._alone else group.table
        table = (counted[0], ~group.table[1]) if self._alone else counted
        places = {bot: place for place, bot in enumerate(counted)}
        values = {measure: [0] * len(counted) for measure in Measure}
        others = len(self._sides) - 1
        for seating, outcome in enumerate(outcomes):
            total = sum(outcome.scores)
            for side, bot in enumerate(group.seatings[seating]):
                self._add_thinking(bot, outcome, self._sides[side])
                place = places.get(bot)
                if place is not None:
                    score = outcome.scores[side]
                    values[Measure.SCORE][place] += score
                    values[Measure.LEAD][place] += (others + 1) * score - total
                    values[Measure.WON][place] += outcome.won[side]
                    values[Measure.PLACE][place] += outcome.places[side]
        for measure, own in values.items():
            by_bot = self._tables[measure]
            sums = by_bot[counted[0]].get(table)
            if sums is None:
                sums = Sums(len(counted))
                for bot in counted:
                    by_bot[bot][table] = sums
            sums.add(own, deals=len(outcomes) if measure is Measure.PLACE else deals)

    def _add_thinking(self, bot: int, outcome: Outcome, seats: Sequence[int]) -> None:
        thought = self._thoughts[bot]
        for seat in seats:
            thought.decisions += outcome.decisions[seat]
            thought.late += outcome.late[seat]
            thought.micros += outcome.micros[seat]
            self.decisions += outcome.decisions[seat]

    def estimate_mean(
        self, measure: Measure, bot: int, *, opponent: int | None = None, confidence: float = 0.95
    ) -> Interval:
        """Return a bot's mean, with equal weights for its tables; optionally against one opponent.

        For a lone bot, the opponent's tables are those among its copies. `deals` of a place are
        matches. The ends of the interval are cut at the possible values. There are none before
        `LEAST_GROUPS` groups.
        """
        tables = self._tables[measure][bot]
        if opponent is not None:
            beside = ~opponent if self._alone else opponent
            tables = {table: sums for table, sums in tables.items() if beside in table}
        found = estimate_score(tables, bot, confidence=confidence)
        if _count_groups(tables) < LEAST_GROUPS:
            found = replace(found, low=None, high=None)
        return _limit(_divide(found, self._count_parts(measure)), *self._find_bounds(measure))

    def _find_bounds(self, measure: Measure) -> tuple[float, float]:
        """Return the smallest and largest possible values of a measure."""
        match measure:
            case Measure.WON:
                return 0.0, 1.0
            case Measure.PLACE:
                return 1.0, float(len(self._sides))
            case Measure.LEAD | Measure.SCORE:
                return -inf, inf

    def _count_parts(self, measure: Measure) -> int:
        """Return the number of parts in which a unit of the measure is counted."""
        match measure:
            case Measure.LEAD:
                return len(self._sides) - 1
            case Measure.WON:
                return PARTS_OF_A_DEAL
            case Measure.PLACE:
                return 2
            case Measure.SCORE:
                return 1

    def compute_probability_better(self, bot: int, opponent: int) -> float | None:
        """Return the probability that `bot` really scores more; see `mazzo_server.stats`.

        None before both have played `LEAST_GROUPS` groups.
        """
        by_bot = self._tables[Measure.SCORE]
        if min(_count_groups(by_bot[bot]), _count_groups(by_bot[opponent])) < LEAST_GROUPS:
            return None
        return compute_probability_better({**by_bot[bot], **by_bot[opponent]}, bot, opponent)

    def count_late(self, bot: int) -> int:
        """Return the number of a bot's late decisions."""
        return self._thoughts[bot].late

    def count_decisions(self, bot: int) -> int:
        """Return the number of decisions that a bot was asked for, including its copies."""
        return self._thoughts[bot].decisions

    def compute_seconds_per_decision(self, bot: int) -> float | None:
        """Return a bot's mean thinking time; None without a decision."""
        thought = self._thoughts[bot]
        return thought.micros / 1e6 / thought.decisions if thought.decisions else None


def _count_groups(tables: Tables) -> int:
    return sum(sums.groups for sums in tables.values())


def _divide(interval: Interval, parts: int) -> Interval:
    def divide(value: float | None) -> float | None:
        return None if value is None else value / parts

    return Interval(
        mean=divide(interval.mean),
        low=divide(interval.low),
        high=divide(interval.high),
        deals=interval.deals,
    )


def _limit(interval: Interval, least: float, most: float) -> Interval:
    if interval.low is None or interval.high is None:
        return interval
    return replace(interval, low=max(interval.low, least), high=min(interval.high, most))
