"""The words that each game adds to the commentary, and the parts they are made with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Sequence
from fractions import Fraction
from typing import ClassVar, Generic, TypeAlias, TypeVar

from mazzo.cards import Card, Pack
from mazzo.game import Action, Event, View
from mazzo_server.results.commentary.lines import Part

__all__ = [
    "Names",
    "Said",
    "Words",
    "count_points_taken",
    "list_by_name",
    "name_suit",
    "read_kind",
    "read_rest",
]

Names: TypeAlias = Sequence[str]
"""What to call each seat."""
Said: TypeAlias = tuple[str, list[Part]]
"""A label, and what there is to say under it."""

_ViewT = TypeVar("_ViewT", bound=View)


class Words(ABC, Generic[_ViewT]):
    """The words of one game; the methods see views alone, before and after an action."""

    signed: ClassVar[bool] = False  # tell scores with their sign, where they add up to zero
    draw_label: ClassVar[str] = "Draws"
    draw_verb: ClassVar[str] = "draws"
    public_draws: ClassVar[bool] = False  # whether everybody sees cards as they are drawn
    counted: ClassVar[str] = "Card points"  # what `count_points` counts
    usual: ClassVar[int] = 60  # of it for a side in a deal, about
    # The codes of actions that play no card, and what they do.
    moves: ClassVar[tuple[tuple[str, str], ...]] = ()

    def tell_start(self, view: _ViewT, names: Names) -> list[Said]:
        """Return what is on the table when the deal begins."""
        return []

    def tell_action(self, before: _ViewT, after: _ViewT, event: Event) -> Said | None:
        """Return what the seat did without playing a card; None where it is not worth telling."""
        return None

    def tell_uncovered(self, before: _ViewT, after: _ViewT) -> list[Part]:
        """Return what the card that was just played has uncovered."""
        return []

    def is_card_named(self, event: Event) -> bool:
        """Tell whether the words of the action name the card that it put into the hand."""
        return False

    def tell_trick(self, before: _ViewT, after: _ViewT, names: Names) -> list[Part]:
        """Return what the trick that has just ended brought."""
        return []

    def tell_events(
        self, before: _ViewT, after: _ViewT, names: Names, shown: Container[int]
    ) -> list[Said]:
        """Return what else everybody saw; views of the seats `shown` tell what those seats did."""
        return []

    def tell_private(self, before: _ViewT, after: _ViewT) -> list[Said]:
        """Return what else this seat alone saw."""
        return []

    def tell_outcome(self, view: _ViewT, names: Names) -> list[Said]:
        """Return how the deal ended, apart from the scores."""
        return []

    def list_facts(self, view: _ViewT, names: Names) -> list[Said]:
        """Return the facts that a player looks at before its move."""
        return []

    def list_counted_sides(self, view: _ViewT) -> Sequence[tuple[int, ...]]:
        """Return the seats of every side for which points are counted by now."""
        return view.variant.sides

    @abstractmethod
    def count_points(self, view: _ViewT) -> Sequence[Fraction | int]:
        """Return what each seat has so far of what the game counts while it is played."""

    def tell_trick_worth(self, view: _ViewT) -> list[Part]:
        """Return what the trick on the table is worth so far."""
        return []

    def describe_card(self, view: _ViewT, card: Card) -> str:
        """Return what a card counts; "" where cards count nothing."""
        return ""

    def explain_action(self, view: _ViewT, action: Action) -> str:
        """Return what a legal action does here that plays no card; "" where `moves` tell it."""
        return ""


def read_kind(event: Event | Action) -> str:
    """Return the part of an action's code before the colon."""
    action = event.action if isinstance(event, Event) else event
    return action.code.partition(":")[0]


def read_rest(event: Event | Action) -> str:
    """Return the part of an action's code after the colon."""
    action = event.action if isinstance(event, Event) else event
    return action.code.partition(":")[2]


def name_suit(pack: Pack, suit: str) -> str:
    """Return a suit in words."""
    return pack.suit_names[pack.suits.index(suit)]


def list_by_name(names: Names, numbers: Iterable[int | str]) -> str:
    """Return a number for each name."""
    return ", ".join(f"{name} {number}" for name, number in zip(names, numbers, strict=True))


def count_points_taken(before: Sequence[int], after: Sequence[int], names: Names) -> list[Part]:
    """Return how many card points each side got; nothing for a trick of none."""
    for name, now, was in zip(names, after, before, strict=True):
        if now > was:
            return [f"{now - was} to {name}"]
    return []
