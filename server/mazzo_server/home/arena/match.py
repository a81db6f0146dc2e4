"""Plays one match of an arena, and measures how long each bot thought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

from mazzo.bot import Bot
from mazzo.game import Variant
from mazzo.local import LocalMatch, play_match
from mazzo_server.home.arena.recorder import MatchRecorder
from mazzo_server.home.clocked_seat import ClockedSeat
from mazzo_server.model import MatchOutcome, TimeControl
from mazzo_server.pairing import Group

__all__ = ["PARTS_OF_A_DEAL", "Outcome", "play_seating"]

PARTS_OF_A_DEAL = lcm(*range(1, 13))
"""A deal that up to twelve sides have won together is shared in whole numbers of these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of one match; all numbers are whole, so that they add up in any order."""

    deals: int
    scores: tuple[int, ...]  # by side: sum of the deal scores, leftovers included
    won: tuple[int, ...]  # by side: deals won, in `PARTS_OF_A_DEAL`
    places: tuple[int, ...]  # by side: twice the place in the match, from 2; ties have the mean
    decisions: tuple[int, ...]  # by seat
    late: tuple[int, ...]  # by seat: decisions that took longer than clock or limit allowed
    micros: tuple[int, ...]  # by seat: thinking time, in microseconds
    whole: MatchOutcome | None = None  # all of the match, if it is kept


def play_seating(
    variant: Variant,
    group: Group,
    seating: int,
    *,
    bots: Sequence[Bot],
    match_format: str,
    control: TimeControl | None = None,
    recorder: MatchRecorder | None = None,
) -> Outcome:
    """Play one seating of a mirror group; `bots` are by seat.

    With a time control the bots see a clock, and late decisions are counted. Cards are bound to
    seats where the game supports it, as in tournaments. With a recorder the whole match is kept.
    """
    seats = [ClockedSeat(bot, control, recorder.times if recorder else None) for bot in bots]
    played = play_match(
        variant,
        seats,
        seed=group.seed,
        match_format=match_format,
        draws=variant.game.fair_draws,
        seating=seating,
        watch=recorder.watch if recorder else None,
    )
    ranking = [played.ranking[side[0]] for side in variant.sides]
    return Outcome(
        deals=len(played.deals),
        scores=tuple(played.deal_sums[side[0]] for side in variant.sides),
        won=_count_won(variant, played),
        places=tuple(2 * rank + ranking.count(rank) - 1 for rank in ranking),
        decisions=tuple(seat.decisions for seat in seats),
        late=tuple(seat.late for seat in seats),
        micros=tuple(round(seat.seconds * 1e6) for seat in seats),
        whole=recorder.make_outcome(played, seats) if recorder else None,
    )


def _count_won(variant: Variant, played: LocalMatch) -> tuple[int, ...]:
    """Return deals won, by side: those a match score counts, else those with the best score."""
    if variant.game.counts_wins:
        return tuple(int(played.scores[side[0]] * PARTS_OF_A_DEAL) for side in variant.sides)
    won = [0] * len(variant.sides)
    for deal in played.deals:
        assert deal.scores is not None
        scores = [deal.scores[side[0]] for side in variant.sides]
        best = max(scores)
        for index, score in enumerate(scores):
            if score == best:
                won[index] += PARTS_OF_A_DEAL // scores.count(best)
    return tuple(won)
