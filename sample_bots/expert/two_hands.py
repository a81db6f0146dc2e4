"""Games for two who follow suit: what a trick brings, and the end when nothing is hidden."""

from collections.abc import Callable

from mazzo import Action, Card, View
from mazzo.cards import bits
from mazzo.game import Deal


def best(view: View, shown: set[Card], gain: Callable[[Card, Card], float]) -> Card:
    """The card that brings most; `gain` is the leader's, by the card led and the answer to it.

    The other holds the cards `shown`, any others with the same chance, and answers well.
    """
    void, held = view.void_in(1 - view.seat), view.hand_counts[1 - view.seat]
    maybe = [card for card in view.unseen if card.suit not in void]

    def value(card: Card) -> float:
        if view.trick.cards:
            return -gain(view.trick.cards[0], card)
        mean, chance, left = 0.0, 1.0, len(maybe)
        hidden = held - len(view.known(1 - view.seat))
        for answer in sorted({*shown, *maybe}, key=lambda a: (a.suit != card.suit, gain(card, a))):
            here = chance if answer in shown else chance * min(1.0, hidden / left)
            mean, chance = mean + here * gain(card, answer), chance - here
            left -= answer not in shown
        return mean

    return max(view.playable, key=value)


def solved(view: View) -> Action:
    """The best action when the view leaves one world: that is searched to its end."""
    deal = next(view.worlds(1))
    return max(view.legal, key=lambda action: outcome(deal.copy(), action, view.seat))


def outcome(deal: Deal, action: int, seat: int) -> int:
    """The seat's score less the other's after perfect play by both."""
    deal.apply(action)
    if deal.scores:
        return deal.scores[seat] - deal.scores[1 - seat]
    pick = max if deal.seat == seat else min
    return pick([outcome(deal.copy(), choice, seat) for choice in bits(deal.legal)])
