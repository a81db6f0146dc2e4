"""The ratings of a season, in which all results explain each other.

`Ratings` takes one result after the other: what becomes known of an opponent later changes no
earlier result. Here no result is older than another: expectation propagation over all of them, with
skills that do not change, as in Dangauthier, Herbrich, Minka and Graepel, "TrueSkill Through Time"
(2007), without the time.

In a result each entrant has a performance, normal around its skill, and each comparison of two
neighbours by rank says something of their performances: a *message*, a normal density. To renew it,
the old one is taken out of what is believed; so nothing counts twice. It goes on until no rating
moves by 1e-4.

Comparisons tell differences alone, so they would find the common level of all ratings last. But it
is known: the mean of the μ, weighted by how much was known of each at the beginning, stays.

Results that are alike, with the same entrants and ranks, say the same. They share their messages,
which count as often as there are such results. So the order of the results does not matter.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from mazzo_server.stats.trueskill import BETA, Rating, Ratings, compute_v_and_w

__all__ = ["compute_season_ratings"]

_CLOSE: Final = 1e-4  # by which μ and σ may still move
_MOST_SWEEPS: Final = 2000
_LEAST_STEP: Final = 1 / 16  # of the way to a new message, where longer ones lead to and fro
_LEAST_PRECISION: Final = 1e-12  # of a message that says anything

_Key = tuple[tuple[int, int], ...]  # entrant and place, by entrant
_Density = tuple[float, float]  # a normal density that may be 1: 1 / σ² and μ / σ²


def compute_season_ratings(
    results: Iterable[Mapping[int, int]],
    *,
    draw_probability: float,
    inherited: Mapping[int, Rating] | None = None,
) -> dict[int, Rating]:
    """Return the rating of each entrant that follows from all results together.

    A result has the rank of each of at least two entrants, lower is better, equal ranks are a tie.
    Who has `inherited` a rating starts from it, the others from the prior. The same results give
    the same floats, in whatever order they come.

    Raises `InvalidInputError` for a draw probability outside [0, 1).
    """
    prior = Ratings(draw_probability=draw_probability)
    counts = Counter(_make_key(ranks) for ranks in results)
    games = [_Game(key, count=counts[key], margin=prior.draw_margin) for key in sorted(counts)]
    entrants = sorted({entrant for key in counts for entrant, _ in key})
    first = {
        entrant: _to_density((inherited or {}).get(entrant, prior[entrant])) for entrant in entrants
    }
    beliefs = dict(first)
    step, last = 1.0, math.inf
    for _ in range(_MOST_SWEEPS):
        before = {entrant: _to_rating(belief) for entrant, belief in beliefs.items()}
        for game in games:
            game.renew(beliefs, step)
        move = _find_move(beliefs, first)
        for game in games:
            game.move(beliefs, move)
        moved = max((_measure(before[one], _to_rating(beliefs[one])) for one in beliefs), default=0)
        if moved < _CLOSE * step:
            break
        if moved > last:
            step = max(step / 2, _LEAST_STEP)
        last = moved
    return {entrant: _to_rating(belief) for entrant, belief in beliefs.items()}


class _Game:
    """Results that are alike, and what one of them says."""

    def __init__(self, key: _Key, *, count: int, margin: float) -> None:
        in_order = sorted(key, key=lambda pair: (pair[1], pair[0]))
        self._entrants = [entrant for entrant, _ in in_order]
        places = [place for _, place in in_order]
        self._ties = [upper == lower for upper, lower in pairwise(places)]
        self._count = count
        self._margin = margin
        nothing: _Density = (0.0, 0.0)
        # What a comparison says of the upper performance and of the lower one.
        self._said = [(nothing, nothing) for _ in self._ties]
        self._told = [nothing for _ in self._entrants]  # of each skill, by all comparisons

    def renew(self, beliefs: dict[int, _Density], step: float) -> None:
        """Renew the messages, by so much of the way, and the beliefs with them."""
        own = []
        for entrant, (told_precision, told_pull) in zip(self._entrants, self._told, strict=True):
            precision, pull = beliefs[entrant]
            own.append(_widen((precision - told_precision, pull - told_pull)))
        performances = self._sum_up(own)
        last = len(self._ties) - 1
        for place in (*range(last + 1), *range(last - 1, -1, -1)):
            self._compare(place, performances)
        for place, entrant in enumerate(self._entrants):
            old_precision, old_pull = self._told[place]
            precision, pull = _widen(
                (performances[place][0] - own[place][0], performances[place][1] - own[place][1])
            )
            more_precision = step * (precision - old_precision)
            more_pull = step * (pull - old_pull)
            self._told[place] = old_precision + more_precision, old_pull + more_pull
            believed_precision, believed_pull = beliefs[entrant]
            beliefs[entrant] = (
                believed_precision + self._count * more_precision,
                believed_pull + self._count * more_pull,
            )

    def move(self, beliefs: dict[int, _Density], move: float) -> None:
        """Move all messages, and the beliefs with them, by so much in the mean."""
        self._said = [(_move(upper, move), _move(lower, move)) for upper, lower in self._said]
        for place, entrant in enumerate(self._entrants):
            precision, pull = self._told[place]
            self._told[place] = precision, pull + precision * move
            believed_precision, believed_pull = beliefs[entrant]
            beliefs[entrant] = believed_precision, believed_pull + self._count * precision * move

    def _sum_up(self, own: Sequence[_Density]) -> list[_Density]:
        """Return the performances, by the skills and by what the comparisons said so far."""
        found = list(own)
        for place, (upper, lower) in enumerate(self._said):
            found[place] = found[place][0] + upper[0], found[place][1] + upper[1]
            found[place + 1] = found[place + 1][0] + lower[0], found[place + 1][1] + lower[1]
        return found

    def _compare(self, place: int, performances: list[_Density]) -> None:
        """Renew what the comparison of a place with the next one says."""
        said_upper, said_lower = self._said[place]
        upper_precision = performances[place][0] - said_upper[0]
        upper_pull = performances[place][1] - said_upper[1]
        lower_precision = performances[place + 1][0] - said_lower[0]
        lower_pull = performances[place + 1][1] - said_lower[1]
        upper_mean, lower_mean = upper_pull / upper_precision, lower_pull / lower_precision
        variance = 1 / upper_precision + 1 / lower_precision
        spread = math.sqrt(variance)
        lead = upper_mean - lower_mean
        v, w = compute_v_and_w(lead / spread, self._margin / spread, tie=self._ties[place])
        precision = w / (
            variance * max(1 - w, _LEAST_PRECISION)
        )  # of the difference, by this alone
        if precision < _LEAST_PRECISION:
            new_upper = new_lower = (0.0, 0.0)
        else:
            difference = lead + spread * v / w
            own = 1 / precision
            upper_told = 1 / (own + 1 / lower_precision)
            lower_told = 1 / (own + 1 / upper_precision)
            new_upper = upper_told, upper_told * (lower_mean + difference)
            new_lower = lower_told, lower_told * (upper_mean - difference)
        self._said[place] = new_upper, new_lower
        performances[place] = upper_precision + new_upper[0], upper_pull + new_upper[1]
        performances[place + 1] = lower_precision + new_lower[0], lower_pull + new_lower[1]


def _find_move(beliefs: Mapping[int, _Density], first: Mapping[int, _Density]) -> float:
    """Return by how much all that the results say has to move, so that the common level stays."""
    missing = room = 0.0
    for entrant, (precision, pull) in first.items():
        believed_precision, believed_pull = beliefs[entrant]
        missing += pull - precision * believed_pull / believed_precision
        room += precision * (1 - precision / believed_precision)
    return missing / room if room > 0 else 0.0


def _make_key(ranks: Mapping[int, int]) -> _Key:
    """Return entrants and places such that results which say the same have the same key."""
    places = {rank: place for place, rank in enumerate(sorted({*ranks.values()}))}
    return tuple(sorted((entrant, places[rank]) for entrant, rank in ranks.items()))


def _widen(density: _Density) -> _Density:
    """Return the density of a skill as one of its performance, or the other way round."""
    precision, pull = density
    if precision < _LEAST_PRECISION:
        return 0.0, 0.0
    wider = 1 / (1 / precision + BETA * BETA)
    return wider, wider * pull / precision


def _move(density: _Density, move: float) -> _Density:
    precision, pull = density
    return precision, pull + precision * move


def _measure(one: Rating, other: Rating) -> float:
    return max(abs(one.mu - other.mu), abs(one.sigma - other.sigma))


def _to_density(rating: Rating) -> _Density:
    precision = 1 / rating.sigma**2
    return precision, precision * rating.mu


def _to_rating(density: _Density) -> Rating:
    precision, pull = density
    return Rating(mu=pull / precision, sigma=math.sqrt(1 / precision))
