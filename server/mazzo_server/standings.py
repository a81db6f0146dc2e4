"""The standings of a tournament: a pure fold over its finished matches.

They follow from the definition, the schedule, the matches and the withdrawals, whatever order
the matches finished in. A mirror group counts when every seating of it is finished, and
nothing of it counts before; the groups of a withdrawn entrant count for nobody. An entrant is
a side of the table: a team has the scores of any of its members, for they are the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, pairwise, permutations

from mazzo_server.definition import Definition
from mazzo_server.outcome import Fault, MatchOutcome, Owner, Termination
from mazzo_server.pairing import Group
from mazzo_server.rating import Ratings
from mazzo_server.statistics import Cluster, Interval, probability_better, score_per_deal

__all__ = ["FaultEntry", "Pair", "Row", "Standings", "Withdrawal", "compute", "group_ranks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One entrant's standing, over the groups that count."""

    rank: int  # from 1; equals share one, and the next ranks are left out
    name: str
    version: int
    mu: float  # TrueSkill's mean, on its own scale: 25 before the first group
    sigma: float  # TrueSkill's standard deviation, likewise: 25/3
    rating: float  # μ − 3σ
    groups: int  # mirror groups that count
    wins: int  # groups with the first place alone
    draws: int  # groups with a shared first place
    losses: int  # all other groups
    match_points: float  # sum of the match scores, capped in groups it forfeited
    deals: int  # deals that no seat had forfeited
    score_per_deal: Interval  # over those deals, in points of the deal score
    probability_better_than_next: float | None  # by score per deal; None in the last row
    forfeited_deals: int  # deals that this or any other seat had forfeited
    faults: int  # matches that it forfeited
    late: int  # decisions that were not taken in time
    decisions: int  # decisions that the bot itself was asked
    seconds_per_decision: float | None  # mean thinking time; None without a decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """How one entrant did against another, over the groups in which both sat.

    The result is by their ranks in the group, whoever else sat there.
    """

    name: str
    opponent: str
    wins: int  # groups with the better rank
    draws: int
    losses: int
    deals: int  # deals with both that no seat had forfeited
    score_per_deal: float | None  # of `name`, over those deals


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """An entrant whose results are all void."""

    name: str
    version: int
    reason: str  # for a person


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """Where the tournament stands."""

    groups: int  # mirror groups in the schedule
    counted: int  # of these, finished in every seating and not void
    void: int  # of these, with a withdrawn entrant at the table
    rows: tuple[Row, ...]  # by rating, then score per deal, then name
    withdrawn: tuple[Withdrawal, ...]  # by name; they come after the rows
    pairs: tuple[Pair, ...]  # every ordered pair of the rows, in the order of the rows
    faults: tuple[FaultEntry, ...]  # by group, seating and seat


def compute(
    definition: Definition,
    groups: Iterable[Group],
    outcomes: Iterable[MatchOutcome],
    *,
    withdrawals: Mapping[int, str],
    sides: Sequence[Sequence[int]],
) -> Standings:
    """The standings from a schedule in its order and the matches that finished, in any order.

    `withdrawals` has the reasons by index of the entrant, `sides` the seats of each side.
    The floats are the same bits whenever the same matches went in.
    """
    finished = {(outcome.group, outcome.seating): outcome for outcome in outcomes}
    ratings = Ratings(draw_probability=definition.draw_probability)
    entrants = range(len(definition.entrants))
    tallies = {index: _Tally(index) for index in entrants if index not in withdrawals}
    faults: list[FaultEntry] = []
    scheduled = counted = void = 0
    for group in groups:
        scheduled += 1
        if not withdrawals.keys().isdisjoint(group.table):
            void += 1
            continue
        matches = [finished.get((group.number, seating)) for seating in range(len(group.seatings))]
        complete = [match for match in matches if match is not None]
        if len(complete) < len(matches):
            continue
        counted += 1
        shares = {entrant: _Share(entrant, complete, sides) for entrant in group.table}
        ranks = _ranks(shares)
        ratings.rate(ranks)
        for entrant, share in shares.items():
            tallies[entrant].add(group.table, share, shares, ranks)
        faults += (
            _entry(definition, match, fault)
            for match in complete
            for fault in sorted(match.faults, key=lambda fault: fault.seat)
        )
    rows, order = _rows(definition, tallies, ratings)
    return Standings(
        groups=scheduled,
        counted=counted,
        void=void,
        rows=rows,
        withdrawn=tuple(
            sorted(
                (
                    Withdrawal(
                        name=definition.entrants[index].name,
                        version=definition.entrants[index].version,
                        reason=reason,
                    )
                    for index, reason in withdrawals.items()
                ),
                key=lambda withdrawal: withdrawal.name,
            )
        ),
        pairs=tuple(tallies[a].pair(definition, b) for a, b in permutations(order, 2)),
        faults=tuple(faults),
    )


def group_ranks(
    group: Group, matches: Sequence[MatchOutcome], *, sides: Sequence[Sequence[int]]
) -> dict[int, int]:
    """The result of a finished mirror group: each entrant's rank from 0, equals sharing one.

    By the sum of the match scores over all seatings, then the sum of the deal scores, of
    forfeited deals too. An entrant that forfeited a match, be it its own fault or the
    network's, stands after all that did not. Forfeiters are ordered among themselves by the
    same scores; but of two sides that both forfeited the one with fewer forfeits is first,
    and with as many it is a tie, since each has the full score of the other's forfeits.
    """
    return _ranks({entrant: _Share(entrant, matches, sides) for entrant in group.table})


class _Share:
    """What one entrant did in one mirror group, over all its seatings."""

    def __init__(
        self, entrant: int, matches: Sequence[MatchOutcome], sides: Sequence[Sequence[int]]
    ) -> None:
        self.match_score = Fraction(0)
        self.deal_score = 0  # of all deals
        self.counted_score = 0  # of the deals that nobody had forfeited
        self.deals = 0
        self.forfeited_deals = 0
        self.forfeits = 0  # matches
        self.late = 0
        self.decisions = 0
        self.thinking: list[float] = []  # seconds, by match and seat
        for match in matches:
            seats = next(side for side in sides if match.entrants[side[0]] == entrant)
            member = seats[0]
            self.match_score += match.match_scores[member]
            for deal in match.deals:
                score = deal.scores[member] if deal.scores else 0  # broken off by a forfeit
                self.deal_score += score
                if deal.forfeited:
                    self.forfeited_deals += 1
                else:
                    self.deals += 1
                    self.counted_score += score
            self.forfeits += any(
                fault.seat in seats and fault.owner is not Owner.PLATFORM for fault in match.faults
            )
            self.late += sum(match.late[seat] for seat in seats)
            self.decisions += sum(match.decisions[seat] for seat in seats)
            self.thinking += (match.thinking_seconds[seat] for seat in seats)


def _ranks(shares: Mapping[int, _Share]) -> dict[int, int]:
    both_forfeited = len(shares) == 2 and all(share.forfeits for share in shares.values())

    def merit(share: _Share) -> tuple[Fraction | int, ...]:
        if both_forfeited:
            return (-share.forfeits,)
        return (not share.forfeits, share.match_score, share.deal_score)

    merits = {entrant: merit(share) for entrant, share in shares.items()}
    return {
        entrant: sum(other > own for other in merits.values()) for entrant, own in merits.items()
    }


class _Against:
    """A running count of one entrant against another."""

    def __init__(self) -> None:
        self.wins = 0
        self.draws = 0
        self.losses = 0
        self.score = 0
        self.deals = 0


class _Tally:
    """A running count of one entrant."""

    def __init__(self, entrant: int) -> None:
        self.entrant = entrant
        self.groups = 0
        self.wins = 0
        self.draws = 0
        self.losses = 0
        self.match_points = Fraction(0)
        self.deals = 0
        self.forfeited_deals = 0
        self.faults = 0
        self.late = 0
        self.decisions = 0
        self.thinking: list[float] = []
        self.sample: dict[tuple[int, ...], list[Cluster]] = {}
        self.against: dict[int, _Against] = {}

    def add(
        self,
        table: tuple[int, ...],
        share: _Share,
        shares: Mapping[int, _Share],
        ranks: Mapping[int, int],
    ) -> None:
        self.groups += 1
        own = ranks[self.entrant]
        if own > 0:
            self.losses += 1
        elif sum(rank == 0 for rank in ranks.values()) > 1:
            self.draws += 1
        else:
            self.wins += 1
        self.match_points += share.match_score
        if share.forfeits:
            # What the substitute won for a forfeiter is never more than the worst score.
            worst = (other.match_score for other in shares.values() if not other.forfeits)
            excess = share.match_score - min(worst, default=share.match_score)
            self.match_points -= max(excess, Fraction(0))
        self.deals += share.deals
        self.forfeited_deals += share.forfeited_deals
        self.faults += share.forfeits
        self.late += share.late
        self.decisions += share.decisions
        self.thinking += share.thinking
        cluster = Cluster(score=share.counted_score, deals=share.deals)
        self.sample.setdefault(table, []).append(cluster)
        for opponent, rank in ranks.items():
            if opponent == self.entrant:
                continue
            against = self.against.setdefault(opponent, _Against())
            against.wins += own < rank
            against.draws += own == rank
            against.losses += own > rank
            against.score += share.counted_score
            against.deals += share.deals

    def pair(self, definition: Definition, opponent: int) -> Pair:
        against = self.against.get(opponent, _Against())
        return Pair(
            name=definition.entrants[self.entrant].name,
            opponent=definition.entrants[opponent].name,
            wins=against.wins,
            draws=against.draws,
            losses=against.losses,
            deals=against.deals,
            score_per_deal=against.score / against.deals if against.deals else None,
        )


def _rows(
    definition: Definition, tallies: Mapping[int, _Tally], ratings: Ratings
) -> tuple[tuple[Row, ...], list[int]]:
    """The rows, and the entrants in the same order."""
    intervals = {index: score_per_deal(tally.sample) for index, tally in tallies.items()}

    def merit(index: int) -> tuple[float, float]:
        mean = intervals[index].mean
        return ratings[index].conservative, -math.inf if mean is None else mean

    by_name = sorted(tallies, key=lambda index: definition.entrants[index].name)
    order = sorted(by_name, key=merit, reverse=True)  # equals stay in order of their names
    better = {
        index: probability_better(tallies[index].sample, tallies[below].sample)
        for index, below in pairwise(order)
    }
    rows: list[Row] = []
    for _, equals in groupby(order, key=merit):
        rank = len(rows) + 1
        for index in equals:
            tally, rating = tallies[index], ratings[index]
            thinking = math.fsum(tally.thinking)
            rows.append(
                Row(
                    rank=rank,
                    name=definition.entrants[index].name,
                    version=definition.entrants[index].version,
                    mu=rating.mu,
                    sigma=rating.sigma,
                    rating=rating.conservative,
                    groups=tally.groups,
                    wins=tally.wins,
                    draws=tally.draws,
                    losses=tally.losses,
                    match_points=float(tally.match_points),
                    deals=tally.deals,
                    score_per_deal=intervals[index],
                    probability_better_than_next=better.get(index),
                    forfeited_deals=tally.forfeited_deals,
                    faults=tally.faults,
                    late=tally.late,
                    decisions=tally.decisions,
                    seconds_per_decision=thinking / tally.decisions if tally.decisions else None,
                )
            )
    return tuple(rows), order


def _entry(definition: Definition, match: MatchOutcome, fault: Fault) -> FaultEntry:
    return FaultEntry(
        name=definition.entrants[match.entrants[fault.seat]].name,
        group=match.group,
        seating=match.seating,
        seat=fault.seat,
        termination=fault.termination,
        owner=fault.owner,
        reason=fault.reason,
        deal=fault.deal,
        decision=fault.decision,
    )
