"""The share of each entrant in one mirror group, and the group's ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from mazzo_server.model import MatchOutcome, Owner
from mazzo_server.pairing import Group, GroupResult
from mazzo_server.stats import Cluster, Sums

__all__ = [
    "Share",
    "add_scores",
    "count_shares",
    "judge_group",
    "make_result",
    "rank_group",
    "rank_shares",
]


class Share:
    """The result of one entrant in one mirror group, over all its seatings."""

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
        self.deal_score = 0  # over all deals as they were played
        self.counted_score = 0  # over the deals that count, as they count after a forfeit
        self.deals = 0  # that count
        self.forfeited_deals = 0  # of these, those that a forfeit settled
        self.forfeits = 0  # number of forfeited matches
        self.late = 0
        self.decisions = 0
        self.micros = 0  # thinking time; whole microseconds, exact in any order

    def add(self, match: MatchOutcome, seats: Sequence[int]) -> None:
        """Add a match in which the entrant had these seats."""
        member = seats[0]
        # The first score is taken as it is: adding fractions takes longest of all here.
        score = match.match_scores[member]
        self.match_score = self.match_score + score if self.match_score else score
        for deal in match.deals:
            points = deal.scores[member] if deal.scores else 0  # a forfeit broke it off
            self.deal_score += points
            if not match.counted:
                self.deals += 1
                self.counted_score += points
            elif not deal.forfeited:
                self.forfeited_deals -= 1
        for scores in match.counted:
            self.deals += 1
            self.forfeited_deals += 1
            self.counted_score += scores[member]
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
    """Return the shares by entrant, in the order of the table."""
    shares = {entrant: Share() for entrant in group.table}
    for match in matches:
        for seats in sides:
            shares[match.entrants[seats[0]]].add(match, seats)
    return shares


def add_scores(
    tables: dict[tuple[int, ...], Sums], table: tuple[int, ...], shares: Mapping[int, Share]
) -> None:
    """Add what was scored in a group of a table to the sums of the tables."""
    sums = tables.get(table)
    if sums is None:
        sums = tables[table] = Sums(len(table))
    scores = [shares[entrant].counted_score for entrant in table]
    sums.add(scores, deals=shares[table[0]].deals)


def rank_group(
    group: Group, matches: Sequence[MatchOutcome], *, sides: Sequence[Sequence[int]]
) -> dict[int, int]:
    """Return the result of a finished mirror group: each entrant's rank from 0; ties share.

    Entrants are ranked by the sum of the match scores over all seatings, then the sum of the deal
    scores, including forfeited deals. An entrant that forfeited a match, by its own fault or the
    network's, comes after all that did not. The same scores order the forfeiters among themselves.
    But of two sides that both forfeited, the one with fewer forfeits is first; with equally many it
    is a tie, since each has the full score of the other's forfeits.
    """
    return rank_shares(count_shares(group, matches, sides=sides))


def rank_shares(shares: Mapping[int, Share]) -> dict[int, int]:
    """Return the ranks of `rank_group` from the shares of a group."""
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
    """Return the result of a finished mirror group, on which later rounds depend."""
    shares = count_shares(group, matches, sides=sides)
    return make_result(group, shares, rank_shares(shares))


def make_result(group: Group, shares: Mapping[int, Share], ranks: Mapping[int, int]) -> GroupResult:
    """Return the result of a group from the shares of its entrants and their ranks."""
    scores = {
        entrant: Cluster(score=share.counted_score, deals=share.deals)
        for entrant, share in shares.items()
    }
    return GroupResult(table=group.table, ranks=ranks, scores=scores)
