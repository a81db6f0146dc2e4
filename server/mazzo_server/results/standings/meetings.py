"""Adds up how two entrants did where they met."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mazzo_server.model import Definition
from mazzo_server.results.standings.shares import Share
from mazzo_server.results.standings.values import HeadToHead
from mazzo_server.stats import HistogramSums

__all__ = ["MeetingSums", "list_meetings"]

_MOST_BINS = 16  # on each side of a tie; there may be many pairs
_FINEST = -4  # a sixteenth of a point a deal


class MeetingSums:
    """A running count for two entrants at any tables, said of the first of them."""

    __slots__ = ("draws", "forfeits", "late", "leads", "losses", "wins")

    def __init__(self) -> None:
        self.wins = 0
        self.draws = 0
        self.losses = 0
        self.forfeits = [0, 0]  # matches that each of the two forfeited
        self.late = [0, 0]  # decisions of each of the two
        self.leads = HistogramSums(most=_MOST_BINS, exponent=_FINEST)

    def add(self, ranks: Sequence[int], shares: Sequence[Share]) -> None:
        """Add a group: the ranks and the shares of the two."""
        own, other = ranks
        self.wins += own < other
        self.draws += own == other
        self.losses += own > other
        first, second = shares
        for place, share in enumerate(shares):
            self.forfeits[place] += share.forfeits
            self.late[place] += share.late
        if first.deals:
            self.leads.add(first.counted_score - second.counted_score, first.deals)

    def count_results(self, *, reverse: bool = False) -> tuple[int, int, int]:
        """Return wins, draws and losses of the first, or of the second."""
        found = (self.wins, self.draws, self.losses)
        return found[::-1] if reverse else found

    def to_json(self) -> list[Any]:
        """Return the whole count as values that JSON can hold, for `from_json`."""
        whole = [self.wins, self.draws, self.losses, *self.forfeits, *self.late]
        return [*whole, *self.leads.to_json()]

    @classmethod
    def from_json(cls, state: Sequence[int]) -> MeetingSums:
        """Return the count of which `to_json` returned the state."""
        sums = cls()
        sums.wins, sums.draws, sums.losses = state[:3]
        sums.forfeits, sums.late = list(state[3:5]), list(state[5:7])
        sums.leads = HistogramSums.from_json(state[7:], most=_MOST_BINS)
        return sums

    def make_head_to_head(self, name: str, opponent: str) -> HeadToHead:
        """Return the count of entrants with these names."""
        return HeadToHead(
            name=name,
            opponent=opponent,
            forfeits=self.forfeits[0],
            opponent_forfeits=self.forfeits[1],
            late=self.late[0],
            opponent_late=self.late[1],
            leads=self.leads.make_histogram(),
        )


def list_meetings(
    definition: Definition, met: Mapping[tuple[int, int], MeetingSums]
) -> dict[tuple[str, str], HeadToHead]:
    """Return the counts by name, of each two once."""
    names = [entrant.name for entrant in definition.entrants]
    return {
        (names[a], names[b]): sums.make_head_to_head(names[a], names[b])
        for (a, b), sums in met.items()
    }
