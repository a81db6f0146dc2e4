"""TrueSkill ratings (Herbrich, Minka and Graepel 2007) with the package's default priors.

An entrant is a whole side, so a meeting of two teams is one against one. Skills are assumed
constant (`tau` is 0): a pinned version of a bot neither learns nor tires.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import NormalDist, fmean
from typing import Self

from mazzo_server.errors import InvalidInputError

__all__ = ["BETA", "PRIOR", "Rating", "Ratings", "compute_v_and_w", "inherit_rating"]

BETA = 25 / 6  # standard deviation of a performance about the skill
# An impossible result has no posterior; yet ties happen even at probability 0, and no win is
# impossible.
_LEAST_PROBABILITY = 1e-6
_ROOT_2 = math.sqrt(2)
_ROOT_TAU = math.sqrt(2 * math.pi)

_Belief = tuple[float, float]  # μ and σ


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """The belief about a skill: a normal distribution, on TrueSkill's scale."""

    mu: float
    sigma: float

    @property
    def conservative(self) -> float:
        """μ − 3σ: the skill is above it with a probability of 99.9 %."""
        return self.mu - 3 * self.sigma


PRIOR = Rating(mu=25.0, sigma=25 / 3)  # of an entrant about which nothing is known


def inherit_rating(rating: Rating) -> Rating:
    """Return what is known of a new version of a bot, by the rating of the version before it.

    Most play about as well as the last one, but none is identical: the variance grows by γ², up to
    the prior's. γ is β, the spread of a single performance, so a change by that much is nothing
    unusual.
    """
    return Rating(mu=rating.mu, sigma=min(math.hypot(rating.sigma, BETA), PRIOR.sigma))


class Ratings:
    """The ratings of entrants, updated with one group result after another.

    The order of the results matters a little: give them in schedule order. The same results in the
    same order give the same floats. A result never makes a σ grow, lowers the μ of a sole first, or
    raises the μ of a sole last.
    """

    def __init__(self, *, draw_probability: float) -> None:
        """Begin without results; raise `InvalidInputError` for a probability outside [0, 1)."""
        if not 0 <= draw_probability < 1:
            raise InvalidInputError(
                f"expected a draw probability from 0 to below 1, got {draw_probability!r}"
            )
        # Most commands compute no ratings, and need not wait for the package.
        import trueskill

        likely = min(max(draw_probability, _LEAST_PROBABILITY), 1 - _LEAST_PROBABILITY)
        # The package's own normal distribution is good to seven digits only. That is too little for
        # ties under small draw probabilities: σ would grow beyond the prior's.
        self._model = trueskill.TrueSkill(
            mu=PRIOR.mu,
            sigma=PRIOR.sigma,
            beta=BETA,
            tau=0.0,
            draw_probability=likely,
            backend=(_compute_cumulative, _compute_density, NormalDist().inv_cdf),
        )
        self._margin = trueskill.calc_draw_margin(likely, 2, self._model)
        self._prior = (PRIOR.mu, PRIOR.sigma)
        self._beliefs: dict[int, _Belief] = {}

    @property
    def draw_margin(self) -> float:
        """The largest difference of two performances that is a draw."""
        return float(self._margin)

    def __getitem__(self, entrant: int) -> Rating:
        """Return the current rating; the prior for an entrant without results."""
        mu, sigma = self._beliefs.get(entrant, self._prior)
        return Rating(mu=mu, sigma=sigma)

    def __contains__(self, entrant: int) -> bool:
        """Tell whether an entrant has a rating of its own, from results or as it was set."""
        return entrant in self._beliefs

    def __setitem__(self, entrant: int, rating: Rating) -> None:
        """Set the rating from which an entrant goes on."""
        self._beliefs[entrant] = (rating.mu, rating.sigma)

    def to_json(self) -> list[tuple[int, float, float]]:
        """Return entrant, μ and σ of each rating: values that JSON can hold without a loss."""
        return [(entrant, *belief) for entrant, belief in sorted(self._beliefs.items())]

    @classmethod
    def from_json(cls, state: Iterable[Sequence[float]], *, draw_probability: float) -> Self:
        """Return the ratings that `to_json` returned: all that follows is the same to the bit."""
        ratings = cls(draw_probability=draw_probability)
        ratings._beliefs = {int(entrant): (mu, sigma) for entrant, mu, sigma in state}
        return ratings

    def rate(self, ranks: Mapping[int, int]) -> None:
        """Add one result: the rank of each of at least two entrants, lower is better.

        Equal ranks are a tie. Only ranks and ratings matter, to the bit: not the numbers of the
        entrants, nor the order of the mapping. Entrants with equal ratings and ranks have equal
        ratings afterwards.
        """
        beliefs = self._beliefs
        if len(ranks) == 2:
            one, other = ranks
            if ranks[one] > ranks[other]:
                one, other = other, one
            beliefs[one], beliefs[other] = _update_after_duel(
                beliefs.get(one, self._prior),
                beliefs.get(other, self._prior),
                margin=self._margin,
                tie=ranks[one] == ranks[other],
            )
            return
        keys = {entrant: (ranks[entrant], beliefs.get(entrant, self._prior)) for entrant in ranks}
        entrants = sorted(keys, key=keys.__getitem__)
        before = [(self._model.create_rating(*keys[entrant][1]),) for entrant in entrants]
        after = self._model.rate(before, ranks=[keys[entrant][0] for entrant in entrants])
        # The factor graph is a chain of neighbours. An entrant tied with both neighbours learns a
        # little more than one at an end. So among three or more tied entrants the place in the
        # chain must not depend on names.
        pairs = zip(entrants, after, strict=True)
        for _, likes in groupby(pairs, key=lambda pair: keys[pair[0]]):
            alike = list(likes)
            belief = (
                fmean(rating.mu for _, (rating,) in alike),
                fmean(rating.sigma for _, (rating,) in alike),
            )
            beliefs.update((entrant, belief) for entrant, _ in alike)


