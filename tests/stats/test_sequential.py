"""The sequential test: its laws, its error rates, and how many values it needs.

The error rates are counted on simulated values. One-sided 1 %: a test with the nominal rate passes
99 times in 100, and the seeds are fixed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from mazzo_server.errors import InvalidInputError
from mazzo_server.stats import SequentialTest, SequentialVerdict

Values: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"
Draw: TypeAlias = Callable[[np.random.Generator, tuple[int, ...]], Values]

NOMINAL = 0.05
MOST_VALUES = 100_000
SCORES = np.arange(5) / 2 - 1  # of a pair: win share of one less that of the other
WALD = np.log(0.95 / 0.05)


def run(test: SequentialTest, draw: Draw, rng: np.random.Generator) -> SequentialVerdict:
    """Feed a test until it decides."""
    while test.verdict is SequentialVerdict.UNDECIDED and test.count < MOST_VALUES:
        for value in draw(rng, (128,)).tolist():
            test.add(value)
    return test.verdict


def count_errors(
    make: Callable[[float], Draw],
    low: float,
    high: float,
    *,
    simulations: int,
    bounds: tuple[float, float] | None = None,
) -> tuple[int, int]:
    """How often LOW was found to be more, and HIGH to be less."""
    errors = []
    for mean, wrong in ((low, SequentialVerdict.HIGH), (high, SequentialVerdict.LOW)):
        rng = np.random.default_rng(1)
        draw = make(mean)
        found = [
            run(SequentialTest(low, high, bounds=bounds), draw, rng) for _ in range(simulations)
        ]
        assert SequentialVerdict.UNDECIDED not in found
        errors.append(found.count(wrong))
    return errors[0], errors[1]


def make_normal(mean: float) -> Draw:
    return lambda rng, shape: mean + rng.normal(size=shape)


def make_heavy(mean: float) -> Draw:
    """Student's t with three degrees of freedom: no fourth moment."""
    return lambda rng, shape: mean + rng.standard_t(3, size=shape)


def make_skewed(mean: float) -> Draw:
    """Rare values far above: lognormal. Its skewness is 6."""
    return lambda rng, shape: mean + rng.lognormal(size=shape) - np.exp(0.5)


def make_lost(mean: float) -> Draw:
    """Rare values far below."""
    return lambda rng, shape: mean - rng.lognormal(size=shape) + np.exp(0.5)


def make_forfeits(mean: float) -> Draw:
    """One group in a hundred is forfeited, at ten times the luck of the others."""

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> Values:
        forfeits = np.where(rng.random(shape) < 0.01, -40.0, 0.0)
        return mean + 0.4 + forfeits + 4 * rng.normal(size=shape)

    return draw


def make_rare(mean: float) -> Draw:
    """Nine values in ten are 0, the others 1 or −1: two bots that are nearly the same."""
    ups, downs = (0.1 + mean) / 2, (0.1 - mean) / 2

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> Values:
        at = rng.random(shape)
        return np.where(at < ups, 1.0, np.where(at > 1 - downs, -1.0, 0.0))

    return draw


def make_pairs(mean: float) -> Draw:
    """Pairs of deals that are won, drawn or lost, half of them one each."""
    shares = _tilt(np.array([0.03, 0.22, 0.5, 0.22, 0.03]), SCORES, mean)
    return lambda rng, shape: rng.choice(SCORES, p=shares, size=shape)


# Of the three-sided games, one alone in each of two groups of three matches: thirds of deals won.
LONE_SCORES = np.arange(-6, 7) / 6


def make_lone(mean: float) -> Draw:
    alone = np.array([0.2, 0.25, 0.2, 0.15, 0.1, 0.06, 0.04])
    shares = _tilt(np.convolve(alone, alone[::-1]), LONE_SCORES, mean)
    return lambda rng, shape: rng.choice(LONE_SCORES, p=shares, size=shape)


def _tilt(shares: Values, values: Values, mean: float) -> Values:
    """Shift shares exponentially so that the values have this mean."""
    low, high = -50.0, 50.0
    for _ in range(100):
        middle = (low + high) / 2
        tilted = shares * np.exp(middle * values)
        tilted /= tilted.sum()
        low, high = (middle, high) if tilted @ values < mean else (low, middle)
    return tilted


