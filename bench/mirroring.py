"""What the same cards in exchanged seats take out of luck: variances of mirror groups.

A mirror group plays the same deals in several seatings. Let X_es be what entrant e scored, in
points of the deal score, in seating s of a group. Over many groups

    ratio = Σ_e Var(Σ_s X_es) / Σ_e Σ_s Var(X_es)

is 1 where the seatings are as good as separate deals, and smaller where what one entrant got
from the cards another gets in the next seating. Its 95 % interval is that of a ratio of two
means over groups, linearised (Cochran, Sampling Techniques, 3rd ed. 1977, 6.10).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from mazzo import Bot
from mazzo.game import Variant
from mazzo.games import GAMES, parse_variant
from mazzo.local import play_match
from mazzo_server.home.bots import find_home_bot
from mazzo_server.model import Mirror
from mazzo_server.pairing import make_pattern

__all__ = ["BARS", "CASES", "Case", "Ratio", "Scores", "find_bot", "play", "ratio"]

BARS = {("briscola/2", "seats"): 0.65, ("tressette-meta-mazzo/2", "seats"): 0.65}
"""The largest ratio that a variant and a drawing mode may have."""

Scores = npt.NDArray[np.int64]
"""By group, entrant and seating."""

_NORMAL = 1.96  # 97.5 % quantile


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Two different bots that take the places of a table in turns, A B A B …"""

    variant: str
    draws: str
    bots: tuple[str, str]
    deals: int  # in each seating


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """A ratio of variances with its 95 % interval."""

    value: float
    low: float
    high: float
    groups: int


def _cases() -> tuple[Case, ...]:
    variants = [Variant.of(game, players) for game in GAMES.values() for players in game.players]
    return tuple(
        Case(variant=str(variant), draws=draws, bots=bots, deals=deals)
        for variant in variants
        for draws in reversed(variant.game.draw_modes)
        for bots, deals in (
            (("random", "greedy"), len(variant.sides)),
            (("greedy", "expert"), len(variant.sides)),
            (("greedy", "expert"), 1),
        )
    )


CASES = _cases()
"""Every game with every number of players and every drawing mode.

One bot of the first pair chooses at random, so most of the noise is its own; those of the second
pair think. They play as many deals in each seating as tournaments do, and those that think also
one alone: in a match of several, deals may depend on how the earlier ones ended.
"""


def play(case: Case, first: int, groups: int) -> Scores:
    """The scores of some groups; the same ones every time.

    Group k of a case always has the same seed, so a larger size goes on where a smaller ended.
    """
    return np.array([_scores(case, number) for number in range(first, first + groups)])


def ratio(scores: Scores) -> Ratio:
    """The ratio of variances, over at least two groups."""
    groups = len(scores)
    sums = scores.sum(axis=2)
    together = ((sums - sums.mean(axis=0)) ** 2).sum(axis=1)
    apart = ((scores - scores.mean(axis=0)) ** 2).sum(axis=(1, 2))
    value = float(together.sum() / apart.sum())
    deviations = (together - value * apart) / apart.mean()
    margin = _NORMAL * float(deviations.std(ddof=1)) / groups**0.5
    return Ratio(value=value, low=value - margin, high=value + margin, groups=groups)


def _scores(case: Case, number: int) -> list[list[int]]:
    variant = parse_variant(case.variant)
    sides = len(variant.sides)
    label = f"{case.variant} {case.draws} {' '.join(case.bots)} {number}"
    seed = hashlib.sha256(label.encode()).digest()
    scores: list[list[int]] = [[] for _ in range(sides)]
    for seating, row in enumerate(make_pattern(Mirror.ROTATIONS, sides, number).rows):
        entrants = {seat: row[side] for side, seats in enumerate(variant.sides) for seat in seats}
        match = play_match(
            variant,
            [
                find_bot(case.bots[entrants[seat] % 2], case.variant)
                for seat in range(variant.players)
            ],
            seed=seed,
            match_format=f"deals:{case.deals}",
            draws=case.draws,
            seating=seating,
        )
        for side, seats in enumerate(variant.sides):
            scores[row[side]].append(match.deal_sums[seats[0]])
    return scores


@cache
def find_bot(name: str, variant: str) -> Bot:
    """A sample bot; they keep nothing from one decision to the next."""
    return find_home_bot(name, parse_variant(variant)).seat(name)
