"""The standings of a Swiss tournament: points, and the tie-breaks between equal points.

An entrant's opponents are all that it sat with, one entry for each round and opponent. A round that
it did not play (a bye, a void table, or one before it joined or after it was retired) counts as if
it had met itself: at a table of dummies that have its own final points, with its points for the
round as the result (FIDE Handbook C.07, 16.4, in force since 2023).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby

from mazzo_server.pairing.swiss.rounds import SwissRound

__all__ = ["SwissRow", "rank_swiss"]

_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class SwissRow:
    """One entrant's place, by points and then by each of the next fields in turn."""

    rank: int  # from 1; ties share one, and the next ranks are left out
    entrant: int
    points: Fraction
    buchholz_cut_1: Fraction  # Buchholz without the lowest entry
    buchholz: Fraction  # sum of the final points of the opponents
    sonneborn_berger: Fraction  # sum of their points, each times the result: 1, ½ or 0
    # Results against those with equal values in all of these; 0 unless all of them met.
    direct_encounter: Fraction
    byes: int  # rounds with points for a bye


def rank_swiss(
    rounds: Sequence[SwissRound], entrants: Collection[int], withdrawn: Collection[int] = ()
) -> tuple[SwissRow, ...]:
    """Return the rows of all that were not withdrawn, from the rounds that are over.

    A table of a withdrawn entrant is void, even if it was played to its end.
    """
    rounds = [each for each in rounds if each.points]
    present = sorted(set(entrants).difference(withdrawn))
    met: dict[int, list[tuple[int, Fraction]]] = {entrant: [] for entrant in present}
    free: dict[int, list[Fraction]] = {entrant: [] for entrant in present}
    points = dict.fromkeys(present, Fraction(0))
    others = max((len(table) - 1 for each in rounds for table in each.tables), default=1)
    gone = frozenset(withdrawn)
    for each in rounds:
        void = {*each.void, *(table for table in each.tables if not gone.isdisjoint(table))}
        played = {entrant: table for table in each.tables for entrant in table if table not in void}
        voided = {entrant for table in void for entrant in table}
        for entrant in present:
            own = Fraction(1) if entrant in voided else each.points.get(entrant, Fraction(0))
            points[entrant] += own
            if entrant not in played:
                free[entrant].append(own)
                continue
            for opponent in played[entrant]:
                if opponent != entrant:
                    score = each.points[opponent]
                    won = Fraction(own > score) + _HALF * (own == score)
                    met[entrant].append((opponent, won))
    rows = []
    for entrant in present:
        own = points[entrant]
        entries = [(points[opponent], won) for opponent, won in met[entrant]]
        entries += [(own, share) for share in free[entrant] for _ in range(others)]
        scores = [score for score, _ in entries]
        buchholz = sum(scores, start=Fraction(0))
        rows.append(
            SwissRow(
                rank=0,
                entrant=entrant,
                points=own,
                buchholz_cut_1=buchholz - min(scores, default=Fraction(0)),
                buchholz=buchholz,
                sonneborn_berger=sum((score * won for score, won in entries), start=Fraction(0)),
                direct_encounter=Fraction(0),
                byes=sum(share == 1 for share in free[entrant]),
            )
        )
    return _rank(rows, met)


def _rank(
    rows: Sequence[SwissRow], met: dict[int, list[tuple[int, Fraction]]]
) -> tuple[SwissRow, ...]:
    def merit(row: SwissRow) -> tuple[Fraction, ...]:
        return row.points, row.buchholz_cut_1, row.buchholz, row.sonneborn_berger

    def against(row: SwissRow, level: set[int]) -> Fraction:
        return sum((won for other, won in met[row.entrant] if other in level), start=Fraction(0))

    found: list[SwissRow] = []
    for _, equals in groupby(sorted(rows, key=merit, reverse=True), key=merit):
        tied = list(equals)
        level = {row.entrant for row in tied}
        all_met = all(
            level <= {row.entrant, *(other for other, _ in met[row.entrant])} for row in tied
        )
        direct = {row.entrant: against(row, level) if all_met else Fraction(0) for row in tied}
        tied.sort(key=lambda row: (-direct[row.entrant], row.entrant))
        before = len(found)
        found += (
            replace(
                row,
                rank=before + 1 + sum(direct[row.entrant] < other for other in direct.values()),
                direct_encounter=direct[row.entrant],
            )
            for row in tied
        )
    return tuple(found)