CASES = {
    "normal": (make_normal, 0.1, None),
    "heavy tails": (make_heavy, 0.2, None),
    "skewed": (make_skewed, 0.3, None),
    "skewed to losses": (make_lost, 0.3, None),
    "forfeits": (make_forfeits, 0.7, None),
    "few differ": (make_rare, 0.03, (-1.0, 1.0)),
    "few differ, bounds unknown": (make_rare, 0.03, None),
    "pairs": (make_pairs, 0.04, (-1.0, 1.0)),
    "three sides": (make_lone, 0.04, (-1.0, 1.0)),
}


@pytest.mark.prove
@pytest.mark.parametrize("case", CASES)
def test_the_error_rates_are_those_stated(case: str) -> None:
    make, high, bounds = CASES[case]
    simulations = 2000
    errors = count_errors(make, 0.0, high, simulations=simulations, bounds=bounds)
    print(f"{case}: {errors[0] / simulations:.4f} and {errors[1] / simulations:.4f}")
    assert max(errors) <= binom.ppf(0.99, simulations, NOMINAL)


@pytest.mark.parametrize("case", CASES)
def test_the_error_rates_are_those_stated_where_the_bounds_are_far_apart(case: str) -> None:
    """The everyday size; the forfeits of the large one are too rare to be seen in short tests."""
    make, high, bounds = CASES[case]
    errors = count_errors(make, 0.0, 3 * high, simulations=100, bounds=bounds)
    assert max(errors) <= binom.ppf(0.99, 100, NOMINAL)


