"""Planned matches: all that a match depends on, apart from the bots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mazzo.game import Variant
from mazzo.match import Match, MatchFormat
from mazzo.shuffle import attempt_seed
from mazzo_server.model import TimeControl
from mazzo_server.play.note_budget import MOST_GROUPS_WITH_NOTES
from mazzo_server.play.table import Table

__all__ = ["MatchRules", "PlannedMatch", "PlannedSeat"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRules:
    """What all matches of a tournament have in common."""

    variant: Variant
    sides: Sequence[Sequence[int]]  # the seats of each entrant
    match_format: MatchFormat
    draws: str
    time: TimeControl
    groups_with_notes: int = MOST_GROUPS_WITH_NOTES  # of an entrant; at most as many as that

    def make_match_table(self, seed: bytes, attempt: int = 0) -> Table:
        """Return the table of a match before its first card; `seed` is the seed of attempt 0."""
        seed = attempt_seed(seed, attempt)
        return Table(Match(self.variant, seed, self.match_format, draws=self.draws), self.time)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSeat:
    """The entrant in a seat."""

    entrant: int
    part: int  # which of the entrant's own seats this is: partners are two processes
    groups_before: int = 0  # groups of the entrant before this one in the schedule, up to a bound


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedMatch:
    """One seating of one mirror group."""

    group: int
    seating: int
    seed: bytes  # of the match, 32 bytes, for attempt 0
    seats: tuple[PlannedSeat, ...]

    @property
    def key(self) -> tuple[int, int]:
        """The numbers of the group and of the seating."""
        return self.group, self.seating

    @property
    def entrants(self) -> tuple[int, ...]:
        """The entrants by seat."""
        return tuple([seat.entrant for seat in self.seats])
