"""Briscola: leads the least, takes what it can cheaply, and gives points to its partners."""

from mazzo import Card
from mazzo.games.briscola import RANK_ORDER, BriscolaView


def act(view: BriscolaView) -> Card:
    """The card to play; never talks."""

    def price(card: Card) -> tuple[bool, int, int]:
        """What it costs to play the card: trumps most, then points, then rank."""
        return card.suit == view.trump, view.card_points(card), -RANK_ORDER.index(card.rank)

    cheapest = min(view.hand, key=price)
    winning = view.winner_so_far
    if winning is None:
        return cheapest
    seat, best = winning
    table = view.trick.cards
    if len(table) == view.players - 1 and seat in view.partners:
        gifts = [card for card in view.hand if card.suit != view.trump]
        return max(gifts, key=view.card_points, default=cheapest)
    takers = [card for card in view.hand if view.beats(card, best)]
    if takers:
        taker = min(takers, key=price)
        if taker.suit != view.trump or any(map(view.card_points, table)):
            return taker
    return cheapest
