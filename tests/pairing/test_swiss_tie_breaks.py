"""The table of a Swiss tournament and its tie-breaks, by hand."""

from __future__ import annotations

from fractions import Fraction

from mazzo_server.pairing import SwissRound, SwissRow, rank_swiss

HALF = Fraction(1, 2)


def over(results: dict[tuple[int, ...], tuple[Fraction | int, ...]], *byes: int) -> SwissRound:
    points = {bye: Fraction(1) for bye in byes}
    for table, shares in results.items():
        points |= dict(zip(table, map(Fraction, shares), strict=True))
    return SwissRound(first=0, tables=tuple(results), byes=byes, points=points, void=())


def by_entrant(rows: tuple[SwissRow, ...]) -> dict[int, SwissRow]:
    return {row.entrant: row for row in rows}


FOUR = [
    over({(0, 1): (1, 0), (2, 3): (HALF, HALF)}),
    over({(0, 2): (1, 0), (1, 3): (1, 0)}),
    over({(0, 3): (0, 1), (1, 2): (1, 0)}),
]
"""Points: 2, 2, ½, 1½."""


def test_tie_breaks_of_four() -> None:
    rows = rank_swiss(FOUR, range(4))
    assert [(row.rank, row.entrant) for row in rows] == [(1, 0), (2, 1), (3, 3), (4, 2)]
    found = by_entrant(rows)
    assert [found[n].points for n in range(4)] == [2, 2, HALF, 3 * HALF]
    assert [found[n].buchholz for n in range(4)] == [4, 4, 11 * HALF, 9 * HALF]
    assert [found[n].buchholz_cut_1 for n in range(4)] == [7 * HALF, 7 * HALF, 4, 4]
    # 0 beat 1 (2) and 2 (½); 1 beat 3 (1½) and 2 (½).
    assert [found[n].sonneborn_berger for n in range(2)] == [5 * HALF, 2]


def test_direct_encounter_separates_what_is_level() -> None:
    """3 beat 2, which has the same points (1½), Buchholz and Sonneborn-Berger."""
    rounds = [
        over({(0, 1): (1, 0), (2, 3): (0, 1)}),
        over({(0, 2): (HALF, HALF), (1, 3): (HALF, HALF)}),
        over({(0, 3): (1, 0), (1, 2): (0, 1)}),
    ]
    rows = rank_swiss(rounds, range(4))
    assert [(row.rank, row.entrant) for row in rows] == [(1, 0), (2, 3), (3, 2), (4, 1)]
    assert [row.direct_encounter for row in rows] == [0, 1, 0, 0]


def test_equals_share_a_rank() -> None:
    """Each beat one and lost to the other."""
    circle = [
        over({(0, 1): (1, 0)}, 2),
        over({(1, 2): (1, 0)}, 0),
        over({(2, 0): (1, 0)}, 1),
    ]
    assert [row.rank for row in rank_swiss(circle, range(3))] == [1, 1, 1]
    assert {row.direct_encounter for row in rank_swiss(circle, range(3))} == {1}


def test_a_bye_is_a_meeting_with_oneself() -> None:
    """FIDE's dummy opponent: it has one's own points at the end."""
    rounds = [over({(0, 1): (1, 0)}, 2), over({(0, 2): (1, 0)}, 1)]
    found = by_entrant(rank_swiss(rounds, range(3)))
    assert [found[n].points for n in range(3)] == [2, 1, 1]
    assert [found[n].byes for n in range(3)] == [0, 1, 1]
    assert [found[n].buchholz for n in range(3)] == [2, 3, 3]
    assert [found[n].sonneborn_berger for n in range(3)] == [2, 1, 1]


def test_results_against_a_withdrawn_entrant_are_byes() -> None:
    """Promise: what was won or lost against it is void, and worth a full point."""
    found = by_entrant(rank_swiss(FOUR, range(4), withdrawn={0}))
    assert found.keys() == {1, 2, 3}
    assert [found[n].points for n in (1, 2, 3)] == [3, 3 * HALF, 3 * HALF]
    assert {row.byes for row in found.values()} == {1}


def test_a_late_entrant_has_nothing_for_what_it_missed() -> None:
    rounds = [over({(0, 1): (1, 0)}), over({(0, 2): (0, 1)}, 1)]
    found = by_entrant(rank_swiss(rounds, range(3)))
    assert (found[2].points, found[2].buchholz) == (Fraction(1), Fraction(2))
    assert found[2].byes == 0


def test_a_table_of_three() -> None:
    """Everybody at the table is an opponent, met for itself."""
    found = by_entrant(rank_swiss([over({(0, 1, 2): (1, HALF, 0)})], range(3)))
    assert [found[n].buchholz for n in range(3)] == [HALF, 1, 3 * HALF]
    assert [found[n].sonneborn_berger for n in range(3)] == [HALF, 0, 0]


def test_a_round_that_is_not_over_counts_nothing() -> None:
    open_round = SwissRound(first=2, tables=((0, 1),), byes=(2,), points={}, void=())
    assert rank_swiss([*FOUR, open_round], range(4)) == rank_swiss(FOUR, range(4))
