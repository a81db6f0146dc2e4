"""A bot for Briscola chiamata: bids on its best suit, then takes what it can cheaply."""

from mazzo import Action, Bot, Card, View, run
from mazzo.games.chiamata import RANK_ORDER, ChiamataView

SUITS = "dcsb"


class MyBot(Bot):
    """Looks at its hand and the trick on the table; trusts nobody."""

    def act(self, view: View) -> Action | Card:
        """A bid or pass, the trump suit, the called card, or the card to play."""
        assert isinstance(view, ChiamataView)
        if view.caller is None:
            return self.bid(view)
        if view.trump is None:
            return view.action(f"trump:{self.best_suit(view)}")
        if view.called is None:
            held = [card.rank for card in view.hand if card.suit == view.trump]
            missing = next(rank for rank in RANK_ORDER if rank not in held)
            return view.action(f"call:{missing}{view.trump}")
        return self.play(view)

    def bid(self, view: ChiamataView) -> Action:
        """The lowest bid that is left, while five good trumps are in the hand."""
        suit = self.best_suit(view)
        bids = [action for action in view.legal if action.code.startswith("bid:")]
        if bids and sum(card.suit == suit for card in view.hand) >= 5:
            return bids[0]
        return view.action("pass")

    def best_suit(self, view: ChiamataView) -> str:
        """The suit of which the hand has most, and of the same number the most points."""

        def worth(suit: str) -> tuple[int, int]:
            cards = [card for card in view.hand if card.suit == suit]
            return len(cards), sum(map(view.card_points, cards))

        return max(SUITS, key=worth)

    def play(self, view: ChiamataView) -> Card:
        """The cheapest card that takes the trick, if it is worth it; else the cheapest."""

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
