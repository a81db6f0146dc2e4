"""Games for two who follow suit: what a trick brings, and the end when nothing is hidden."""

from collections.abc import Callable, Collection, Mapping

from mazzo import Action, Card, View
from mazzo.cards import bits
from mazzo.game import Deal

Stake = Callable[[Card, Card], float]


def best(view: View, worth: Mapping[Card, float], shown: Collection[Card], stake: Stake) -> Card:
    """The card that brings most: the stake of the trick, and the other's card for our own.

    `shown` can the other certainly play. To a lead he gives the best answer that he has.
    """
    void = view.void_in(1 - view.seat)
    maybe = [card for card in view.unseen if card.suit not in void]
    held = view.hand_counts[1 - view.seat] - len(view.known(1 - view.seat))

    def gain(led: Card, answer: Card) -> float:
        sign = -1 if view.beats(answer, led) else 1
        return sign * stake(led, answer) + worth[answer] - worth[led]

    def value(card: Card) -> float:
        if view.trick.cards:
            return -gain(view.trick.cards[0], card)
        mean, chance, left = 0.0, 1.0, len(maybe)
        for answer in sorted((*shown, *maybe), key=lambda a: (a.suit != card.suit, gain(card, a))):
            here = chance if answer in shown else chance * min(1.0, held / left)
            mean, chance = mean + here * gain(card, answer), chance - here
            left -= answer not in shown
        return mean

    return max(view.playable, key=value)


def solved(view: View) -> Action:
    """The best action when nothing is hidden: only one world is left, and searched to its end."""
    deal = next(view.worlds(1))
    return max(view.legal, key=lambda action: outcome(deal, action, view.seat, -99, 99))


def outcome(deal: Deal, action: int, seat: int, low: int, high: int) -> int:
    """The seat's score less the other's after perfect play by both (alpha-beta)."""
    (deal := deal.copy()).apply(action)
    if deal.scores:
        return deal.scores[seat] - deal.scores[1 - seat]
    for choice in bits(deal.legal):
        value = outcome(deal, choice, seat, low, high)
        low, high = (max(low, value), high) if deal.seat == seat else (low, min(high, value))
        if low >= high:
            break
    return low if deal.seat == seat else high
