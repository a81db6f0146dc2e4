"""B.8: nobody gains by quitting, in small and at full size, and its measures can find a fault."""

from __future__ import annotations

import pytest

from bench.quitting import (
    CASES,
    POLICIES,
    Case,
    Effect,
    Line,
    find_pays,
    find_unfair,
    find_unsure,
    measure,
)


@pytest.mark.parametrize(
    ("variant", "policy"),
    [("briscola/2", "deal lost"), ("briscola/4", "behind"), ("frap/2", "behind")],
)
def test_quitting_costs_the_quitter(variant: str, policy: str) -> None:
    """Bar 2: every column that orders rows falls; the same tournaments every time."""
    (line,) = measure(Case(variant=variant), {policy: POLICIES[policy]}, tournaments=3)
    assert line.quits
    assert find_pays([line]) == []
    assert all(effect.mean < 0 for effect in line.columns.values())


@pytest.mark.parametrize("match_format", ["deals:2", "best-of:3", "target:21"])
def test_the_opponents_of_a_quitter_keep_their_scores(match_format: str) -> None:
    """Bar 2: simple players settle what equals would have played, in every match format."""
    case = Case(variant="tressette-meta-mazzo/2", match_format=match_format)
    lines = measure(case, tournaments=4)
    assert all(line.quits for line in lines)
    assert all(abs(line.others.mean) < 0.25 for line in lines)


def test_a_gift_to_the_others_is_found() -> None:
    """The bar would be missed if equals gained more than half a point by it."""
    line = Line(case=CASES[0], policy="behind", others=Effect(values=[0.6, 0.5, 0.6, 0.5]))
    assert find_unfair([line]) == []
    line.others = Effect(values=[0.7, 0.6, 0.7, 0.6])
    assert len(find_unfair([line])) == 1
    random = Case(variant="briscola/2", quitter="random", others="random")
    assert find_unfair([Line(case=random, policy="behind", others=line.others)]) == []


def test_too_few_tournaments_are_found() -> None:
    """Else a few, with large errors, would pass for fair."""
    line = Line(case=CASES[0], policy="behind", others=Effect(values=[2.0, -2.0, 1.0, -1.0]))
    assert find_unfair([line]) == []
    assert len(find_unsure([line])) == 1
    line.others.values *= 50
    assert find_unsure([line]) == []


def test_a_gain_is_found() -> None:
    """The bar would be missed if quitting paid in a single column."""
    line = Line(case=CASES[0], policy="behind")
    for effect in line.columns.values():
        effect.values.extend([-1.0, 0.0, 1.0, -2.0])
    assert find_pays([line]) == []
    line.rating = Effect(values=[1.0, 1.1, 0.9, 1.0])
    assert find_pays([line]) == [
        "briscola/2 deals:2, greedy among greedy, behind: rating +1.00 ± 0.04"
    ]


@pytest.mark.prove
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_quitting_never_pays_at_full_size(case: Case) -> None:
    """Bar 2: for every policy, in two-sided, three-sided, team and chip games."""
    lines = measure(case)
    assert all(line.quits for line in lines)
    assert find_pays(lines) == []
    assert find_unfair(lines) == []
    assert find_unsure(lines) == []
