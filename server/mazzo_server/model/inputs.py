"""What people may give as an option: numbers within bounds, words of a list, readable texts.

Each kind reads a text of a command line, and checks a value that came by the wire.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol

from mazzo_server.errors import InvalidInputError
from mazzo_server.model.readable_text import explain_unreadable

__all__ = [
    "MOST",
    "Amount",
    "InputKind",
    "NameList",
    "ReadText",
    "ReadableText",
    "WholeNumber",
    "Word",
]

MOST = 2**31 - 1
"""Of any number: what the wire and every store can hold."""
_LONGEST_SHOWN = 40  # characters of a wrong value


class InputKind(Protocol):
    """What values an option takes. Both methods raise a `MazzoError` for another value."""

    def parse(self, text: str) -> object:
        """Return the value that a text stands for."""

    def check(self, value: Any) -> None:
        """Check a value that is of the right type already."""


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
            raise self._explain(text)
        return int(text)

    def check(self, value: int) -> None:
        """Raise `InvalidInputError` for a number out of the bounds."""
        if not self.least <= value <= self.most:
            raise self._explain(value)

    def _explain(self, got: object) -> InvalidInputError:
        return _explain(f"a whole number from {self.least} to {self.most}", got)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number of something, above a bound, by default 0, or also 0 itself."""

    what: str
    most: float = inf
    zero: bool = False
    above: float = 0.0
    below: float = inf

    def parse(self, text: str) -> float:
        """Return the number; raise `InvalidInputError` for another text."""
        try:
            number = float(text)
        except ValueError:
            raise self._explain(text) from None
        if not self._is_within(number):
            raise self._explain(text)
        return number

    def check(self, value: float) -> None:
        """Raise `InvalidInputError` for a number out of the bounds, or none."""
        if not self._is_within(value):
            raise self._explain(value)

    def _is_within(self, number: float) -> bool:
        if number == 0:
            return self.zero
        return self.above < number <= self.most and number < self.below  # which "nan" is not

    def _explain(self, got: object) -> InvalidInputError:
        bounds = "from 0" if self.zero else f"above {self.above:g}"
        if self.below < inf:
            bounds += f" and below {self.below:g}"
        elif self.most < inf:
            bounds += f" to {self.most:g}" if self.zero else f", {self.most:g} at most"
        return _explain(f"{self.what} {bounds}", got)


@dataclass(frozen=True, slots=True)
class Word:
    """One of some words."""

    words: Collection[str]

    def parse(self, text: str) -> str:
        """Return the word; raise `InvalidInputError` for another text."""
        self.check(text)
        return text

    def check(self, value: str) -> None:
        """Raise `InvalidInputError` for another word."""
        if value not in self.words:
            raise _explain(" or ".join(self.words), value)


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text that a function can read; the function raises its own error for another one."""

    read: Callable[[str], object]

    def parse(self, text: str) -> str:
        """Return the text itself."""
        self.check(text)
        return text

    def check(self, value: str) -> None:
        """Read the text."""
        self.read(value)


@dataclass(frozen=True, slots=True)
class ReadableText:
    """A line of text that people can read; see `explain_unreadable`."""

    most: int  # characters

    def parse(self, text: str) -> str:
        """Return the text; raise `InvalidInputError` for another one."""
        self.check(text)
        return text

    def check(self, value: str) -> None:
        """Raise `InvalidInputError` for a text that is too long or cannot be read."""
        expected = f"at most {self.most} readable characters"
        if len(value) > self.most:
            raise _explain(expected, value)
        if complaint := explain_unreadable(value):
            raise InvalidInputError(f"{_explain(expected, value)}: {complaint}")


@dataclass(frozen=True, slots=True)
class NameList:
    """Names with commas between them; `count_copies` reads what may stand behind a name."""

    def parse(self, text: str) -> tuple[str, ...]:
        """Return the names; raise `InvalidInputError` for an empty one."""
        names = tuple(part.strip() for part in text.split(","))
        if not all(names):
            raise _explain("names with commas between them", text)
        return names

    def check(self, value: Collection[str]) -> None:
        """Raise `InvalidInputError` for an empty name."""
        if not all(value):
            raise _explain("names that are not empty", ",".join(value))


def _explain(expected: str, got: object) -> InvalidInputError:
    shown = repr(got[:_LONGEST_SHOWN] if isinstance(got, str) else got)
    return InvalidInputError(f"expected {expected}, got {shown}")
