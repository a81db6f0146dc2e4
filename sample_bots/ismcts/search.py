"""Single-observer information-set Monte Carlo tree search.

Cowling, Powley and Whitehouse: Information Set Monte Carlo Tree Search, IEEE Transactions on
Computational Intelligence and AI in Games 4 (2012). Each iteration draws a world that agrees
with the view, goes down one tree in it by the actions that are legal there, adds a node, plays
the deal out, and adds what it brought to each seat to the nodes at which that seat chose. How
well an action was explored is judged by how often it could have been chosen.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from math import log, sqrt

from policy import policy_of
from talk import options, say

from mazzo.cards import bits
from mazzo.game import Deal, View
from mazzo.games.chiamata import ChiamataView
from mazzo.worlds import Sampler

EXPLORE = 0.5  # weight of what was seldom tried against what did well
UNSURE = 0.6  # how sure a trick is that others are still to play to
AVERAGE = 7  # what an unknown card is worth in Frusta
STAGE = 10  # tricks of Frusta that are played for the stock


class Edge:
    """An action at a node, and the node that it leads to."""

    __slots__ = ("available", "edges", "reward", "visits")

    def __init__(self) -> None:
        self.visits = 0
        self.available = 0  # times that it could have been chosen
        self.reward = 0.0  # the sum, for the seat that chose it
        self.edges: dict[int, Edge] = {}


class Table:
    """The trick on the table of a deal, and how playouts play to it."""

    def __init__(self, view: View, deal: Deal) -> None:
        """The play as it stands in the view, which may be that of any seat in the deal."""
        game = view.variant.game.id
        self.policy = policy = policy_of(game, getattr(view, "trump", None))
        self.size = len(view.seats_in_play)
        self.laid = len(view.trick_cards)
        self.tricks = len(view.trick_winners)
        self.taker, self.best = view.winner_so_far or (-1, -1)
        self.points = sum(policy.points[card] for card in view.trick_cards)
        self.side = {seat: side[0] for side in view.variant.sides for seat in side}
        if isinstance(view, ChiamataView) and view.called is not None:
            holder = (deal.shuffles[0].index(view.called) // 8 + view.dealer + 1) % view.players
            self.side = {seat: int(seat in (view.caller, holder)) for seat in self.side}
        self.stakes = [policy.ranks.stake] * 21
        if game == "frusta":
            self.stakes[:STAGE] = [policy.keep[p] - AVERAGE for p in deal.shuffles[0][20::2]]

    def twin(self) -> Table:
        """An independent table in the same position."""
        twin = object.__new__(Table)
        twin.__dict__ |= self.__dict__
        return twin

    def lay(self, seat: int, card: int) -> None:
        """Follow the play."""
        if not self.laid or self.policy.beats[self.best] >> card & 1:
            self.best, self.taker = card, seat
        self.points += self.policy.points[card]
        self.laid += 1
        if self.laid == self.size:
            self.tricks += 1
            self.points = self.laid = 0

    def play_out(self, deal: Deal, pack: int, random: Callable[[], float], talks: bool) -> None:
        """Play on while there are cards to choose from: what looks best, judged with some noise.

        One loop over ints, with everything in local variables: most of the time goes here.
        """
        policy, side, size, laid, stakes = self.policy, self.side, self.size, self.laid, self.stakes
        beats, points, keep, lead = policy.beats, policy.points, policy.keep, policy.lead
        best, taker, tricks, noise = self.best, self.taker, self.tricks, policy.ranks.noise
        pot = stakes[tricks] + self.points
        while legal := deal.legal & pack:
            seat = deal.seat
            assert seat is not None
            if not legal & legal - 1:
                choice = legal.bit_length() - 1
            else:
                most = -1e9
                if laid:
                    higher = beats[best]
                    won = UNSURE if laid + 1 < size else 1.0
                    left = won if side[taker] == side[seat] else -won
                choice = 0
                while legal:
                    low = legal & -legal
                    legal ^= low
                    card = low.bit_length() - 1
                    gain = (won if higher & low else left) if laid else lead[card]
                    value = gain * (pot + points[card]) - keep[card] + noise * random()
                    if value > most:
                        choice, most = card, value
            deal.apply(choice)
            if not laid or beats[best] >> choice & 1:
                best, taker = choice, seat
            pot += points[choice]
            laid += 1
            if laid == size:
                laid = 0
                tricks += 1
                pot = stakes[tricks]
            if deal.legal > pack and not talks:
                break
        self.best, self.taker, self.laid, self.tricks = best, taker, laid, tricks
        self.points = pot - stakes[tricks]


class Search:
    """A tree that grows from one decision."""

    def __init__(self, view: View, rng: random.Random) -> None:
        """Nothing is tried yet; all randomness comes from `rng`."""
        self.view = view
        self.rng = rng
        self.sampler = Sampler(view)
        self.edges: dict[int, Edge] = {}
        self.options = options(view)
        self.pack = (1 << len(view.variant.game.pack)) - 1
        game = view.variant.game.id
        self.talks = game == "briscola"
        self.bids = game in ("briscola-chiamata", "frap")
        self.ranks = policy_of(game, None).ranks
        self.span = self.ranks.span or 4.0 * getattr(view, "first_pot", 0)
        self.fixed = (
            None if self.bids or game == "frusta" else Table(view, self.sampler.sample(rng))
        )

    def best(self) -> int:
        """The action that was tried most."""
        if not self.edges:
            return self.options.bit_length() - 1
        return max(self.edges, key=lambda action: self.edges[action].visits)

    def iterate(self) -> None:
        """Play one world to its end."""
        deal = self.sampler.sample(self.rng)
        table = self.fixed.twin() if self.fixed else Table(self.view, deal)
        path = self.descend(deal, table)
        while (seat := deal.seat) is not None:
            if deal.legal > self.pack and not self.talks:
                deal.apply(say(deal.view(seat)))
                continue
            if self.bids and not self.pack >> deal.actions[-1]:
                table = Table(deal.view(seat), deal)
            table.play_out(deal, self.pack, self.rng.random, self.talks)
        rewards = self.rewards(deal)
        for edge, seat in path:
            edge.visits += 1
            edge.reward += rewards[seat]

    def descend(self, deal: Deal, table: Table) -> list[tuple[Edge, int]]:
        """The way down the tree, to a node that is new: who chose what.

        What others say is not in the tree, and nothing is after bids and exchanges.
        """
        edges, pack = self.edges, self.pack
        path: list[tuple[Edge, int]] = []
        while (seat := deal.seat) is not None:
            legal = deal.legal
            bids = legal > pack and not self.talks
            if bids and path:
                deal.apply(say(deal.view(seat)))
                continue
            cards = legal & pack
            repeats = cards & cards << 1 & table.policy.repeats
            mask = (cards if path else self.options) & ~repeats
            edge, action = self.select(edges, mask)
            path.append((edge, seat))
            deal.apply(action)
            if pack >> action:
                table.lay(seat, action)
            if not edge.visits or (bids and self.bids):
                break
            edges = edge.edges
        return path

    def select(self, edges: dict[int, Edge], mask: int) -> tuple[Edge, int]:
        """An action that was never tried, else the one with the highest upper confidence bound."""
        best, most, choice = None, -1.0, -1
        untried = []
        for action in bits(mask):
            edge = edges.get(action)
            if edge is None:
                untried.append(action)
                continue
            edge.available += 1
            visits = edge.visits
            value = edge.reward / visits + EXPLORE * sqrt(log(edge.available) / visits)
            if value > most:
                best, most, choice = edge, value, action
        if untried:
            choice = untried[int(self.rng.random() * len(untried))]
            best = edges[choice] = Edge()
            best.available = 1
        assert best is not None
        return best, choice

    def rewards(self, deal: Deal) -> list[float]:
        """What the deal brought to each seat, about 0 to 1."""
        scores = deal.scores
        assert scores is not None
        top, mean, win = max(scores), sum(scores) / len(scores), self.ranks.win
        share = win / scores.count(top) * len(self.view.variant.sides[0])
        return [
            (share if score == top else 0) + (1 - win) * (0.5 + (score - mean) / self.span)
            for score in scores
        ]
