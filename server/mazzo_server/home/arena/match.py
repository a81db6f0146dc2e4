"""Plays one match of an arena, and measures how long each bot thought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm
from time import perf_counter

from mazzo.bot import Bot, MatchEnded, MatchStarted
from mazzo.cards import Card
from mazzo.game import Action, Clock, Variant, View
from mazzo.local import LocalMatch, play_match
from mazzo_server.model import TimeControl
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


class _Seat(Bot):
    """Asks a bot for its decisions in one match, and measures their time."""

    def __init__(self, bot: Bot, control: TimeControl | None) -> None:
        self._bot = bot
        self._control = control
        self._bank = 0.0
        self._deal = -1  # the deal to which the bank belongs
        self.decisions = 0
        self.late = 0
        self.seconds = 0.0

    def act(self, view: View) -> Action | Card | int:
        """Return the bot's answer; a late answer is counted, but played."""
        control = self._control
        if control is not None:
            if view.match.deal != self._deal:
                self._deal, self._bank = view.match.deal, control.bank
            view.clock = Clock(
                bank=self._bank, increment=control.increment, limit=control.limit, latency=0.0
            )
        begin = perf_counter()
        action = self._bot.act(view)
        seconds = perf_counter() - begin
        self.seconds += seconds
        self.decisions += 1
        if control is not None:
            self.late += seconds > min(self._bank, control.limit)
            self._bank = max(0.0, self._bank - seconds) + control.increment
        return action

    def on_start(self, started: MatchStarted) -> None:
        """Pass the start of the match on to the bot."""
        self._bot.on_start(started)

    def on_end(self, ended: MatchEnded) -> None:
        """Pass the end of the match on to the bot."""
        self._bot.on_end(ended)


def play_seating(
    variant: Variant,
    group: Group,
    seating: int,
    *,
    bots: Sequence[Bot],
    match_format: str,
    control: TimeControl | None = None,
) -> Outcome:
    """Play one seating of a mirror group; `bots` are by seat.

    With a time control the bots see a clock, and late decisions are counted. Cards are bound to
    seats where the game supports it, as in tournaments.
    """
    seats = [_Seat(bot, control) for bot in bots]
    played = play_match(
        variant,
        seats,
        seed=group.seed,
        match_format=match_format,
        draws=variant.game.fair_draws,
        seating=seating,
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
