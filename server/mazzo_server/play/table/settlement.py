"""What counts in the score per deal of a match in which a seat has forfeited."""

from __future__ import annotations

from collections.abc import Sequence
from operator import add

from mazzo.match import Match
from mazzo_server.play.table.simple_player import choose_action

__all__ = ["Settlement"]


class Settlement:
    """The scores that count from the deal of a forfeit on, whatever the bots still play.

    To the end of the match the simple player plays every seat: the other sides get what that
    gives, the forfeiter the worst score that each deal allows. A simple player in the forfeiter's
    seat alone would favour whoever plays better or worse than it does.
    """

    def __init__(self, match: Match) -> None:
        """Play a copy of the match to its end."""
        self.first = match.deal_number  # the deal in which the first seat forfeited
        self._scores: list[list[int]] = []  # by deal and seat
        self._worst: list[int] = []  # by deal
        self._play_out(match.copy())

    def _play_out(self, match: Match) -> None:
        while not match.over:
            deal = match.deal
            while deal.seat is not None:
                deal.apply(choose_action(deal.view(deal.seat)))
            match.advance()
            assert deal.scores is not None
            leftover = deal.leftover if match.over else (0,) * len(deal.scores)
            self._scores.append(list(map(add, deal.scores, leftover)))
            self._worst.append(deal.worst_score)

    def forfeit(self, side: Sequence[int], *, deal: int) -> None:
        """Give the seats of a side that forfeits in this deal the worst score from there on.

        The play of the others may have more deals than this; then it is the last one here.
        """
        last = len(self._scores) - 1
        for number in range(min(deal - self.first, last), last + 1):
            for seat in side:
                self._scores[number][seat] = self._worst[number]

    @property
    def scores(self) -> tuple[tuple[int, ...], ...]:
        """By deal, from the first one, and seat."""
        return tuple(map(tuple, self._scores))
