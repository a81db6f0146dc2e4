"""Information-set Monte Carlo tree search, after Cowling, Powley and Whitehouse (README.md)."""

import gc
import random
import time
from contextlib import suppress
from copy import copy
from math import inf, sqrt, tanh

from play import RANKS, SURE, Table, say

from mazzo import Action, Bot, View, run
from mazzo.endings import OutOfTimeError, solve
from mazzo.game import Deal
from mazzo.worlds import Sampler

DOUBT = 0.4  # how much less an action is believed to bring, divided by the root of its trials
LAG = 1.0  # behind the best, times the root of the trials, for which it is tried no longer
# Left to rules of thumb: the auction, what may be looked at and declared, equal packets.
RULED = ("bid:", "trump:", "call:", "declare:", "look", "skip", "packet:")
BUSY, SHARE = 0.08, 0.2  # seconds that a busy machine may cost; of a short time this much is used


class IsmctsBot(Bot):
    """Thinks as long as it may, by its clock."""

    def __init__(self, seconds: float = 0.25, playouts: float = inf) -> None:
        """The most that a decision takes."""
        self.seconds, self.playouts = seconds, playouts

    def act(self, view: View) -> Action:
        """The best of the legal actions, as far as time allows to tell."""
        start, seconds = time.monotonic(), budget(view, self.seconds)
        gc.disable()  # to collect all the objects of a process takes longer than many a playout
        try:
            with suppress(OutOfTimeError):
                solved = solve(view, lambda: time.monotonic() > start + seconds / 2)
                if solved and view.legal[-1].card is not None:
                    return solved[0]  # nothing is hidden
            return self.search(view, start + seconds)
        finally:
            gc.enable()

    def search(self, view: View, until: float) -> Action:
        """What has brought most by then."""
        search = Search(view, random.Random(view.random.getrandbits(64)))  # noqa: S311
        while len(search.nodes) > 1 and search.playouts < self.playouts:
            search.iterate()
            if time.monotonic() > until:
                break
        tried = [action for action in view.legal if action in search.nodes]
        return max(tried, key=lambda action: search.nodes[action].reward)


def budget(view: View, most: float) -> float:
    """Seconds for a decision."""
    if (clock := view.clock) is None:
        return most
    cards = len(view.variant.game.pack) - len(view.past_cards) + 5 * view.players
    even = clock.bank * view.players / cards + SHARE * clock.increment
    least = min(clock.limit, clock.bank) - clock.latency
    return min(most, even, max(SHARE * least, min(least / 2, least - BUSY)))


class Node:
    """An action that was tried, and what came after it."""

    def __init__(self) -> None:
        self.visits, self.reward = 0, 0.0  # the sum, for the seat that chose it
        self.nodes: dict[int, Node] = {}

    def preferred(self, legal: int, likely: int) -> int:
        """The likely action to come, or another that has been better so far beyond doubt."""
        if likely not in self.nodes:
            return likely

        def belief(action: int) -> float:
            node, doubt = self.nodes[action], DOUBT if action == likely else -DOUBT
            return (node.reward + doubt * sqrt(node.visits)) / node.visits

        return max([action for action in self.nodes if legal >> action & 1], key=belief)


class Search:
    """A tree that grows from one decision."""

    def __init__(self, view: View, rng: random.Random) -> None:
        self.view, self.rng, self.sampler = view, rng, Sampler(view)
        game, self.pack = view.variant.game.id, (1 << len(view.variant.game.pack)) - 1
        self.talks, self.bids = game == "briscola", game == "frap"
        ruled = any(action.code.startswith(RULED) for action in view.legal)
        free = [int(action) for action in view.legal if not self.talks or self.pack >> action]
        self.nodes = {action: Node() for action in ([say(view)] if ruled else free)}
        self.span, self.playouts = RANKS[game].span * getattr(view, "first_pot", 1), 0

    def iterate(self) -> None:
        """Try every action in one world, and forget those that have fallen far behind."""
        world = self.sampler.sample(self.rng)
        if "seats" in self.view.variant.game.draw_modes:
            world.draws = "seats"  # the same game to all, and the same cards in every trial
        table = Table(self.view, world, self.rng)
        for action, node in self.nodes.items():
            self.play(world.copy(), copy(table), action, node)
        self.playouts += len(self.nodes)
        best = max(self.nodes.values(), key=lambda node: node.reward)
        if not best.visits % 16:
            enough = best.reward - LAG * sqrt(best.visits)
            self.nodes = {a: node for a, node in self.nodes.items() if node.reward >= enough}

    def play(self, deal: Deal, table: Table | None, action: int, node: Node) -> None:
        """One playout with this action; the tree grows by the first node that is new."""
        seat, path, growing = self.view.seat, [(node, self.view.seat)], True
        while True:
            deal.apply(action)
            if table and self.pack >> action:
                table.lay(seat, action)
            elif self.bids:
                table, growing = None, False
            if deal.seat is None:
                break
            seat, legal = deal.seat, deal.legal
            if legal > self.pack and not self.talks:
                action = say(deal.view(seat))
                continue
            table = table or Table(deal.view(seat), deal, self.rng)
            action = table.choose(seat, legal & self.pack, deal.hands)
            if growing:
                action = node.preferred(legal, action)
                growing = action in node.nodes
                node = node.nodes.setdefault(action, Node())
                path.append((node, seat))
        scores, result, certain = deal.scores or (), deal.result or {}, 1.0
        if "bid" in result:
            side = sum(result["points"][seat] for seat in {result["caller"], result["holder"]})
            certain = tanh(abs(side - result["bid"] + 0.5) / SURE)
        for node, seat in path:
            node.visits += 1
            node.reward += certain * tanh((scores[seat] - sum(scores) / len(scores)) / self.span)


if __name__ == "__main__":
    run(IsmctsBot)
