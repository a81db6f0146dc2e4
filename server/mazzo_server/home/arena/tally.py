"""The sums that the figures of an arena are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf

from mazzo.game import Variant
from mazzo_server.home.arena.match import PARTS_OF_A_DEAL, Outcome
from mazzo_server.pairing import Group
from mazzo_server.stats import Interval, Sums, probability_better, score_per_deal

__all__ = ["MEASURES", "ArenaTally", "Measure"]


class Measure(StrEnum):
    """What is counted of a bot; each is a mean with mirror groups as the unit."""

    SCORE = "score"  # deal score
    LEAD = "lead"  # its deal score less the mean of the other sides'
    WON = "won"  # share of the deals won; of one that is shared, a share
    PLACE = "place"  # place in the match, from 1; ties have the mean of theirs


MEASURES = tuple(Measure)


@dataclass(slots=True)
class _Thought:
    """A running count of a bot's decisions."""

    decisions: int = 0
    late: int = 0
    micros: int = 0


class ArenaTally:
    """What a number of mirror groups add up to, in whatever order they come.

    A lone bot's copies of another count for nobody: what they have, the lone one has not.
    """

    def __init__(self, variant: Variant, bots: int, *, alone: bool) -> None:
        self._sides = variant.sides
        self._alone = alone
        self._bots = bots
        # By bot, for many tables are slow to look through for those of one.
        self._tables: dict[Measure, list[dict[tuple[int, ...], Sums]]] = {
            measure: [{} for _ in range(bots)] for measure in Measure
        }
        self._thoughts = [_Thought() for _ in range(bots)]
        self.groups = 0
        self.matches = 0
        self.deals = 0
        self.decisions = 0

    def add(self, group: Group, outcomes: Sequence[Outcome]) -> None:
        """Take in a group with all its seatings."""
        self.groups += 1
        self.matches += len(outcomes)
        deals = sum(outcome.deals for outcome in outcomes)
        self.deals += deals
        # Under a lone bot's table nothing is asked of the other, whose number is kept apart.
        counted = group.table[:1] if self._alone else group.table
        table = (counted[0], ~group.table[1]) if self._alone else counted
        places = {bot: place for place, bot in enumerate(counted)}
        values = {measure: [0] * len(counted) for measure in Measure}
        others = len(self._sides) - 1
        for seating, outcome in enumerate(outcomes):
            total = sum(outcome.scores)
            for side, bot in enumerate(group.seatings[seating]):
                self._think(bot, outcome, self._sides[side])
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

    def _think(self, bot: int, outcome: Outcome, seats: Sequence[int]) -> None:
        thought = self._thoughts[bot]
        for seat in seats:
            thought.decisions += outcome.decisions[seat]
            thought.late += outcome.late[seat]
            thought.micros += outcome.micros[seat]
            self.decisions += outcome.decisions[seat]

    def mean(
        self, measure: Measure, bot: int, *, opponent: int | None = None, confidence: float = 0.95
    ) -> Interval:
        """A bot's mean, each of its tables weighing the same, or only those with an opponent.

        Of a lone bot, those among copies of that opponent. `deals` of a place are matches. The
        ends of the interval are none that cannot be.
        """
        tables = self._tables[measure][bot]
        if opponent is not None:
            beside = ~opponent if self._alone else opponent
            tables = {table: sums for table, sums in tables.items() if beside in table}
        found = score_per_deal(tables, bot, confidence=confidence)
        return _limited(_divided(found, self._parts(measure)), *self._ends(measure))

    def _ends(self, measure: Measure) -> tuple[float, float]:
        """The least and the most that a measure can be."""
        match measure:
            case Measure.WON:
                return 0.0, 1.0
            case Measure.PLACE:
                return 1.0, float(len(self._sides))
            case Measure.LEAD | Measure.SCORE:
                return -inf, inf

    def _parts(self, measure: Measure) -> int:
        """Of how many parts a unit of the measure is counted."""
        match measure:
            case Measure.LEAD:
                return len(self._sides) - 1
            case Measure.WON:
                return PARTS_OF_A_DEAL
            case Measure.PLACE:
                return 2
            case Measure.SCORE:
                return 1

    def probability_better(self, bot: int, opponent: int) -> float | None:
        """That one really scores more than another; see `mazzo_server.stats.intervals`."""
        by_bot = self._tables[Measure.SCORE]
        return probability_better({**by_bot[bot], **by_bot[opponent]}, bot, opponent)

    def late(self, bot: int) -> int:
        """Its late decisions."""
        return self._thoughts[bot].late

    def decisions_of(self, bot: int) -> int:
        """Decisions that a bot was asked for, its copies included."""
        return self._thoughts[bot].decisions

    def seconds_per_decision(self, bot: int) -> float | None:
        """Its mean thinking time; None without a decision."""
        thought = self._thoughts[bot]
        return thought.micros / 1e6 / thought.decisions if thought.decisions else None


def _divided(interval: Interval, parts: int) -> Interval:
    def part(value: float | None) -> float | None:
        return None if value is None else value / parts

    return Interval(
        mean=part(interval.mean),
        low=part(interval.low),
        high=part(interval.high),
        deals=interval.deals,
    )


def _limited(interval: Interval, least: float, most: float) -> Interval:
    if interval.low is None or interval.high is None:
        return interval
    return replace(interval, low=max(interval.low, least), high=min(interval.high, most))
