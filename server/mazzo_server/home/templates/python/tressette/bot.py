"""A bot for Tressette in due: declares what it has, takes tricks cheaply, leads low."""

from mazzo import Action, Bot, Card, View, run
from mazzo.games.tressette import MetaMazzoView, PizzichinoView


class MyBot(Bot):
    """Looks at its hand and the trick on the table. It plays both games."""

    def act(self, view: View) -> Action | Card:
        """A declaration, a packet, a pluck, or the card to play."""
        assert isinstance(view, MetaMazzoView | PizzichinoView)
        for word in ("declare:", "pluck:"):
            for action in view.legal:
                if action.code.startswith(word):
                    return action
        if not view.playable:
            return view.legal[0]  # to skip, or one of the packets, which all look the same

        def price(card: Card) -> tuple[int, int]:
            """What it costs to part with the card: its points, then its rank."""
            return view.card_thirds(card), view.strength(card)

        cheapest_first = sorted(view.playable, key=price)
        winning = view.trick.winner_so_far
        if winning is not None:
            for card in cheapest_first:
                if view.beats(card, winning[1]):
                    return card
        return cheapest_first[0]


if __name__ == "__main__":
    run(MyBot)
