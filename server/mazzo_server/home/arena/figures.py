"""The figures of an arena, for people and scripts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, permutations
from typing import Self

from mazzo_server.home.arena.tally import ArenaTally, Measure
from mazzo_server.stats import Interval

__all__ = ["FigureLine", "Figures", "Meeting"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureLine:
    """The figures of one bot."""

    rank: int  # from 1; ties share one
    bot: int
    score: Interval  # per deal
    won: Interval  # share of its deals
    place: Interval  # in its matches, from 1
    probability_better_than_next: float | None  # by score per deal; None in the last line
    decisions: int
    late: int
    seconds_per_decision: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """The figures of one bot in deals with another, or alone among its copies."""

    bot: int
    opponent: int
    score: Interval  # per deal, of `bot`
    won: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The current figures of an arena."""

    groups: int
    matches: int
    deals: int
    lines: tuple[FigureLine, ...]  # by score per deal, then in the order of the bots
    meetings: tuple[Meeting, ...]  # every ordered pair that has met, in the order of the lines

    @classmethod
    def of(cls, tally: ArenaTally, bots: int, *, with_meetings: bool = True) -> Self:
        """Return the figures of a tally; with the meetings only on demand, as there may be many."""
        scores = [tally.estimate_mean(Measure.SCORE, bot) for bot in range(bots)]

        def merit(bot: int) -> float:
            mean = scores[bot].mean
            return float("-inf") if mean is None else mean

        order = sorted(range(bots), key=merit, reverse=True)
        below = dict(pairwise(order))
        lines = [
            FigureLine(
                rank=1 + sum(merit(other) > merit(bot) for other in order),
                bot=bot,
                score=scores[bot],
                won=tally.estimate_mean(Measure.WON, bot),
                place=tally.estimate_mean(Measure.PLACE, bot),
                probability_better_than_next=(
                    tally.compute_probability_better(bot, below[bot]) if bot in below else None
                ),
                decisions=tally.count_decisions(bot),
                late=tally.count_late(bot),
                seconds_per_decision=tally.compute_seconds_per_decision(bot),
            )
            for bot in order
        ]
        meetings = [
            Meeting(
                bot=bot,
                opponent=opponent,
                score=score,
                won=tally.estimate_mean(Measure.WON, bot, opponent=opponent),
            )
            for bot, opponent in permutations(order if with_meetings else (), 2)
            if (score := tally.estimate_mean(Measure.SCORE, bot, opponent=opponent)).deals
        ]
        return cls(
            groups=tally.groups,
            matches=tally.matches,
            deals=tally.deals,
            lines=tuple(lines),
            meetings=tuple(meetings),
        )
