"""What each entrant did in one mirror group, and who was first in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from mazzo_server.model import MatchOutcome, Owner
from mazzo_server.pairing import Group, GroupResult
from mazzo_server.stats import Cluster

__all__ = ["Share", "count_shares", "group_ranks", "judge_group", "make_result", "rank_shares"]


class Share:
    """What one entrant did in one mirror group, over all its seatings."""

    __slots__ = (
        "counted_score",
        "deal_score",
        "deals",
        "decisions",
        "forfeited_deals",
        "forfeits",
        "late",
        "match_score",
        "micros",
    )

    def __init__(self) -> None:
        self.match_score = Fraction(0)
        self.deal_score = 0  # of all deals
        self.counted_score = 0  # of the deals that nobody had forfeited
        self.deals = 0
        self.forfeited_deals = 0
        self.forfeits = 0  # matches
        self.late = 0
        self.decisions = 0
        self.micros = 0  # thinking time, in microseconds: whole, so that their order is none

    def add(self, match: MatchOutcome, seats: Sequence[int]) -> None:
        """Take in a match in which the entrant had these seats."""
        member = seats[0]
        # The first is taken as it is: adding fractions takes longest of all here.
        score = match.match_scores[member]
        self.match_score = self.match_score + score if self.match_score else score
        for deal in match.deals:
            points = deal.scores[member] if deal.scores else 0  # broken off by a forfeit
            self.deal_score += points
            if deal.forfeited:
                self.forfeited_deals += 1
            else:
                self.deals += 1
                self.counted_score += points
        if match.faults:
            self.forfeits += any(
                fault.seat in seats and fault.owner is not Owner.PLATFORM for fault in match.faults
            )
        for seat in seats:
            self.late += match.late[seat]
            self.decisions += match.decisions[seat]
            self.micros += round(match.thinking_seconds[seat] * 1e6)


def count_shares(
    group: Group, matches: Sequence[MatchOutcome], *, sides: Sequence[Sequence[int]]
) -> dict[int, Share]:
    """By entrant, in the order of the table."""
    shares = {entrant: Share() for entrant in group.table}
    for match in matches:
        for seats in sides:
            shares[match.entrants[seats[0]]].add(match, seats)
    return shares


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
    return rank_shares(count_shares(group, matches, sides=sides))


def rank_shares(shares: Mapping[int, Share]) -> dict[int, int]:
    """The ranks of `group_ranks` from the shares of a group."""
    both_forfeited = len(shares) == 2 and all(share.forfeits for share in shares.values())

    def merit(share: Share) -> tuple[Fraction | int, ...]:
        if both_forfeited:
            return (-share.forfeits,)
        return (not share.forfeits, share.match_score, share.deal_score)

    merits = {entrant: merit(share) for entrant, share in shares.items()}
    return {
        entrant: sum(other > own for other in merits.values()) for entrant, own in merits.items()
    }


def judge_group(
    group: Group, matches: Sequence[MatchOutcome], *, sides: Sequence[Sequence[int]]
) -> GroupResult:
    """What a finished mirror group tells the rounds after it."""
    shares = count_shares(group, matches, sides=sides)
    return make_result(group, shares, rank_shares(shares))


def make_result(group: Group, shares: Mapping[int, Share], ranks: Mapping[int, int]) -> GroupResult:
    """The same, from the shares of its entrants and their ranks."""
    scores = {
        entrant: Cluster(score=share.counted_score, deals=share.deals)
        for entrant, share in shares.items()
    }
    return GroupResult(table=group.table, ranks=ranks, scores=scores)
