"""A bot for Briscola: takes what it can cheaply, throws away the least."""

from mazzo import Bot, Card, View, run
from mazzo.games.briscola import BriscolaView


class MyBot(Bot):
    """Looks at its hand and the trick on the table."""

    def act(self, view: View) -> Card:
        """The card to play."""
        assert isinstance(view, BriscolaView)

        def price(card: Card) -> tuple[bool, int, int]:
            """What it costs to part with the card: trumps most, then points, then rank."""
            return card.suit == view.trump, view.card_points(card), view.strength(card)

        cheapest_first = sorted(view.hand, key=price)
        winning = view.trick.winner_so_far
        if winning is not None:
            at_stake = sum(map(view.card_points, view.trick.cards))
            for card in cheapest_first:
                if view.beats(card, winning[1]) and (card.suit != view.trump or at_stake):
                    return card
        return cheapest_first[0]


if __name__ == "__main__":
    run(MyBot)
