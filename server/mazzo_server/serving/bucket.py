"""How much somebody may do: a bucket of tokens, as in traffic policing."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Bucket"]


class Bucket:
    """Allows a burst of a given size, and after it a steady rate.

    Nobody who stays below the rate is ever refused.
    """

    __slots__ = ("_clock", "_left", "_per_second", "_size", "_time")

    def __init__(self, size: float, *, per_second: float, clock: Callable[[], float]) -> None:
        """Begin with a full bucket."""
        self._size = self._left = float(size)
        self._per_second = per_second
        self._clock = clock
        self._time = clock()

    def take(self, amount: float = 1.0) -> bool:
        """Take so much, and return whether it was there; if not, take nothing."""
        self._fill()
        if self._left < amount:
            return False
        self._left -= amount
        return True

    def add(self, amount: float) -> None:
        """Put so much in, up to the size."""
        self._left = min(self._size, self._left + amount)

    def find_wait(self, amount: float = 1.0) -> float:
        """Return the seconds until so much is there, 0 if it is."""
        self._fill()
        return max(0.0, (amount - self._left) / self._per_second)

    def _fill(self) -> None:
        now = self._clock()
        self.add((now - self._time) * self._per_second)
        self._time = now
