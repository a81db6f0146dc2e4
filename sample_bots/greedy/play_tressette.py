"""Tressette, both games: declares all that it can, and takes points with the cheapest card."""

from mazzo import Action, Card
from mazzo.games.tressette import RANK_ORDER, MetaMazzoView, PizzichinoView

TressetteView = MetaMazzoView | PizzichinoView


def act(view: TressetteView) -> Action | Card:
    """A declaration, a pluck, the card to play, or whatever else is asked."""
    for word in ("declare:", "pluck:"):
        for action in view.legal:
            if action.code.startswith(word):
                return action
    cards = [action.card for action in view.legal if action.card is not None]
    # What is left is `skip`, or packets that all look the same.
    return play(view, cards) if cards else view.legal[0]


def play(view: TressetteView, cards: list[Card]) -> Card:
    """One of these cards, by the trick on the table."""

    def strength(card: Card) -> int:
        return -RANK_ORDER.index(card.rank)

    def price(card: Card) -> tuple[int, int]:
        """What it costs to play the card: its points, then its rank."""
        return view.card_thirds(card), strength(card)

    winning = view.winner_so_far
    if winning is None:
        return min(cards, key=price)
    takers = [card for card in cards if view.beats(card, winning[1])]
    return min(takers or cards, key=price)
