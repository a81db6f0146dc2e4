"""A sequential test of a mean, by betting.

Two gamblers begin with a wealth of 1. Before each value, one stakes a share λ of its wealth on the
value being above LOW, the other on its being below HIGH: a value x multiplies their wealths by

    1 + λ (x − LOW)    and    1 + λ (HIGH − x)

As long as the mean is LOW or less, the first one cannot expect to gain, however it chooses λ from
the values before, so its wealth ever reaches 1/α with a probability of α at most (Ville's
inequality); likewise the other one. This holds for values of any distribution with bounds that are
known, and without a plan of when to look (Waudby-Smith and Ramdas, "Estimating means of bounded
random variables by betting", Journal of the Royal Statistical Society B 86, 2024).

For small differences the wealths grow fastest with λ = (HIGH − LOW) / σ², and then their logarithms
are the log-likelihood ratio of Wald's sequential probability ratio test for normal values, and its
negative (Annals of Mathematical Statistics 16, 1945): so this test needs about as many values as
that one, which has its error rates for normal values only.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from math import ceil, isfinite, log

from mazzo_server.errors import InvalidInputError

__all__ = ["SequentialTest", "SequentialVerdict"]

_LEAST_VALUES = 30  # fewer decide nothing
_LEAST_SEEN = 10  # values before the first bet, where the bounds are guessed from those seen
_ENOUGH_DIFFERENT = 2  # values that are all alike say nothing of what else may come
_CAUTION = 3.5  # how many times farther out than any that was seen a value may lie
_LEAST_FACTOR = 1e-3  # of a wealth, by a value that lies still farther out


class SequentialVerdict(StrEnum):
    """What a sequential test has found."""

    HIGH = "high"  # the mean is above LOW
    LOW = "low"  # the mean is below HIGH
    UNDECIDED = "undecided"


class SequentialTest:
    """Tells means above `low` from means below `high` by independent values, one after the other.

    A mean of `low` or less is found to be above it with a probability of about `alpha` at most, and
    one of `high` or more to be below that with `beta`. Between the two either may be found. The
    wealths that decide are Wald's (1 − β)/α and (1 − α)/β: by Ville's inequality the error rates
    are at most α/(1 − β) and β/(1 − α), whatever the distribution.

    That needs `bounds`, which no value passes. Without, it takes values as possible that lie 3.5
    times as far out as any that was seen, and errs more often where rare ones lie still farther.
    """

    def __init__(
        self,
        low: float,
        high: float,
        *,
        alpha: float = 0.05,
        beta: float = 0.05,
        bounds: tuple[float, float] | None = None,
    ) -> None:
        """Raise `InvalidInputError` unless low < high, within the bounds, and 0 < α, β < ½."""
        if not (isfinite(low) and isfinite(high) and low < high):
            raise InvalidInputError(
                f"expected two numbers, the smaller one first, got {low:g} {high:g}"
            )
        if bounds is not None and not bounds[0] < low < high < bounds[1]:
            raise InvalidInputError(
                f"expected numbers between {bounds[0]:g} and {bounds[1]:g}, got {low:g} {high:g}"
            )
        for rate in (alpha, beta):
            if not 0 < rate < 0.5:
                raise InvalidInputError(f"expected an error rate between 0 and 0.5, got {rate:g}")
        self.low = low
        self.high = high
        self.verdict = SequentialVerdict.UNDECIDED
        self.count = 0
        self.mean = 0.0
        self._squares = 0.0  # Σ (x − mean)²
        self._bounds = bounds
        self._reach = 2 * (high - low)  # how far values may lie outside low … high
        self._seen: set[float] = set()  # values, until they are different enough
        # Of the gamblers against LOW and against HIGH.
        self._log_wealths = [0.0, 0.0]
        self._deciding = log((1 - beta) / alpha), log((1 - alpha) / beta)

    @property
    def evidence(self) -> tuple[float, float]:
        """How far it has got against LOW and against HIGH; with 1 it is decided."""
        against_low, against_high = self._log_wealths
        return against_low / self._deciding[0], against_high / self._deciding[1]

    def add(self, value: float, others: Iterable[float] = ()) -> None:
        """Add a value, unless the test has decided; it could also have been one of `others`."""
        if self.verdict is not SequentialVerdict.UNDECIDED:
            return
        gains = value - self.low, self.high - value
        for side, (share, gain) in enumerate(zip(self._choose_shares(), gains, strict=True)):
            self._log_wealths[side] += log(max(1 + share * gain, _LEAST_FACTOR))
        self.count += 1
        deviation = value - self.mean
        self.mean += deviation / self.count
        self._squares += deviation * (value - self.mean)
        seen = (value, *others)
        outside = [max(self.low - one, one - self.high) for one in seen]
        self._reach = max(self._reach, _CAUTION * outside[0], *outside[1:])
        if len(self._seen) < _ENOUGH_DIFFERENT:
            self._seen.update(seen)
        if self.count >= _LEAST_VALUES:
            against_low, against_high = self.evidence
            if against_low >= 1:
                self.verdict = SequentialVerdict.HIGH
            elif against_high >= 1:
                self.verdict = SequentialVerdict.LOW

    def estimate_more(self) -> int | None:
        """Return how many more values decide, if they are as those before; None: nobody can say."""
        if self.verdict is not SequentialVerdict.UNDECIDED:
            return 0
        variance = self._squares / max(self.count, 1)
        gains = self.mean - self.low, self.high - self.mean
        rest = []
        for side, (share, gain) in enumerate(zip(self._choose_shares(), gains, strict=True)):
            growth = share * gain - share * share * (variance + gain * gain) / 2
            if growth > 0:
                rest.append((self._deciding[side] - self._log_wealths[side]) / growth)
        return max(ceil(min(rest)), _LEAST_VALUES - self.count, 1) if rest else None

    def _choose_shares(self) -> tuple[float, float]:
        """Return what is staked on the next value against LOW, and against HIGH, as λ."""
        apart = self.high - self.low
        if self._bounds is not None:
            below, above = self.low - self._bounds[0], self._bounds[1] - self.high
        elif self.count < _LEAST_SEEN or len(self._seen) < _ENOUGH_DIFFERENT:
            return 0.0, 0.0
        else:
            below = above = self._reach
        # As if one more value had been seen, a third of the range from the mean.
        unseen = ((below + apart + above) / 3) ** 2
        variance = (self._squares + unseen) / (self.count + 1)
        best = apart / (variance + apart * apart / 2)
        # No value that is possible costs everything.
        return min(best, 1 / (below + apart)), min(best, 1 / (above + apart))
