"""The choices of rules that a game offers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from mazzo.errors import VariantError, quote_value

__all__ = ["Numbers", "Option", "join_alternatives", "read_option_value"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The numbers that an option takes: `first`, `first` + `step`, up to `last`.

    All three count in units of 1 / `scale`, and are multiplied by the number of players
    where `per_player` says so.
    """

    first: int
    last: int
    step: int = 1
    scale: int = 1
    per_player: bool = False

    def parse(self, text: str, players: int) -> str | None:
        """Return the number as canonical texts spell it; None if it is none of these."""
        whole = re.fullmatch(r"(0|[1-9][0-9]{0,11})(?:\.([0-9]{1,12}))?", text)
        if whole is None:
            return None
        units = Fraction(text) * self.scale
        times = players if self.per_player else 1
        in_range = self.first * times <= units <= self.last * times
        if not in_range or (units - self.first * times) % (self.step * times):
            return None
        return self._spell(int(units))

    def describe(self, players: int | None = None) -> str:
        """Say in words which numbers these are; for any number of players where none is given."""
        if self.per_player and players is None:
            step, last = self._spell(self.step), self._spell(self.last)
            return f"a multiple of {step} × players, up to {last} × players"
        times = players if self.per_player and players else 1
        first, last = self._spell(self.first * times), self._spell(self.last * times)
        step = self._spell(self.step * times)
        steps = "" if step == "1" else f" in steps of {step}"
        return f"a number from {first} to {last}{steps}"

    def _spell(self, units: int) -> str:
        text = f"{units / self.scale:.12f}" if units % self.scale else f"{units // self.scale}.0"
        return text.rstrip("0").removesuffix(".")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A choice of rules that a game offers: one of some words, or a number."""

    name: str
    values: tuple[str, ...] = ()
    numbers: Numbers | None = None
    default: str
    players: tuple[int, ...]  # with how many players it has an effect
    meaning: str

    def parse(self, text: str, players: int) -> str | None:
        """Return the value as canonical texts spell it; None if it is not possible."""
        if text in self.values or self.numbers is None:
            return text if text in self.values else None
        return self.numbers.parse(text, players)

    def possible(self, players: int | None = None) -> str:
        """Return what can be chosen, in words; for any number of players where none is given."""
        numbers = (self.numbers.describe(players),) if self.numbers else ()
        return join_alternatives((*self.values, *numbers))


def read_option_value(name: str, value: object) -> str:
    """Return the text of an option's value from JSON; raises `VariantError`."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, str | int | float):
        return str(value)
    raise VariantError(
        f"option {name}: expected a text, a number or a boolean, got {quote_value(value)}"
    )


def join_alternatives(values: Sequence[str]) -> str:
    """Return the values in words: "a, b or c"."""
    *most, last = values
    return f"{', '.join(most)} or {last}" if most else last
