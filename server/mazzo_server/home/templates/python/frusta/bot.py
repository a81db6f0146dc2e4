"""A bot for Frusta: wins the prizes that are better than what they cost."""

from mazzo import Bot, Card, View, run
from mazzo.games.frusta import FrustaView


class MyBot(Bot):
    """Looks at its hand, the prize, and the trick on the table."""

    def act(self, view: View) -> Card:
        """The card to play."""
        assert isinstance(view, FrustaView)
        lowest_first = sorted(view.playable, key=view.strength)
        lowest, prize, winning = lowest_first[0], view.prize, view.trick.winner_so_far
        if winning is None:
            is_good = prize is not None and prize.suit == view.trump
            return lowest_first[-1] if is_good else lowest
        taker = next((card for card in lowest_first if view.beats(card, winning[1])), lowest)
        # In the second stage every trick counts; before it, only what is won by it.
        if prize is None or view.strength(prize) > view.strength(taker):
            return taker
        return lowest


if __name__ == "__main__":
    run(MyBot)
