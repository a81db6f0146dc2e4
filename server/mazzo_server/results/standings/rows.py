"""Computes the rows of standings and their crosstable, from the results in all groups."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby, pairwise, permutations
from typing import Any

from mazzo.match import MatchFormat
from mazzo_server.model import Definition, PairingScheme
from mazzo_server.pairing import find_separation_level
from mazzo_server.results.standings.meetings import MeetingSums
from mazzo_server.results.standings.shares import Share
from mazzo_server.results.standings.values import Pair, Row
from mazzo_server.stats import (
    Ratings,
    Sums,
    Tables,
    compute_probability_better,
    estimate_more_groups,
    estimate_score,
)

__all__ = ["Tally", "has_order_by_rating", "list_pairs", "make_rows"]

_EVEN = 0.5  # probability


class Tally:
    """A running count for one entrant."""

    def __init__(self) -> None:
        self.wins = 0
        self.draws = 0
        self.losses = 0
        self.match_points = Fraction(0)
        self.deals = 0
        self.forfeited_deals = 0
        self.faults = 0
        self.late = 0
        self.decisions = 0
        self.micros = 0  # thinking time

    def add(
        self, share: Share, shares: Mapping[int, Share], *, rank: int, ranks: Mapping[int, int]
    ) -> None:
        """Add the entrant's own share of a group, its rank, and the shares and ranks of all."""
        if rank > 0:
            self.losses += 1
        elif sum(other == 0 for other in ranks.values()) > 1:
            self.draws += 1
        else:
            self.wins += 1
        self.match_points += share.match_score
        if share.forfeits:
            # A forfeiter never gets more from its substitute than the worst score.
            worst = (other.match_score for other in shares.values() if not other.forfeits)
            excess = share.match_score - min(worst, default=share.match_score)
            self.match_points -= max(excess, Fraction(0))
        self.deals += share.deals
        self.forfeited_deals += share.forfeited_deals
        self.faults += share.forfeits
        self.late += share.late
        self.decisions += share.decisions
        self.micros += share.micros

    @property
    def has_played(self) -> bool:
        """Whether a group counts for it."""
        return self.wins + self.draws + self.losses > 0

    def to_json(self) -> list[Any]:
        """Return the whole count as values that JSON can hold, for `from_json`."""
        return [
            self.wins,
            self.draws,
            self.losses,
            str(self.match_points),
            self.deals,
            self.forfeited_deals,
            self.faults,
            self.late,
            self.decisions,
            self.micros,
        ]

    @classmethod
    def from_json(cls, state: Sequence[Any]) -> Tally:
        """Return the count of which `to_json` returned the state."""
        tally = cls()
        tally.wins, tally.draws, tally.losses, points, *rest = state
        tally.match_points = Fraction(points)
        tally.deals, tally.forfeited_deals, tally.faults, *rest = rest
        tally.late, tally.decisions, tally.micros = rest
        return tally


