"""Full deals that fit a view, drawn at random, for bots that search.

All arrangements that fit what the view proves (the cards seen, voids shown by play, what was
declared, sizes of hands) are equally likely. An arrangement is a whole shuffle, and for Frap
also what others discarded in secret; what a bid or a play only makes likely is left to the
bot. Talk that the seat did not hear is left out, and a world goes on in drawing mode `top`,
which is the same game to everyone who cannot see the stock.

Laws: `sample(view, rng).view(view.seat) == view`, and the deal is legal to play on.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from mazzo.game import Deal, View
from mazzo.layout import World
from mazzo.shuffle import SEED_BYTES, SeededShuffles
from mazzo.worlds.matching import Matching

__all__ = ["Sampler", "sample"]


def sample(view: View, rng: random.Random) -> Deal:
    """Return a deal that gives the view's seat this view; `Sampler` is cheaper for many of them."""
    return Sampler(view).sample(rng)


class Sampler:
    """Draws any number of deals that agree with one view, as `Sampler(view)`."""

    def __init__(self, view: View) -> None:
        """Work out once what the view leaves open."""
        self._view = view
        self._layouts = view.variant.game.layouts(view)
        self._matchings = [Matching(layout.cards, layout.groups) for layout in self._layouts]

    def sample(self, rng: random.Random) -> Deal:
        """Return one of them, every arrangement with the same probability."""
        index = 0
        if len(self._layouts) > 1:
            index = self._choose(rng)
        arranged = self._matchings[index].sample(rng)
        world = self._layouts[index].complete(arranged, rng)
        view = self._view
        deal = view.variant.game.deal(
            view.variant,
            _WorldShuffles(world, rng, view.seat),
            dealer=view.dealer,
            start=world.start,
            match=view.match,
        )
        _play_on(deal, view, world)
        return deal

    def _choose(self, rng: random.Random) -> int:
        """Return a layout, by how many worlds it stands for."""
        worlds = [
            layout.weight * matching.total
            for layout, matching in zip(self._layouts, self._matchings, strict=True)
        ]
        pick = rng.randrange(sum(worlds))
        for index, count in enumerate(worlds):
            if pick < count:
                return index
            pick -= count
        raise AssertionError("the weights add up")


def _play_on(deal: Deal, view: View, world: World) -> None:
    """Take the actions that the view knows, and between them those that only the world does.

    What others did unseen came as soon as they could do it.
    """
    unheard = {seat: list(actions)[::-1] for seat, actions in world.unheard.items()}

    def catch_up() -> None:
        while deal.seat is not None and (queue := unheard.get(deal.seat)):
            if not deal.legal >> queue[-1] & 1:
                return
            deal.apply(queue.pop())

    for action in view.actions:
        catch_up()
        deal.apply(action)
    catch_up()


class _WorldShuffles:
    """The randomness of a world: what has happened as it was, the rest drawn anew."""

    __slots__ = ("_heard", "_later", "_seat", "_shuffles")

    def __init__(self, world: World, rng: random.Random, seat: int) -> None:
        self._shuffles: Sequence[Sequence[int]] = world.shuffles
        self._later = SeededShuffles(rng.getrandbits(8 * SEED_BYTES).to_bytes(SEED_BYTES), 0)
        self._seat = seat
        self._heard = world.heard

    def draw(self, purpose: str, number: int, cards: Iterable[int]) -> list[int]:
        """Return the world's own shuffle, where it has one."""
        if number < len(self._shuffles):
            return list(self._shuffles[number])
        return self._later.draw(purpose, number, cards)

    def overhears(self, trick: int, speaker: int, opponent: int, thousandths: int) -> bool:
        """Return what the view's seat heard, and what the others hear by chance."""
        if opponent == self._seat and (trick, speaker) in self._heard:
            return True
        return self._later.overhears(trick, speaker, opponent, thousandths)
