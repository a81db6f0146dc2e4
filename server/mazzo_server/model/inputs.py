"""Numbers and words that people give as texts, within bounds."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import inf

from mazzo_server.errors import InvalidInputError

__all__ = ["MOST", "Amount", "WholeNumber", "Word"]

MOST = 2**31 - 1
"""Of any number: what the wire and every store can hold."""
_LONGEST_SHOWN = 40  # characters of a wrong value


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """A whole number from `least` to `most`."""

    least: int
    most: int = MOST

    def parse(self, text: str) -> int:
        """Return the number; raise `InvalidInputError` for another text."""
        digits = text.removeprefix("-")
        is_number = digits.isascii() and digits.isdecimal() and len(digits) <= len(str(self.most))
        if not is_number or not self.least <= int(text) <= self.most:
            raise _wrong(f"a whole number from {self.least} to {self.most}", text)
        return int(text)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number of something, above 0 or also 0 itself."""

    what: str
    most: float = inf
    zero: bool = False

    def parse(self, text: str) -> float:
        """Return the number; raise `InvalidInputError` for another text."""
        try:
            number = float(text)
        except ValueError:
            number = -inf
        fits = 0 < number <= self.most or (self.zero and number == 0)  # which "nan" does not
        if not fits or number == inf:
            raise _wrong(f"{self.what} {self._bounds}", text)
        return number

    @property
    def _bounds(self) -> str:
        bounds = "from 0" if self.zero else "above 0"
        if self.most < inf:
            bounds += f" to {self.most:g}" if self.zero else f", {self.most:g} at most"
        return bounds


@dataclass(frozen=True, slots=True)
class Word:
    """One of some words."""

    words: Collection[str]

    def parse(self, text: str) -> str:
        """Return the word; raise `InvalidInputError` for another text."""
        if text not in self.words:
            raise _wrong(" or ".join(self.words), text)
        return text


def _wrong(expected: str, got: str) -> InvalidInputError:
    return InvalidInputError(f"expected {expected}, got {got[:_LONGEST_SHOWN]!r}")
