"""TrueSkill ratings, against published numbers and at the edges of floating point."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.errors import InvalidInputError
from mazzo_server.rating import Ratings


def rated(*results: dict[int, int], draw_probability: float = 0.1) -> Ratings:
    ratings = Ratings(draw_probability=draw_probability)
    for ranks in results:
        ratings.rate(ranks)
    return ratings


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ((0, 1), [(29.396, 7.171), (20.604, 7.171)]),
        ((0, 0), [(25.000, 6.458), (25.000, 6.458)]),
        ((0, 1, 2), [(31.675, 6.656), (25.000, 6.208), (18.325, 6.656)]),
        ((0, 0, 0), [(25.000, 5.698), (25.000, 5.695), (25.000, 5.698)]),
        (
            (0, 1, 2, 3),
            [(33.207, 6.348), (27.401, 5.787), (22.599, 5.787), (16.793, 6.348)],
        ),
    ],
)
def test_published_numbers(ranks: tuple[int, ...], expected: list[tuple[float, float]]) -> None:
    """Promise: the ratings are TrueSkill's (Moser's and Microsoft's calculator's examples).

    They were published for `tau` 1/12, which moves these numbers by less than 0.001.
    """
    ratings = rated(dict(enumerate(ranks)))
    for entrant, (mu, sigma) in enumerate(expected):
        assert ratings[entrant].mu == pytest.approx(mu, abs=1.5e-3)
        assert ratings[entrant].sigma == pytest.approx(sigma, abs=1.5e-3)


def test_who_has_not_played_has_the_prior() -> None:
    """Promise: the ranking starts at μ 25, σ 25/3 and a rating of 0."""
    rating = rated()[7]
    assert rating.mu == pytest.approx(25)
    assert rating.sigma == pytest.approx(25 / 3)
    assert rating.conservative == pytest.approx(0)


def test_skills_do_not_drift() -> None:
    """Promise: `tau` is 0, so σ never grows and goes on falling with every result."""
    sigmas = [rated(*[{0: 0, 1: 1}, {0: 1, 1: 0}] * pairs)[0].sigma for pairs in (10, 100, 400)]
    assert sigmas[0] > sigmas[1] > sigmas[2]
    assert sigmas[2] < 0.5


@given(st.dictionaries(st.integers(0, 20), st.integers(0, 5), min_size=2, max_size=6))
def test_the_order_of_a_mapping_does_not_matter(ranks: dict[int, int]) -> None:
    """Promise: the same results give the same bits."""
    backwards = dict(reversed(ranks.items()))
    one, other = rated(ranks), rated(backwards)
    assert [one[entrant] for entrant in ranks] == [other[entrant] for entrant in ranks]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=20))
def test_better_is_higher(results: list[tuple[int, int]]) -> None:
    """Promise: ranks count from the best, so a further win raises μ and a defeat lowers it."""
    played = [{0: a, 1: b} for a, b in results]
    before, after = rated(*played), rated(*played, {0: 0, 1: 1})
    assert after[0].mu > before[0].mu
    assert after[1].mu < before[1].mu


@pytest.mark.parametrize("draw_probability", [0.0, 1e-9, 1e-3, 0.5, 0.999])
def test_a_tie_tells_something(draw_probability: float) -> None:
    """Promise: a tie under any draw probability, even 0, is rated and never widens σ."""
    ratings = rated({0: 0, 1: 0}, {0: 0, 1: 0, 2: 0}, draw_probability=draw_probability)
    assert ratings[0].mu == pytest.approx(25, abs=0.01)
    assert ratings[0].sigma < ratings[2].sigma < 25 / 3


def test_an_upset_after_a_long_series() -> None:
    """Promise: the most one-sided tournament and its reversal stay within floating point."""
    series = [dict(enumerate(range(12)))] * 200
    ratings = rated(
        *series, {entrant: 11 - entrant for entrant in range(12)}, dict.fromkeys(range(12), 0)
    )
    assert ratings[0].conservative > ratings[1].conservative > ratings[11].conservative


@pytest.mark.parametrize("draw_probability", [-0.1, 1.0, float("nan")])
def test_a_draw_probability_is_a_probability(draw_probability: float) -> None:
    """Promise: what cannot be used is refused in words."""
    with pytest.raises(InvalidInputError, match="draw probability from 0 to below 1"):
        Ratings(draw_probability=draw_probability)