@pytest.mark.prove
@pytest.mark.parametrize(
    ("make", "scores"), [(make_pairs, SCORES), (make_lone, LONE_SCORES)], ids=["pairs", "alone"]
)
@pytest.mark.parametrize("high", [0.04, 0.02])
def test_it_needs_hardly_more_values_than_fastchess(
    make: Callable[[float], Draw], scores: Values, high: float
) -> None:
    """Bar: at most 105 % of the groups that fastchess's rule needs, on the same values."""
    ours = theirs = 0
    for mean in (0.0, high):
        rng = np.random.default_rng(2)
        draw = make(mean)
        for _ in range(1000):
            values = draw(rng, (MOST_VALUES // 4,))
            theirs += _count_values_of_fastchess(values, scores, high)
            test = SequentialTest(0.0, high, bounds=(-1.0, 1.0))
            for value in values.tolist():
                test.add(value)
                if test.verdict is not SequentialVerdict.UNDECIDED:
                    break
            ours += test.count
    print(f"{ours / 2000:.0f} values, fastchess {theirs / 2000:.0f}: {ours / theirs:.3f} times")
    assert ours <= 1.05 * theirs


def _count_values_of_fastchess(values: Values, scores: Values, high: float) -> int:
    """How many values its test of pairs needs (its `sprt.cpp`, the model "logistic").

    It compares the likelihoods of the two distributions on the scores that are the most likely ones
    among those with the mean LOW, and with HIGH. A score that was not seen counts as 1/1000.
    """
    kinds = np.rint((values - scores[0]) / (scores[1] - scores[0])).astype(int)
    begin, counts = 0, np.zeros(len(scores))
    for size in [128] * (len(values) // 128):
        seen = counts + np.cumsum(kinds[begin : begin + size, None] == np.arange(len(scores)), 0)
        whole = np.maximum(seen, 1e-3)
        total = whole.sum(-1)
        shares = whole / total[:, None]
        likely = [_find_likeliest(shares, scores - mean) for mean in (0.0, high)]
        ratio = total * (shares * np.log(likely[1] / likely[0])).sum(-1)
        decided = np.abs(ratio) >= WALD
        if decided.any():
            return begin + int(decided.argmax()) + 1
        begin, counts = begin + size, seen[-1]
    raise AssertionError("not enough values")


def _find_likeliest(shares: Values, deviations: Values) -> Values:
    """Return p = q / (1 + t d) of which the mean deviation is 0."""
    low = np.full(shares.shape[:-1], -1 / deviations.max() + 1e-9)
    high = np.full(shares.shape[:-1], -1 / deviations.min() - 1e-9)
    for _ in range(50):
        t = (low + high) / 2
        is_above = (shares * deviations / (1 + t[:, None] * deviations)).sum(-1) > 0
        low, high = np.where(is_above, t, low), np.where(is_above, high, t)
    return shares / (1 + t[:, None] * deviations)


@given(st.lists(st.floats(-5, 5), max_size=80), st.booleans())
def test_low_and_high_are_treated_alike(values: list[float], has_bounds: bool) -> None:
    bounds = (-5.0, 5.0) if has_bounds else None
    test, mirrored = (SequentialTest(-0.1, 0.1, bounds=bounds) for _ in range(2))
    for value in values:
        test.add(value)
        mirrored.add(-value)
    assert test.evidence == pytest.approx(mirrored.evidence[::-1])
    swapped = {
        SequentialVerdict.LOW: SequentialVerdict.HIGH,
        SequentialVerdict.HIGH: SequentialVerdict.LOW,
        SequentialVerdict.UNDECIDED: SequentialVerdict.UNDECIDED,
    }
    assert mirrored.verdict is swapped[test.verdict]
    assert mirrored.estimate_more() == test.estimate_more()


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=29))
def test_the_first_values_decide_nothing(values: list[float]) -> None:
    test = SequentialTest(-0.9, 0.9, bounds=(-1.0, 1.0))
    for value in values:
        test.add(value)
    assert test.verdict is SequentialVerdict.UNDECIDED


def test_after_the_verdict_nothing_counts() -> None:
    test = SequentialTest(0.0, 0.5, bounds=(-1.0, 1.0))
    for _ in range(200):
        test.add(0.9)
    decided = test.count
    assert test.verdict is SequentialVerdict.HIGH
    assert decided == 30
    assert test.estimate_more() == 0
    for _ in range(200):
        test.add(-1.0)
    assert (test.verdict, test.count, test.mean) == (SequentialVerdict.HIGH, decided, 0.9)


def test_values_that_are_all_alike_decide_only_where_others_were_possible() -> None:
    """A bot that is the same in all but rare positions: what those are worth is not known yet."""
    blind, seeing = SequentialTest(0.0, 0.5), SequentialTest(0.0, 0.5)
    for _ in range(5000):
        blind.add(0.0)
        seeing.add(0.0, (-60.0, 60.0))
    assert blind.verdict is SequentialVerdict.UNDECIDED
    assert blind.estimate_more() is None
    assert seeing.verdict is SequentialVerdict.LOW
    # The chance of missing 0.5 by a rare 60 is (1 − 0.5/60)^n at most.
    assert (1 - 0.5 / 60) ** seeing.count < NOMINAL


def test_a_value_beyond_all_that_were_seen_does_not_end_the_test() -> None:
    rng = np.random.default_rng(3)
    test = SequentialTest(0.0, 0.5)
    for value in rng.normal(0.25, 1.0, size=50).tolist():
        test.add(value)
    test.add(-1e6)
    assert np.isfinite(test.evidence).all()


def test_what_is_left_is_estimated() -> None:
    rng = np.random.default_rng(4)
    test = SequentialTest(0.0, 0.1, bounds=(-1.0, 1.0))
    for value in np.clip(rng.normal(0.15, 0.3, size=40), -1, 1).tolist():
        test.add(value)
    more = test.estimate_more()
    assert more is not None
    assert 10 < more < 500
    assert SequentialTest(0.0, 0.1).estimate_more() is None


@pytest.mark.parametrize(
    ("numbers", "options", "said"),
    [
        ((1, 1), {}, "the smaller one first, got 1 1"),
        ((2, 1), {}, "the smaller one first, got 2 1"),
        ((float("nan"), 1), {}, "got nan 1"),
        ((0, float("inf")), {}, "got 0 inf"),
        ((0.5, 1.5), {"bounds": (-1, 1)}, "between -1 and 1, got 0.5 1.5"),
        ((0, 1), {"alpha": 0.5}, "between 0 and 0.5, got 0.5"),
        ((0, 1), {"beta": 0.0}, "between 0 and 0.5, got 0"),
    ],
)
def test_questions_without_an_answer(
    numbers: tuple[float, float], options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidInputError, match=said):
        SequentialTest(*numbers, **options)
