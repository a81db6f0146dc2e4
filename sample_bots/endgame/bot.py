"""Plays simply while cards are hidden, and perfectly once none is, with two players."""

import time

from mazzo import Action, Bot, Card, View, run
from mazzo.endings import OutOfTimeError, make_ending_rules, solve
from mazzo.games.frusta import FrustaView

SHARE = 0.3  # of the time that the clock leaves for a decision: the machine may be busy elsewhere


class EndgameBot(Bot):
    """Two-player endings without a mistake."""

    def __init__(self, seconds: float = 2.0) -> None:
        """The most that a decision may take, if its clock allows as much."""
        self.seconds = seconds

    def act(self, view: View) -> Action | Card:
        """The best card of an ending, or what a simple rule says."""
        for word in ("declare:", "pluck:"):
            for action in view.legal:
                if action.code.startswith(word):
                    return action
        cards = [action.card for action in view.legal if action.card is not None]
        if not cards:
            return view.legal[0]
        deadline = time.monotonic() + self.seconds
        if view.clock is not None:
            left = min(view.clock.limit, view.clock.bank) - view.clock.latency
            deadline = min(deadline, time.monotonic() + SHARE * left)
        try:
            solved = solve(view, lambda: time.monotonic() > deadline)
        except OutOfTimeError:
            solved = None
        return solved[0] if solved else simple(view, cards)


def simple(view: View, cards: list[Card]) -> Card:
    """Takes a trick with the least card that does it; leads, or throws away, the least of all.

    In Frusta it takes no prize that is less than the card that takes it.
    """
    rules = make_ending_rules(view)

    def price(card: Card) -> tuple[bool, int, int]:
        """What it costs to play the card: trumps most, then its worth, then its rank."""
        return card.suit == rules.trump, rules.worth[card], -rules.order.index(card.rank)

    winning = view.winner_so_far
    takers = []
    if winning is not None and winning[0] not in view.partners:
        takers = [card for card in cards if view.beats(card, winning[1])]
    if isinstance(view, FrustaView) and view.prize is not None:
        takers = [card for card in takers if price(card) < price(view.prize)]
    return min(takers or cards, key=price)


if __name__ == "__main__":
    run(EndgameBot)
