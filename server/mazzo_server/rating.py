"""TrueSkill ratings (Herbrich, Minka and Graepel 2007) with the package's default priors.

An entrant is a whole side, so a meeting of two teams is one against one. Skills are taken not
to change (`tau` is 0): a pinned version of a bot neither learns nor tires.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import trueskill

from mazzo_server.errors import InvalidInputError

__all__ = ["Rating", "Ratings"]

_LEAST_DRAW_PROBABILITY = 1e-6  # a tie that cannot happen has no posterior, and yet they happen


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """What is believed of a skill: a normal distribution, on TrueSkill's scale."""

    mu: float
    sigma: float

    @property
    def conservative(self) -> float:
        """μ − 3σ: the skill is above it with a probability of 99.9 %."""
        return self.mu - 3 * self.sigma


class Ratings:
    """The ratings of entrants, updated with one group result after the other.

    The order of the results matters, a little: give them in schedule order. Results that are
    the same and in the same order give the same floats.
    """

    def __init__(self, *, draw_probability: float) -> None:
        """Nobody has played; raises `InvalidInputError` for a probability outside [0, 1)."""
        if not 0 <= draw_probability < 1:
            raise InvalidInputError(
                f"expected a draw probability from 0 to below 1, got {draw_probability!r}"
            )
        # The package's own normal distribution is good to seven digits only, which is too
        # little for ties under small draw probabilities: σ would grow beyond the prior's.
        self._model = trueskill.TrueSkill(
            tau=0.0,
            draw_probability=max(draw_probability, _LEAST_DRAW_PROBABILITY),
            backend=(_cumulative, _density, NormalDist().inv_cdf),
        )
        self._prior = self._model.create_rating()
        self._ratings: dict[int, trueskill.Rating] = {}

    def __getitem__(self, entrant: int) -> Rating:
        """The rating as it stands, the prior for an entrant that has not been rated."""
        rating = self._ratings.get(entrant, self._prior)
        return Rating(mu=rating.mu, sigma=rating.sigma)

    def rate(self, ranks: Mapping[int, int]) -> None:
        """Take in one result: the rank of each of at least two entrants, lower is better.

        Equal ranks are a tie. The order of the mapping does not matter.
        """
        entrants = sorted(ranks)
        before = [(self._ratings.get(entrant, self._prior),) for entrant in entrants]
        after = self._model.rate(before, ranks=[ranks[entrant] for entrant in entrants])
        self._ratings.update(zip(entrants, (rating for (rating,) in after), strict=True))


def _cumulative(x: float) -> float:
    """Of the standard normal distribution, exact in the far left tail too."""
    return math.erfc(-x / math.sqrt(2)) / 2


def _density(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
