"""Frusta: compares what a trick brings with what it costs, in ranks."""

from mazzo import Card
from mazzo.games.frusta import RANK_ORDER, FrustaView

RANKS = len(RANK_ORDER)
AVERAGE = 7  # worth of an unknown card: the middle rank, and RANKS more for one card in four


def act(view: FrustaView) -> Card:
    """The card to play."""

    def worth(card: Card) -> int:
        """How good the card is: the rank from below, all trumps above all others."""
        rank = RANKS - 1 - RANK_ORDER.index(card.rank)
        return rank + RANKS if card.suit == view.trump else rank

    cards = [card for card in view.hand if view.legal_mask >> card & 1]
    cheapest = min(cards, key=worth)
    prize, winning = view.prize, view.winner_so_far
    if winning is None:
        if prize is None or worth(prize) <= AVERAGE:
            return cheapest
        # Trumps are worth more in the second stage than most prizes.
        return max([card for card in cards if card.suit != view.trump] or cards, key=worth)
    takers = [card for card in cards if view.beats(card, winning[1])]
    if not takers:
        return cheapest
    taker = min(takers, key=worth)
    if prize is None:
        return taker
    # The loser of the trick gets a card too, but one that nobody has seen yet.
    won, lost = worth(prize) - worth(taker), AVERAGE - worth(cheapest)
    return taker if won > lost else cheapest
