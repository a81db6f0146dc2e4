"""Actions: what a seat may do at a decision, by number and by code."""

from __future__ import annotations

from dataclasses import dataclass

from mazzo.cards import Card

__all__ = ["Action", "Event"]


class Action(int):
    """One of a game's actions: an int (its number) that knows its code.

    A card play has the card's id as its number, so a `Card` and the action that plays it
    are equal.
    """

    code: str
    card: Card | None  # the card that is played, None for every other action

    def __new__(cls, number: int, code: str, card: Card | None = None) -> Action:
        """Make an action of a game's list; games make each of theirs once."""
        self = super().__new__(cls, number)
        self.code = code
        self.card = card
        return self

    def __str__(self) -> str:
        return self.code

    def __repr__(self) -> str:
        return f"Action({int(self)}, {self.code!r})"

    def __format__(self, spec: str) -> str:
        return format(self.code, spec)

    def __reduce__(self) -> tuple[object, ...]:
        return Action, (int(self), self.code, self.card)


@dataclass(frozen=True, slots=True)
class Event:
    """An action that a seat took."""

    seat: int
    action: Action
