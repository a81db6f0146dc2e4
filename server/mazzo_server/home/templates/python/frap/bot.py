"""A bot for Frap: promises as many tricks as it has good cards."""

from mazzo import Action, Bot, Card, View, run
from mazzo.games.frap import FrapView


class MyBot(Bot):
    """Looks at its hand, the trump and the trick on the table."""

    def act(self, view: View) -> Action | Card:
        """A call, an answer, an exchange, or the card to play."""
        assert isinstance(view, FrapView)
        good = [card for card in view.hand if self.is_good(view, card)]
        match view.asked:
            case "look":
                return view.action("look")
            case "call":
                return view.action("frap" if len(good) >= 2 else "pass")
            case "answer":
                return view.action("whist" if good else "pass")
            case "exchange" | "discard":
                bad = [card for card in view.hand if card not in good]
                codes = [action.code for action in view.legal]
                if "stand" in codes and not bad:
                    return view.action("stand")
                worst = min(bad or view.hand, key=view.strength)
                return view.action(f"discard:{worst}")
            case "undercut":
                return view.action("decline")
        return self.play(view)

    def is_good(self, view: FrapView, card: Card) -> bool:
        """Whether the card is likely to win a trick."""
        return card.rank == "A" or (card.suit == view.trump and card.rank in "KQJT")

    def play(self, view: FrapView) -> Card:
        """The lowest card that takes the trick, or the lowest; leads the highest."""
        lowest_first = sorted(view.playable, key=view.strength)
        winning = view.trick.winner_so_far
        if winning is None:
            return lowest_first[-1]
        takers = [card for card in lowest_first if view.beats(card, winning[1])]
        return (takers or lowest_first)[0]


if __name__ == "__main__":
    run(MyBot)
