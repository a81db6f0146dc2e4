"""Takes what it can cheaply, throws away the least. Looks at the trick on the table only."""

from mazzo import Bot, Card, View, run
from mazzo.games.briscola import RANK_ORDER, BriscolaView


class GreedyBot(Bot):
    """Briscola, one trick at a time; never talks."""

    def act(self, view: View) -> Card:
        """The card to play."""
        assert isinstance(view, BriscolaView)

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


if __name__ == "__main__":
    run(GreedyBot)