def _update_after_duel(
    first: _Belief, second: _Belief, *, margin: float, tie: bool
) -> tuple[_Belief, _Belief]:
    """Return the beliefs about two after the first has beaten the second, or tied with it.

    One truncated Gaussian is matched, so no factor graph is needed: section 3 of Herbrich, Minka
    and Graepel 2007. It is symmetric to the bit.
    """
    (mu_1, sigma_1), (mu_2, sigma_2) = first, second
    variance_1, variance_2 = sigma_1 * sigma_1, sigma_2 * sigma_2
    variance = 2 * BETA * BETA + (variance_1 + variance_2)
    scale = math.sqrt(variance)
    v, w = compute_v_and_w((mu_1 - mu_2) / scale, margin / scale, tie=tie)
    return (
        (
            mu_1 + variance_1 / scale * v,
            math.sqrt(variance_1 * (1 - variance_1 / variance * w)),
        ),
        (
            mu_2 - variance_2 / scale * v,
            math.sqrt(variance_2 * (1 - variance_2 / variance * w)),
        ),
    )


def compute_v_and_w(lead: float, margin: float, *, tie: bool) -> tuple[float, float]:
    """Return V and W of Herbrich, Minka and Graepel 2007, for a win of who leads or for a draw.

    They say by how much the mean of a difference moves, and its variance shrinks, when the outcome
    is known. `lead` and `margin` are in standard deviations of the difference. Where a probability
    is 0 in floats, V and W have their limits.
    """
    if tie:
        upper, lower = margin - abs(lead), -margin - abs(lead)
        mass = _compute_cumulative(upper) - _compute_cumulative(lower)
        v, w = upper, 1.0
        if mass:
            at_upper, at_lower = _compute_density(upper), _compute_density(lower)
            v = (at_lower - at_upper) / mass
            w = v * v + (upper * at_upper - lower * at_lower) / mass
        return math.copysign(v, -lead), w
    surprise = lead - margin
    mass = _compute_cumulative(surprise)
    if not mass:
        return -surprise, 1.0
    v = _compute_density(surprise) / mass
    return v, v * (v + surprise)


def _compute_cumulative(x: float) -> float:
    """Return the standard normal distribution function, exact in the far left tail too."""
    return math.erfc(-x / _ROOT_2) / 2


def _compute_density(x: float) -> float:
    return math.exp(-x * x / 2) / _ROOT_TAU
