"""Keeps how the order of a tournament came about: a moment now and then, and few of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Self

__all__ = ["MOST_MOMENTS", "Moments"]

MOST_MOMENTS: Final = 48
"""That are kept; a tournament of more groups than that has at least half as many."""
_DIGITS = 4  # decimals of a value, which nobody sees


class Moments:
    """What stood after so many groups: at multiples of a step that doubles as there are more.

    What is kept follows from the number of groups alone, whenever it is written and read.
    """

    def __init__(self) -> None:
        """Begin with every group."""
        self._step = 1
        self._moments: list[tuple[int, dict[int, float]]] = []

    def add(self, groups: int, read: Callable[[], Mapping[int, float]]) -> None:
        """Keep what `read` returns by entrant, if there is a moment after so many groups."""
        if groups % self._step:
            return
        if len(self._moments) == MOST_MOMENTS:
            self._step *= 2
            self._moments = [one for one in self._moments if one[0] % self._step == 0]
            if groups % self._step:
                return
        values = {entrant: round(value, _DIGITS) for entrant, value in read().items()}
        self._moments.append((groups, values))

    def list_moments(self) -> Iterable[tuple[int, Mapping[int, float]]]:
        """Return the moments: after how many groups, and the value of each entrant by then."""
        return tuple(self._moments)

    def to_json(self) -> list[Any]:
        """Return the whole state as values that JSON can hold, for `from_json`."""
        return [
            self._step,
            [
                [groups, [values.get(entrant) for entrant in range(max(values, default=-1) + 1)]]
                for groups, values in self._moments
            ],
        ]

    @classmethod
    def from_json(cls, state: Sequence[Any]) -> Self:
        """Return the moments of which `to_json` returned the state."""
        found = cls()
        found._step, moments = state
        found._moments = [
            (groups, {at: value for at, value in enumerate(values) if value is not None})
            for groups, values in moments
        ]
        return found
