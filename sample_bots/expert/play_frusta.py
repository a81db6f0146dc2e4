"""Frusta: buys cards for the second stage at the price of those it plays."""

from statistics import fmean

from mazzo import Card, View
from mazzo.games.frusta import FrustaView

# The tricks that cards bring in the second stage, more than the other's: by strength, trumps last.
PLAIN = (-1.1, -1.05, -1.0, -0.95, -0.84, -0.73, -0.61, -0.36, 0.05, 0.33)  # 1,000 solved deals
WORTH = (*PLAIN, 0.6, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9, 1.2, 1.4, 2.0)  # trumps raised by play


def act(view: FrustaView) -> Card:
    """The card to play."""
    worth = {card: WORTH[view.strength(card)] for card in view.variant.game.pack.cards}
    prize = worth[view.prize] - fmean(worth[card] for card in view.unseen) if view.prize else 1.0
    return best(view, worth, dict.fromkeys(worth, prize / 2), *view.known(1 - view.seat))


def best(view: View, worth: dict[Card, float], points: dict[Card, float], *shown: Card) -> Card:
    """The card that brings most if the other, who has the cards `shown`, answers it well."""
    other = 1 - view.seat
    void, hidden = view.void_in(other), view.hand_counts[other] - len(view.known(other))
    maybe = [card for card in view.unseen if card.suit not in void]

    def gain(led: Card, answer: Card) -> float:
        sign = -1 if view.beats(answer, led) else 1
        return sign * (points[led] + points[answer]) + worth[answer] - worth[led]

    def value(card: Card) -> float:
        if view.trick.cards:
            return -gain(view.trick.cards[0], card)
        mean, chance, left = 0.0, 1.0, len(maybe)
        for answer in sorted({*shown, *maybe}, key=lambda a: (a.suit != card.suit, gain(card, a))):
            here = chance * (1.0 if answer in shown else min(1.0, hidden / left))
            mean, chance = mean + here * gain(card, answer), chance - here
            left -= answer not in shown
        return mean

    return max(view.playable, key=value)
