"""What the simple player does in every game: it takes with the cheapest card that can."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mazzo.cards import Card
from mazzo.game import View

__all__ = ["find_cheapest_taker"]


def find_cheapest_taker(
    view: View, cards: Sequence[Card], best: Card, price: Callable[[Card], Any]
) -> Card | None:
    """Return the cheapest card that beats the best one on the table; None if there is none.

    `price` is what it costs to part with a card; prices of one view compare.
    """
    takers = [card for card in cards if view.beats(card, best)]
    return min(takers, key=price, default=None)
