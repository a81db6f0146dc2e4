"""Turns a match that is played at home into the outcome that a store keeps."""

from __future__ import annotations

from collections.abc import Sequence
from operator import add

from mazzo.game import Deal
from mazzo.local import LocalMatch
from mazzo_server.home.clocked_seat import ClockedSeat
from mazzo_server.model import DealPlay, MatchOutcome
from mazzo_server.pairing import Group

__all__ = ["MatchRecorder"]


class MatchRecorder:
    """Sees one match, from before its first action on."""

    def __init__(self, group: Group, seating: int, *, entrants: Sequence[int]) -> None:
        """`entrants` are by seat."""
        self.times: list[float] = []  # seconds of each decision, in order
        self._group = group
        self._seating = seating
        self._entrants = tuple(entrants)
        self._deals: list[Deal] = []
        self._movers: list[list[int]] = []  # of each deal: who took each action

    def watch(self, deal: Deal) -> None:
        """Look at a deal before its first action and after each one."""
        if not self._deals or self._deals[-1] is not deal:
            self._deals.append(deal)
            self._movers.append([])
        if deal.seat is not None:
            self._movers[-1].append(deal.seat)

    def make_outcome(self, played: LocalMatch, seats: Sequence[ClockedSeat]) -> MatchOutcome:
        """Return the match, which is over.

        No decision is late in it, for nobody played in a bot's place; the times tell the rest.
        """
        from mazzo_server.play import NoteBudget  # only a few arenas need it

        budgets = [NoteBudget(self._group.number_at_table) for _ in seats]
        times = iter(self.times)
        deals = []
        for deal, movers, notes in zip(self._deals, self._movers, played.notes, strict=True):
            assert deal.scores is not None
            is_last = deal is self._deals[-1]
            kept = [
                (index, note)
                for index, (said, seat) in enumerate(zip(notes, movers, strict=True))
                if said and (note := budgets[seat].take_note(said))
            ]
            deals.append(
                DealPlay(
                    dealer=deal.dealer,
                    actions=bytes(deal.actions),
                    scores=tuple(map(add, deal.scores, deal.leftover)) if is_last else deal.scores,
                    micros=tuple(round(next(times) * 1e6) for _ in deal.actions),
                    substituted=(),
                    forfeited=False,
                    notes=tuple(kept),
                )
            )
        return MatchOutcome(
            group=self._group.number,
            seating=self._seating,
            entrants=self._entrants,
            match_scores=played.scores,
            deals=tuple(deals),
            faults=(),
            late=(0,) * len(seats),
            decisions=tuple(seat.decisions for seat in seats),
            thinking_seconds=tuple(seat.seconds for seat in seats),
        )
