"""Maps values to places on an axis, and finds round numbers for its marks."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Scale", "make_scale"]

_STEPS = (1, 2, 5, 10)
_HARDLY = 1e-6  # of their size, that two values are apart
_CLOSE = 1e-6  # of a step, by which a value may miss a mark
_HUGE = 1e6  # marks of such a distance are rounded


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """A linear axis: `low` lies at `begin`, `high` at `end`."""

    low: float
    high: float
    begin: float
    end: float
    step: float  # between two marks

    def place(self, value: float) -> float:
        """Return where a value lies."""
        share = (value - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def list_marks(self) -> list[float]:
        """Return the round numbers from `low` to `high`."""
        first = math.ceil(self.low / self.step - _CLOSE)
        last = math.floor(self.high / self.step + _CLOSE)
        return [number * self.step for number in range(first, last + 1)]

    def format_mark(self, value: float) -> str:
        """Return a mark as text, with as many decimals as its neighbours need."""
        if self.step >= _HUGE:
            return f"{value:.3g}"
        decimals = max(0, -math.floor(math.log10(self.step) + _CLOSE))
        text = f"{value:.{decimals}f}"
        return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def make_scale(low: float, high: float, *, begin: float, end: float, marks: int = 5) -> Scale:
    """Return an axis on which these values lie, with about so many marks, at both ends one.

    Values that are hardly apart get an axis of a unit, or of a tenth of their size.
    """
    if high - low <= max(abs(low), abs(high), _HARDLY) * _HARDLY:
        room = max(abs(low) * 0.05, 0.5)
        low, high = low - room, high + room
    rough = (high - low) / marks
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(one * power for one in _STEPS if one * power >= rough * (1 - _CLOSE))
    return Scale(
        low=math.floor(low / step + _CLOSE) * step,
        high=math.ceil(high / step - _CLOSE) * step,
        begin=begin,
        end=end,
        step=step,
    )
