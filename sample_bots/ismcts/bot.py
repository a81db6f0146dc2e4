"""Searches: plays every game by trying its actions in worlds that agree with what it sees."""

from __future__ import annotations

import gc
import random
import time
from itertools import count

from search import Search

from mazzo import Action, Bot, View, run

SHARE = 0.35  # of what the clock leaves for one decision: the machine may be busy elsewhere
EVEN = 0.8  # of what every decision may take if all that are to come take as much
MORE = 3  # decisions of a deal that play no card, about


class IsmctsBot(Bot):
    """Thinks as long as it may, by its clock."""

    def __init__(self, seconds: float = 0.25, iterations: int | None = None) -> None:
        """The most that a decision takes; or a number of iterations, however long they take."""
        self.seconds = seconds
        self.iterations = iterations

    def act(self, view: View) -> Action:
        """What was tried most, being what did best."""
        until = time.monotonic() + budget(view, self.seconds)
        search = Search(view, random.Random(view.random.getrandbits(64)))  # noqa: S311
        if search.options & search.options - 1:
            # A collection of all the objects of a process takes longer than many an iteration.
            gc.disable()
            try:
                for number in count(1):
                    search.iterate()
                    if number == self.iterations:
                        break
                    if self.iterations is None and time.monotonic() > until:
                        break
            finally:
                gc.enable()
        best = search.best()
        return next(action for action in view.legal if action == best)


def budget(view: View, most: float) -> float:
    """Seconds for a decision."""
    clock = view.clock
    if clock is None:
        return most
    cards = len(view.variant.game.pack) - len(view.past_cards)
    even = clock.bank / (cards / view.players + MORE) + clock.increment
    left = min(SHARE * min(clock.limit, clock.bank), EVEN * even)
    return min(most, left - clock.latency)


if __name__ == "__main__":
    run(IsmctsBot)
