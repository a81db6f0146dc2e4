"""Histograms: they follow from their values alone, and stay small."""

from __future__ import annotations

import json
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.stats import Histogram, HistogramSums

MOST = 4

values = st.lists(
    st.tuples(
        st.one_of(st.integers(-200, 200), st.integers(-(10**30), 10**30)), st.integers(1, 12)
    ),
    max_size=30,
)


def make(pairs: list[tuple[int, int]], *, exponent: int = -4, most: int = MOST) -> Histogram:
    sums = HistogramSums(most=most, exponent=exponent)
    for value, divisor in pairs:
        sums.add(value, divisor)
    return sums.make_histogram()


@given(values, st.integers(-6, 6))
def test_each_value_is_in_its_bin(pairs: list[tuple[int, int]], exponent: int) -> None:
    """Law: a bin has what lies in it, 0 has its own, and no side of 0 has more than its bins."""
    found = make(pairs, exponent=exponent)
    width = Fraction(2) ** found.exponent
    assert found.total == len(pairs)
    numbers = range(found.first, found.first + len(found.counts))
    assert all(-MOST <= number <= MOST for number in numbers)
    fractions = [Fraction(*pair) for pair in pairs]
    for number, count in zip(numbers, found.counts, strict=True):
        if number > 0:
            mine = [one for one in fractions if (number - 1) * width < one <= number * width]
        elif number < 0:
            mine = [one for one in fractions if number * width <= one < (number + 1) * width]
        else:
            mine = [one for one in fractions if one == 0]
        assert count == len(mine)
    if pairs:
        assert found.counts[0]
        assert found.counts[-1]
        farthest = max(map(abs, fractions))
        assert found.exponent == exponent or farthest > MOST * width / 2  # no wider than needed


@given(values, st.randoms(use_true_random=False))
def test_the_order_of_the_values_changes_nothing(
    pairs: list[tuple[int, int]], random: object
) -> None:
    other = list(pairs)
    random.shuffle(other)  # type: ignore[attr-defined]
    assert make(pairs) == make(other)


@given(values, st.data())
def test_one_that_was_written_and_read_goes_on_the_same(
    pairs: list[tuple[int, int]], data: st.DataObject
) -> None:
    sums = HistogramSums(most=MOST, exponent=-4)
    for value, divisor in pairs:
        if data.draw(st.booleans()):
            sums = HistogramSums.from_json(json.loads(json.dumps(sums.to_json())), most=MOST)
        sums.add(value, divisor)
    assert sums.make_histogram() == make(pairs)


@given(values)
def test_the_negated_values_have_the_mirror_image(pairs: list[tuple[int, int]]) -> None:
    mirrored = make([(-value, divisor) for value, divisor in pairs])
    assert make(pairs).reverse() == mirrored
    assert mirrored.reverse().reverse() == mirrored


@given(values, st.integers(0, 5))
def test_a_wider_one_is_that_of_the_same_values(
    pairs: list[tuple[int, int]], doublings: int
) -> None:
    found = make(pairs)
    wider = found.widen(found.exponent + doublings)
    assert wider == make(pairs, exponent=found.exponent + doublings)
    assert found.widen(found.exponent - 3) == found


def test_bins_are_neighbours_and_0_has_no_width() -> None:
    sums = HistogramSums(most=2, exponent=0)
    for value in (-2, -1, 0, 0, 2):
        sums.add(value)
    found = [(one.low, one.high, one.count) for one in sums.make_histogram().list_bins()]
    assert found == [(-2, -1, 1), (-1, 0, 1), (0, 0, 2), (0, 1, 0), (1, 2, 1)]
    sums.add(3)
    found = [(one.low, one.high, one.count) for one in sums.make_histogram().list_bins()]
    assert found == [(-2, 0, 2), (0, 0, 2), (0, 2, 1), (2, 4, 1)]
