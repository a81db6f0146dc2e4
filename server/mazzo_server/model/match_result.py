"""What a match was for each of its entrants: what matches are found and sorted by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from fractions import Fraction
from typing import NamedTuple

from mazzo_server.model.outcome import MatchOutcome, Owner

__all__ = ["MatchResult", "Verdict", "compute_margins", "compute_match_results", "judge_sides"]


class Verdict(IntEnum):
    """How a match ended for an entrant, by the match scores; who forfeited comes last."""

    LOST = -1  # somebody was better
    DRAWN = 0  # nobody was better, and somebody as good
    WON = 1  # nobody was as good


class MatchResult(NamedTuple):  # made in a fifth of the time of a frozen dataclass
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
    firsts = [seats[0] for seats in sides]
    points = [_count_points(outcome, firsts) for outcome in outcomes]
    for outcome, own in zip(outcomes, points, strict=True):
        is_late = any(outcome.late)
        forfeits = _find_forfeits(outcome) if outcome.faults else frozenset[int]()
        margins = compute_margins(own)
        verdicts = judge_sides(
            [_make_comparable(outcome.match_scores[seat]) for seat in firsts],
            [outcome.entrants[seat] in forfeits for seat in firsts],
        )
        for side, seat in enumerate(firsts):
            entrant = outcome.entrants[seat]
            same_cards = [
                made[side]
                for match, made in zip(outcomes, points, strict=True)
                if match.entrants[seat] != entrant and match.attempt == outcome.attempt
            ]
            yield MatchResult(
                group=outcome.group,
                seating=outcome.seating,
                seat=seat,
                entrant=entrant,
                verdict=verdicts[side],
                margin=margins[side],
                swing=own[side] - sum(same_cards) / len(same_cards) if same_cards else None,
                late=sum([outcome.late[member] for member in sides[side]]) if is_late else 0,
                forfeited=entrant in forfeits,
                spoilt=outcome.spoilt,
                end_time=outcome.end_time,
            )


def compute_margins(points: Sequence[int]) -> list[float]:
    """Return what each side scored more than the others did on average, from the points of all."""
    total, others = sum(points), len(points) - 1
    return [own - (total - own) / others for own in points]


def judge_sides(scores: Sequence[Fraction | float], forfeited: Sequence[bool]) -> list[Verdict]:
    """Return how a match ended for each side, from their match scores and who forfeited."""
    merits = [(not lost, score) for lost, score in zip(forfeited, scores, strict=True)]
    best = max(merits)
    won = Verdict.WON if merits.count(best) == 1 else Verdict.DRAWN
    return [won if merit == best else Verdict.LOST for merit in merits]


def _count_points(outcome: MatchOutcome, seats: Sequence[int]) -> list[int]:
    """Return what each of these seats scored in the deals, as it counts."""
    deals = outcome.counted_scores
    return [sum([scores[seat] for scores in deals]) for seat in seats]


def _find_forfeits(outcome: MatchOutcome) -> frozenset[int]:
    """Return the entrants that forfeited the match."""
    return frozenset(
        outcome.entrants[fault.seat]
        for fault in outcome.faults
        if fault.owner is not Owner.PLATFORM
    )


def _make_comparable(number: Fraction) -> Fraction | int:
    """Return the same number as an int if it is whole: that is compared in a fifth of the time."""
    return number.numerator if number.denominator == 1 else number
