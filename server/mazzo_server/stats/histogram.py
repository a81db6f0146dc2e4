"""Histograms of bounded size for values whose range nobody knows before.

A value of 0 has a bin of its own. The others lie in bins of one width on both sides of it: bin
k > 0 has what is above (k − 1) · width, up to k · width, and bin −k the same below 0. The width is
a power of two. As soon as a value lies beyond the last bin it is doubled, and bins are merged in
pairs, which is exact: ⌈x / 2w⌉ = ⌈⌈x / w⌉ / 2⌉. So a histogram follows from its values alone, in
whatever order they came, and that of the negated values is its mirror image.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

__all__ = ["Bin", "Histogram", "HistogramSums"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """How many values lie between two: the end that is nearer to 0 is not among them.

    The bin of 0 has 0 at both ends.
    """

    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """The numbers of values in neighbouring bins, from the lowest one with a value to the highest.

    Without values there is no bin.
    """

    exponent: int  # the width of a bin is 2 to this power
    first: int  # number of the first bin; 0 is that of the value 0
    counts: tuple[int, ...]

    @property
    def total(self) -> int:
        """The number of values."""
        return sum(self.counts)

    def reverse(self) -> Histogram:
        """Return the histogram of the negated values."""
        last = self.first + len(self.counts) - 1
        return Histogram(
            exponent=self.exponent, first=-last if self.counts else 0, counts=self.counts[::-1]
        )

    def widen(self, exponent: int) -> Histogram:
        """Return the histogram of the same values in bins that are at least as wide."""
        counts = dict(enumerate(self.counts, self.first))
        wider = max(exponent, self.exponent)
        return _make(wider, _merge(counts, wider - self.exponent))

    def list_bins(self) -> Iterator[Bin]:
        """Yield the bins, the lowest first."""
        width = 2.0**self.exponent
        for number, count in enumerate(self.counts, self.first):
            low, high = number - (number > 0), number + (number < 0)
            yield Bin(low=low * width, high=high * width, count=count)


class HistogramSums:
    """A histogram that grows value by value, with at most so many bins on each side of 0."""

    __slots__ = ("_counts", "_exponent", "_most")

    def __init__(self, *, most: int, exponent: int) -> None:
        """Begin without values, and with bins that are 2 to the power of `exponent` wide."""
        self._most = most
        self._exponent = exponent
        self._counts: defaultdict[int, int] = defaultdict(int)  # by the number of the bin

    def add(self, value: int, divisor: int = 1) -> None:
        """Add a fraction with a positive divisor."""
        exponent = self._exponent
        size = abs(value)
        if exponent > 0:
            number = -(-size // (divisor << exponent))
        else:
            number = -(-(size << -exponent) // divisor)
        if number > self._most:
            more = 0
            while number > self._most:
                number = (number + 1) // 2
                more += 1
            self._exponent += more
            self._counts = _merge(self._counts, more)
        self._counts[number if value > 0 else -number] += 1

    def make_histogram(self) -> Histogram:
        """Return what has grown so far."""
        return _make(self._exponent, self._counts)

    def to_json(self) -> list[Any]:
        """Return the whole state as values that JSON can hold, for `from_json`."""
        grown = self.make_histogram()
        return [grown.exponent, grown.first, *grown.counts]

    @classmethod
    def from_json(cls, state: Sequence[int], *, most: int) -> Self:
        """Return the sums of which `to_json` returned the state."""
        exponent, first, *counts = state
        sums = cls(most=most, exponent=exponent)
        sums._counts.update((number, count) for number, count in enumerate(counts, first) if count)
        return sums


def _merge(counts: dict[int, int], doublings: int) -> defaultdict[int, int]:
    """Return the counts in bins that are twice as wide, so many times."""
    merged: defaultdict[int, int] = defaultdict(int)
    for number, count in counts.items():
        size = -(-abs(number) >> doublings)  # rounds up
        merged[size if number > 0 else -size] += count
    return merged


def _make(exponent: int, counts: dict[int, int]) -> Histogram:
    numbers = [number for number, count in counts.items() if count]
    if not numbers:
        return Histogram(exponent=exponent, first=0, counts=())
    first = min(numbers)
    return Histogram(
        exponent=exponent,
        first=first,
        counts=tuple(counts.get(number, 0) for number in range(first, max(numbers) + 1)),
    )