def make_rows(
    definition: Definition,
    sides: Sequence[Sequence[int]],
    tallies: Mapping[int, Tally],
    tables: Tables,
    ratings: Ratings,
    *,
    ranks: Mapping[int, int],
) -> list[tuple[int, Row]]:
    """Return the rows in their order, each with its entrant.

    `ranks` are those of a Swiss tournament or a bracket, and is empty for any other.
    """
    level = find_separation_level(definition, sides=len(sides))
    by_rating = not ranks and has_order_by_rating(definition)
    own: dict[int, dict[tuple[int, ...], Sums]] = {index: {} for index in tallies}
    for table, sums in tables.items():
        for index in own.keys() & set(table):
            own[index][table] = sums
    intervals = {index: estimate_score(own[index], index) for index in tallies}

    def merit(index: int) -> tuple[float, ...]:
        if ranks:
            return (-ranks[index],)
        mean = intervals[index].mean
        score = -math.inf if mean is None else mean
        rating = ratings[index].conservative
        return (rating, score) if by_rating else (score, rating)

    by_name = sorted(tallies, key=lambda index: definition.entrants[index].name)
    order = sorted(by_name, key=merit, reverse=True)  # ties stay in order of their names
    below = dict(pairwise(order))
    retired = {change.entrant: not change.joins for change in definition.changes}
    deals_a_group = _compute_deals_a_group(definition, sides, tallies)
    found: list[tuple[int, Row]] = []
    for _, equals in groupby(order, key=merit):
        rank = len(found) + 1
        for index in equals:
            tally, rating, lower = tallies[index], ratings[index], below.get(index)
            more = better = None
            if lower is not None:
                both = own[index] | own[lower]
                more = estimate_more_groups(both, index, lower)
                better = compute_probability_better(both, index, lower)
            row = Row(
                rank=rank,
                name=definition.entrants[index].name,
                version=definition.entrants[index].version,
                retired=retired.get(index, False),
                mu=rating.mu,
                sigma=rating.sigma,
                rating=rating.conservative,
                groups=tally.wins + tally.draws + tally.losses,
                wins=tally.wins,
                draws=tally.draws,
                losses=tally.losses,
                match_points=float(tally.match_points),
                deals=tally.deals,
                score_per_deal=intervals[index],
                probability_better_than_next=better,
                scores_less_than_next=by_rating and better is not None and better < _EVEN,
                separated=(
                    None
                    if lower is None or level is None
                    else better is not None and better >= level
                ),
                more_deals=None if more is None else math.ceil(more * deals_a_group),
                forfeited_deals=tally.forfeited_deals,
                faults=tally.faults,
                late=tally.late,
                decisions=tally.decisions,
                seconds_per_decision=(
                    tally.micros / 1_000_000 / tally.decisions if tally.decisions else None
                ),
            )
            found.append((index, row))
    return found


def has_order_by_rating(definition: Definition) -> bool:
    """Tell whether ratings order the rows, where points do not, and not scores per deal."""
    # Entrants in doubt play more, and a rating grows with the number of groups. In a gauntlet it is
    # the scores against the hero that compare the others.
    is_gauntlet = definition.pairing is PairingScheme.GAUNTLET
    return definition.until_separated is None and not is_gauntlet


def list_pairs(
    definition: Definition,
    order: Sequence[int],
    tables: Tables,
    met: Mapping[tuple[int, int], MeetingSums],
) -> Iterator[Pair]:
    """Return every ordered pair of some entrants; of a ladder only those that have met.

    It has any number of versions, most of which meet few others.
    """
    if not order:
        return
    common: dict[tuple[int, int], Tables] = {}
    for table, sums in tables.items():
        for a, b in permutations(table, 2):
            common.setdefault((a, b), {})[table] = sums  # type: ignore[index]
    pairs: Iterable[tuple[int, int]] = permutations(order, 2)
    if definition.pairing.keeps_results:
        places = {index: place for place, index in enumerate(order)}
        known = {pair for one in met for pair in (one, one[::-1]) if places.keys() >= {*pair}}
        pairs = sorted(known, key=lambda pair: (places[pair[0]], places[pair[1]]))
    for a, b in pairs:
        both = common.get((a, b), {})
        is_first = (a, b) in met
        own = met.get((a, b) if is_first else (b, a))
        wins, draws, losses = own.count_results(reverse=not is_first) if own else (0, 0, 0)
        score = estimate_score(both, a)
        yield Pair(
            name=definition.entrants[a].name,
            opponent=definition.entrants[b].name,
            wins=wins,
            draws=draws,
            losses=losses,
            deals=score.deals,
            score_per_deal=score,
            probability_better=compute_probability_better(both, a, b),
        )


def _compute_deals_a_group(
    definition: Definition, sides: Sequence[Sequence[int]], tallies: Mapping[int, Tally]
) -> Fraction:
    """Return the number of deals in a mirror group: as planned, else the average."""
    planned = MatchFormat.parse(definition.match_format).planned_deals
    if planned is not None:
        return Fraction(planned * definition.seatings)
    deals = sum(tally.deals for tally in tallies.values())
    groups = sum(tally.wins + tally.draws + tally.losses for tally in tallies.values())
    return Fraction(deals, max(groups, 1))
