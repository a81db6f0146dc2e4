"""What a match was for each of its entrants: what matches are found and sorted by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction

from mazzo_server.model.outcome import MatchOutcome, Owner

__all__ = ["MatchResult", "Verdict", "compute_match_results"]


class Verdict(IntEnum):
    """How a match ended for an entrant, by the match scores; who forfeited comes last."""

    LOST = -1  # somebody was better
    DRAWN = 0  # nobody was better, and somebody as good
    WON = 1  # nobody was as good


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """What a match was for one entrant. Its points are those that count after a forfeit."""

    group: int  # number of the mirror group in the schedule, from 0
    seating: int
    seat: int  # the first one of the entrant, which has several in a team
    entrant: int  # index in the definition's entrants
    verdict: Verdict
    # Points over the whole match, less the mean of the others'.
    margin: float
    # The same points, less the mean of what the others made of the same cards in the same seat, in
    # the other seatings of the mirror group; None where nobody else had them.
    swing: float | None
    late: int  # decisions not taken in time
    forfeited: bool
    spoilt: int  # times that a fault of the platform had ended the match before
    end_time: float  # Unix seconds

    @property
    def is_odd(self) -> bool:
        """Whether the match did not go as it should for this entrant."""
        return bool(self.forfeited or self.late or self.spoilt)


def compute_match_results(
    outcomes: Sequence[MatchOutcome], sides: Sequence[Sequence[int]]
) -> Iterator[MatchResult]:
    """Yield the results of matches of one mirror group, by match and side.

    `outcomes` has all that are stored of the group. Where a match was played from another seed than
    another one, they had other cards, and are not compared.
    """
    points = [_count_points(outcome, sides) for outcome in outcomes]
    for outcome, own in zip(outcomes, points, strict=True):
        entrants = [outcome.entrants[seats[0]] for seats in sides]
        forfeits = {
            outcome.entrants[fault.seat]
            for fault in outcome.faults
            if fault.owner is not Owner.PLATFORM
        }
        merits: list[tuple[bool, Fraction]] = [
            (entrant not in forfeits, outcome.match_scores[seats[0]])
            for entrant, seats in zip(entrants, sides, strict=True)
        ]
        best, total = max(merits), sum(own)
        won = Verdict.WON if merits.count(best) == 1 else Verdict.DRAWN
        for side, seats in enumerate(sides):
            same_cards = [
                other[side]
                for match, other in zip(outcomes, points, strict=True)
                if match.entrants[seats[0]] != entrants[side] and match.attempt == outcome.attempt
            ]
            yield MatchResult(
                group=outcome.group,
                seating=outcome.seating,
                seat=seats[0],
                entrant=entrants[side],
                verdict=won if merits[side] == best else Verdict.LOST,
                margin=own[side] - (total - own[side]) / (len(sides) - 1),
                swing=own[side] - sum(same_cards) / len(same_cards) if same_cards else None,
                late=sum(outcome.late[seat] for seat in seats),
                forfeited=entrants[side] in forfeits,
                spoilt=outcome.spoilt,
                end_time=outcome.end_time,
            )


def _count_points(outcome: MatchOutcome, sides: Sequence[Sequence[int]]) -> list[int]:
    """Return what each side scored in the deals, as it counts."""
    deals = outcome.counted_scores
    return [sum(scores[seats[0]] for scores in deals) for seats in sides]
