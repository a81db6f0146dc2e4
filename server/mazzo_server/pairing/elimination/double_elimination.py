"""A double elimination of two sides: who has lost two bouts is out.

The unbeaten play the bracket of a knock-out. Those who have lost once play among themselves in each
round: a perfect matching with the fewest second byes, then the fewest pairs that have met before,
then the most pairs of one who has just lost and one who has not, then the bye for the highest seed;
and the higher a seed is, the lower is its opponent's. The unbeaten wait where there are fewer of
them than of the others.

The last unbeaten meets the last of the others in the grand final. If it loses, both have lost once,
and they play again: the reset.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import combinations

from mazzo_server.pairing.bracket import Bout, BoutStage
from mazzo_server.pairing.elimination.seeding import pair_seeds

__all__ = ["DoubleElimination"]

# Each cost is more than all costs after it can be together, for up to a thousand entrants.
_SECOND_BYE, _AGAIN, _ALIKE, _LOW_BYE = 10**30, 10**24, 10**18, 10**12


class DoubleElimination:
    """The rounds of a double elimination.

    An entrant that left is out. Among the unbeaten it keeps its place in the bracket, and its next
    opponent has a walkover.
    """

    def __init__(self, seeds: Sequence[int]) -> None:
        """`seeds` has all entrants, the highest seed first."""
        self._seeds = seeds
        self._places = {entrant: place for place, entrant in enumerate(seeds)}

    def count_bouts(self) -> int:
        """Return how many bouts there are at most: all but one lose twice, that one once."""
        return 2 * len(self._seeds) - 1

    def pair(self, rounds: Sequence[Sequence[Bout]], gone: Collection[int]) -> tuple[Bout, ...]:
        """Return the bouts after these rounds; none: it is over."""
        if not rounds:
            return tuple(
                self._make_bout(pair, BoutStage.WINNERS, 1) for pair in pair_seeds(self._seeds)
            )
        if rounds[-1][0].stage is BoutStage.RESET:
            return ()
        losses = _count_losses(rounds)
        if rounds[-1][0].stage is BoutStage.GRAND_FINAL:
            finalists = rounds[-1][0].table
            if losses[finalists[0]] == losses[finalists[1]] and not {*finalists} & {*gone}:
                return (self._make_bout(finalists, BoutStage.RESET, 1),)
            return ()
        played = _list_stage(rounds, BoutStage.WINNERS)
        unbeaten = [bout.order[0] for bout in played[-1]]
        beaten = [one for one in self._seeds if losses[one] == 1 and one not in gone]
        if len(unbeaten) == 1 and len(beaten) <= 1:
            if not beaten:
                return ()
            return (self._make_bout([*unbeaten, *beaten], BoutStage.GRAND_FINAL, 1),)
        bouts = []
        if len(unbeaten) > 1 and len(unbeaten) >= len(beaten):
            number = len(played) + 1
            bouts += [
                self._make_bout(pair, BoutStage.WINNERS, number)
                for pair in zip(unbeaten[::2], unbeaten[1::2], strict=True)
            ]
        number = len(_list_stage(rounds, BoutStage.LOSERS)) + 1
        bouts += [
            self._make_bout(pair, BoutStage.LOSERS, number) for pair in self._match(beaten, rounds)
        ]
        return tuple(bouts)

    def _match(
        self, beaten: Sequence[int], rounds: Sequence[Sequence[Bout]]
    ) -> tuple[tuple[int, ...], ...]:
        all_bouts = [bout for bouts in rounds for bout in bouts]
        met = Counter(bout.seated for bout in all_bouts if bout.groups)
        byes = Counter(
            bout.table[0] for bout in all_bouts if bout.is_bye and bout.stage is BoutStage.LOSERS
        )
        lost_now = {
            bout.order[-1]
            for bout in rounds[-1]
            if not bout.is_bye and bout.stage is BoutStage.WINNERS
        }
        return _match_beaten(
            tuple((one, byes[one], one in lost_now) for one in beaten), frozenset(met.items())
        )

    def _make_bout(self, pair: Sequence[int], stage: BoutStage, number: int) -> Bout:
        table = tuple(sorted(pair, key=self._places.__getitem__))
        return Bout(table=table, stage=stage, round=number, advance=1)


def _count_losses(rounds: Sequence[Sequence[Bout]]) -> Counter[int]:
    return Counter(bout.order[-1] for bouts in rounds for bout in bouts if not bout.is_bye)


def _list_stage(rounds: Sequence[Sequence[Bout]], stage: BoutStage) -> list[list[Bout]]:
    found = ([bout for bout in bouts if bout.stage is stage] for bouts in rounds)
    return [bouts for bouts in found if bouts]


@lru_cache(maxsize=128)
def _match_beaten(
    beaten: tuple[tuple[int, int, bool], ...],  # by seed: entrant, byes, whether it has just lost
    meetings: frozenset[tuple[tuple[int, ...], int]],
) -> tuple[tuple[int, ...], ...]:
    """Return the pairs, that of the highest seed first; one alone has a bye."""
    # NetworkX takes a while to import, and only this function needs it.
    import networkx

    met = dict(meetings)
    graph = networkx.Graph()
    for (place, one), (below, other) in combinations(enumerate(beaten), 2):
        again = met.get((min(one[0], other[0]), max(one[0], other[0])), 0)
        cost = again * _AGAIN + (one[2] == other[2]) * _ALIKE + (place + 1) * (below + 1)
        graph.add_edge(place, below, weight=cost)
    if len(beaten) % 2:
        for place, (_, byes, _) in enumerate(beaten):
            graph.add_edge(place, -1, weight=byes * _SECOND_BYE + place * _LOW_BYE)
    pairs = sorted(sorted(edge, key=abs) for edge in networkx.min_weight_matching(graph))
    tables = [tuple(beaten[place][0] for place in pair if place >= 0) for pair in pairs]
    order = {entrant: place for place, (entrant, _, _) in enumerate(beaten)}
    return tuple(sorted(tables, key=lambda table: min(order[entrant] for entrant in table)))
