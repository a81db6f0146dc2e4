"""The values of standings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mazzo_server.model import Fault, Owner, Termination
from mazzo_server.pairing import SwissRow
from mazzo_server.results.standings.bracket import PlayedBout, PlayedPool
from mazzo_server.results.standings.seat_bias import SeatBias
from mazzo_server.stats import Histogram, Interval

__all__ = [
    "Course",
    "FaultEntry",
    "FaultKind",
    "HeadToHead",
    "Moment",
    "Pair",
    "Row",
    "Standings",
    "Withdrawal",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One entrant's standing, over the groups that count."""

    rank: int  # from 1; ties share one, and the next ranks are left out
    name: str
    version: int
    retired: bool  # plays no more, and keeps its results
    mu: float  # TrueSkill's mean, on its own scale: 25 before the first group
    sigma: float  # TrueSkill's standard deviation, likewise: 25/3
    rating: float  # μ − 3σ
    groups: int  # mirror groups that count
    wins: int  # groups with the first place alone
    draws: int  # groups with a shared first place
    losses: int  # all other groups
    match_points: float  # sum of the match scores, capped in groups it forfeited
    deals: int  # deals that count in the score per deal
    score_per_deal: Interval  # over those deals, in points of the deal score
    probability_better_than_next: float | None  # by score per deal; None in the last row
    # Whether the rating puts it before the next row although that probability is below 50 %.
    scores_less_than_next: bool
    # Whether that probability is as high as the tournament demands; None in the last row, and where
    # the tournament is not played until separated.
    separated: bool | None
    # Deals that each table of this row and the next would still need, in whole mirror groups, to
    # tell their scores per deal apart at 95 %; None in the last row, and where it cannot be
    # estimated.
    more_deals: int | None
    forfeited_deals: int  # of the deals, those that a forfeit of this or another seat settled
    faults: int  # matches that it forfeited
    late: int  # decisions that were not taken in time
    decisions: int  # decisions that the bot itself was asked for
    seconds_per_decision: float | None  # mean thinking time; None without a decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The results of one entrant against another, over the groups in which both sat.

    Their ranks in the group decide, whoever else sat there.
    """

    name: str
    opponent: str
    wins: int  # groups with the better rank
    draws: int
    losses: int
    deals: int  # deals with both
    score_per_deal: Interval  # of `name`, over those deals
    # The probability that `name` really scores more than `opponent` in deals with both; None where
    # it cannot be estimated.
    probability_better: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultEntry:
    """One forfeit in a group that counts."""

    name: str
    group: int  # number in the schedule, from 0
    seating: int  # from 0
    seat: int
    termination: Termination
    owner: Owner
    reason: str  # for a person
    deal: int  # number in the match, from 0
    decision: int  # number of the seat's decision in the match, from 1

    @classmethod
    def of(cls, name: str, group: int, seating: int, fault: Fault) -> FaultEntry:
        """Return the fault of the bot with that name, with its place in the schedule."""
        return cls(
            name=name,
            group=group,
            seating=seating,
            seat=fault.seat,
            termination=fault.termination,
            owner=fault.owner,
            reason=fault.reason,
            deal=fault.deal,
            decision=fault.decision,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultKind:
    """The number of an entrant's forfeits for one cause."""

    matches: int
    first: FaultEntry  # in schedule order; it has the name, the termination and the owner


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """An entrant whose results are all void, and the reason."""

    name: str
    version: int
    reason: str  # for a person


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """The standings of a tournament."""

    groups: int  # mirror groups in the schedule
    counted: int  # of these, finished in every seating and not void
    void: int  # of these, with a withdrawn entrant at the table
    # By rating, then score per deal, then name; the score comes first in a gauntlet, and where the
    # tournament is played until separated. In a Swiss tournament by its own order, then name; in a
    # bracket by place.
    rows: tuple[Row, ...]
    withdrawn: tuple[Withdrawal, ...]  # by name; they come after the rows
    pairs: tuple[Pair, ...]  # every ordered pair of the rows, in the order of the rows
    faults: tuple[FaultEntry, ...]  # the first 1,000, by group, seating and seat
    faults_total: int  # the number of all forfeits
    fault_kinds: tuple[FaultKind, ...]  # by name, termination and owner
    seat_bias: SeatBias
    swiss: tuple[SwissRow, ...] = ()  # one for each of the rows, in a Swiss tournament
    bracket: tuple[tuple[PlayedBout, ...], ...] | None = None  # by round; None without a bracket
    is_bracket_over: bool = False
    pools: tuple[PlayedPool, ...] = ()  # before the rounds of a bracket


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadToHead:
    """What happened where two entrants met, over the groups in which both sat."""

    name: str
    opponent: str
    forfeits: int  # matches that `name` forfeited
    opponent_forfeits: int
    late: int  # decisions of `name` that were not taken in time
    opponent_late: int
    # The groups with counted deals, by how much more `name` scored there in a deal than `opponent`.
    leads: Histogram

    def reverse(self) -> HeadToHead:
        """Return the same, said of the other entrant."""
        return HeadToHead(
            name=self.opponent,
            opponent=self.name,
            forfeits=self.opponent_forfeits,
            opponent_forfeits=self.forfeits,
            late=self.opponent_late,
            opponent_late=self.late,
            leads=self.leads.reverse(),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Where the entrants stood after some groups."""

    groups: int  # that counted by then
    # By name, of those who had played: the rating μ − 3σ, or the score per deal where that orders
    # the rows.
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What lies behind the standings: how scores are spread, and how the order came about."""

    scores: Mapping[str, Histogram]  # by name: of its deals that count; entrants not withdrawn
    has_ratings: bool  # whether the moments have ratings, else scores per deal
    moments: tuple[Moment, ...]  # in the order of the groups, the last one is now; maybe none
    meetings: Mapping[tuple[str, str], HeadToHead]  # of each two that met once, in either order

    def find_head_to_head(self, name: str, opponent: str) -> HeadToHead | None:
        """Return what happened where they met; None: they never did."""
        found = self.meetings.get((name, opponent))
        if found is None and (opponent, name) in self.meetings:
            return self.meetings[opponent, name].reverse()
        return found
