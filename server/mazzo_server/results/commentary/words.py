"""What each game may add to the telling: the words of one game, and what they are made with."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import ClassVar, Generic, TypeAlias, TypeVar

from mazzo.cards import Card, Pack
from mazzo.game import Action, Event, View
from mazzo_server.results.commentary.lines import Part

__all__ = [
    "Names",
    "Said",
    "Words",
    "by_name",
    "kind_of",
    "points_taken",
    "rest_of",
    "suit_name",
]

Names: TypeAlias = Sequence[str]
"""What to call each seat."""
Said: TypeAlias = tuple[str, list[Part]]
"""A label, and what there is to say under it."""

_ViewT = TypeVar("_ViewT", bound=View)


class Words(Generic[_ViewT]):
    """The words of one game; the methods see views alone, before and after an action."""

    signed: ClassVar[bool] = False  # scores with their sign, where they add up to nothing
    draw_label: ClassVar[str] = "Draws"
    draw_verb: ClassVar[str] = "draws"
    public_draws: ClassVar[bool] = False  # whether cards are seen as they are drawn
    # What the actions mean that play no card: their codes, and what they do.
    moves: ClassVar[tuple[tuple[str, str], ...]] = ()

    def start(self, view: _ViewT, names: Names) -> list[Said]:
        """What lies on the table when the deal begins."""
        return []

    def said(self, before: _ViewT, after: _ViewT, event: Event) -> Said | None:
        """What the seat did that played no card; None where it is not worth telling."""
        return None

    def played(self, before: _ViewT, after: _ViewT) -> list[Part]:
        """What the card that was just played has uncovered."""
        return []

    def takes_in(self, event: Event) -> bool:
        """Whether the words of the action name the card that it put into the hand."""
        return False

    def took(self, before: _ViewT, after: _ViewT, names: Names) -> list[Part]:
        """What the trick that has just ended brought."""
        return []

    def happened(
        self, before: _ViewT, after: _ViewT, names: Names, shown: Container[int]
    ) -> list[Said]:
        """What else everybody saw; what the seats `shown` did is told from their own views."""
        return []

    def learnt(self, before: _ViewT, after: _ViewT) -> list[Said]:
        """What else this seat alone saw."""
        return []

    def outcome(self, view: _ViewT, names: Names) -> list[Said]:
        """How the deal ended, beside the scores."""
        return []

    def table(self, view: _ViewT, names: Names) -> list[Said]:
        """The facts that a player looks at before he moves."""
        return []

    def worth(self, view: _ViewT) -> list[Part]:
        """What the trick on the table brings whoever takes it, as far as it goes."""
        return []

    def value(self, view: _ViewT, card: Card) -> str:
        """What a card counts; "" where cards count nothing."""
        return ""

    def means(self, view: _ViewT, action: Action) -> str:
        """What a legal action that plays no card does here; "" where its code says it."""
        return ""


def kind_of(event: Event | Action) -> str:
    """The word before the colon of an action's code."""
    action = event.action if isinstance(event, Event) else event
    return action.code.partition(":")[0]


def rest_of(event: Event | Action) -> str:
    """What stands behind the colon of an action's code."""
    action = event.action if isinstance(event, Event) else event
    return action.code.partition(":")[2]


def suit_name(pack: Pack, suit: str) -> str:
    """A suit in words."""
    return pack.suit_names[pack.suits.index(suit)]


def by_name(names: Names, numbers: Iterable[int | str]) -> str:
    """A number for each name."""
    return ", ".join(f"{name} {number}" for name, number in zip(names, numbers, strict=True))


def points_taken(before: Sequence[int], after: Sequence[int], names: Names) -> list[Part]:
    """Who got how many card points; nothing for a trick of none."""
    for name, now, was in zip(names, after, before, strict=True):
        if now > was:
            return [f"{now - was} to {name}"]
    return []
