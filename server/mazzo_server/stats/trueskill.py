"""TrueSkill ratings (Herbrich, Minka and Graepel 2007) with the package's default priors.

An entrant is a whole side, so a meeting of two teams is one against one. Skills are taken not
to change (`tau` is 0): a pinned version of a bot neither learns nor tires.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import NormalDist, fmean

from mazzo_server.errors import InvalidInputError

__all__ = ["BETA", "PRIOR", "Rating", "Ratings"]

BETA = 25 / 6  # standard deviation of a performance about the skill
# What cannot happen has no posterior, and yet ties happen under 0; nor is a win impossible.
_LEAST_PROBABILITY = 1e-6
_ROOT_2 = math.sqrt(2)
_ROOT_TAU = math.sqrt(2 * math.pi)

_Belief = tuple[float, float]  # μ and σ


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """What is believed of a skill: a normal distribution, on TrueSkill's scale."""

    mu: float
    sigma: float

    @property
    def conservative(self) -> float:
        """μ − 3σ: the skill is above it with a probability of 99.9 %."""
        return self.mu - 3 * self.sigma


PRIOR = Rating(mu=25.0, sigma=25 / 3)  # of whom nothing is known


class Ratings:
    """The ratings of entrants, updated with one group result after the other.

    The order of the results matters, a little: give them in schedule order. Results that are
    the same and in the same order give the same floats. A result never makes a σ grow, lowers
    the μ of who is first alone, or raises that of who is last alone.
    """

    def __init__(self, *, draw_probability: float) -> None:
        """Nobody has played; raises `InvalidInputError` for a probability outside [0, 1)."""
        if not 0 <= draw_probability < 1:
            raise InvalidInputError(
                f"expected a draw probability from 0 to below 1, got {draw_probability!r}"
            )
        # Most commands rate nobody, and need not wait for the package.
        import trueskill

        likely = min(max(draw_probability, _LEAST_PROBABILITY), 1 - _LEAST_PROBABILITY)
        # The package's own normal distribution is good to seven digits only, which is too
        # little for ties under small draw probabilities: σ would grow beyond the prior's.
        self._model = trueskill.TrueSkill(
            mu=PRIOR.mu,
            sigma=PRIOR.sigma,
            beta=BETA,
            tau=0.0,
            draw_probability=likely,
            backend=(_cumulative, _density, NormalDist().inv_cdf),
        )
        self._margin = trueskill.calc_draw_margin(likely, 2, self._model)
        self._prior = (PRIOR.mu, PRIOR.sigma)
        self._beliefs: dict[int, _Belief] = {}

    def __getitem__(self, entrant: int) -> Rating:
        """The rating as it stands, the prior for an entrant that has not been rated."""
        mu, sigma = self._beliefs.get(entrant, self._prior)
        return Rating(mu=mu, sigma=sigma)

    def __setitem__(self, entrant: int, rating: Rating) -> None:
        """Let an entrant go on from that rating."""
        self._beliefs[entrant] = (rating.mu, rating.sigma)

    def state(self) -> list[tuple[int, float, float]]:
        """Entrant, μ and σ of each that has a rating: what JSON can hold without a loss."""
        return [(entrant, *belief) for entrant, belief in sorted(self._beliefs.items())]

    def restore(self, state: Iterable[Sequence[float]]) -> None:
        """Stand where `state` was taken: what follows is the same to the bit."""
        self._beliefs = {int(entrant): (mu, sigma) for entrant, mu, sigma in state}

    def rate(self, ranks: Mapping[int, int]) -> None:
        """Take in one result: the rank of each of at least two entrants, lower is better.

        Equal ranks are a tie. Only ranks and ratings matter, to the bit: not the numbers of the
        entrants, nor the order of the mapping. Who had the same rating and rank has it after.
        """
        beliefs = self._beliefs
        if len(ranks) == 2:
            one, other = ranks
            if ranks[one] > ranks[other]:
                one, other = other, one
            beliefs[one], beliefs[other] = _duel(
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
        # The factor graph is a chain of neighbours, in which who is level with both neighbours
        # learns a little more than who stands at an end. So among three or more that are level
        # the place in the chain must not be a matter of names.
        pairs = zip(entrants, after, strict=True)
        for _, likes in groupby(pairs, key=lambda pair: keys[pair[0]]):
            alike = list(likes)
            belief = (
                fmean(rating.mu for _, (rating,) in alike),
                fmean(rating.sigma for _, (rating,) in alike),
            )
            beliefs.update((entrant, belief) for entrant, _ in alike)


def _duel(first: _Belief, second: _Belief, *, margin: float, tie: bool) -> tuple[_Belief, _Belief]:
    """What is believed of two after the first has beaten the second, or tied with it.

    One truncated Gaussian is matched, so no factor graph is needed: section 3 of Herbrich,
    Minka and Graepel 2007, with its functions V and W for a win and for a draw. It is symmetric
    to the bit. So far out that a probability is 0 in floats, V and W have their limits.
    """
    (mu_1, sigma_1), (mu_2, sigma_2) = first, second
    variance_1, variance_2 = sigma_1 * sigma_1, sigma_2 * sigma_2
    variance = 2 * BETA * BETA + (variance_1 + variance_2)
    scale = math.sqrt(variance)
    lead = (mu_1 - mu_2) / scale
    if tie:
        upper, lower = margin / scale - abs(lead), -margin / scale - abs(lead)
        mass = _cumulative(upper) - _cumulative(lower)
        v, w = upper, 1.0
        if mass:
            at_upper, at_lower = _density(upper), _density(lower)
            v = (at_lower - at_upper) / mass
            w = v * v + (upper * at_upper - lower * at_lower) / mass
        v = math.copysign(v, -lead)
    else:
        surprise = lead - margin / scale
        mass = _cumulative(surprise)
        v, w = -surprise, 1.0
        if mass:
            v = _density(surprise) / mass
            w = v * (v + surprise)
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


def _cumulative(x: float) -> float:
    """Of the standard normal distribution, exact in the far left tail too."""
    return math.erfc(-x / _ROOT_2) / 2


def _density(x: float) -> float:
    return math.exp(-x * x / 2) / _ROOT_TAU
