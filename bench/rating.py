"""Rating the results of many meetings of two."""

from __future__ import annotations

import random
import time

from mazzo_server.stats.trueskill import Ratings

__all__ = ["seconds"]

_ENTRANTS = 40


def seconds(results: int) -> float:
    """Time to rate that many results of two among forty, one in ten a tie."""
    rng = random.Random(1)
    given = []
    for _ in range(results):
        winner, loser = rng.sample(range(_ENTRANTS), 2)
        given.append({winner: 0, loser: int(rng.uniform(0, 10) >= 1)})
    ratings = Ratings(draw_probability=0.1)
    start = time.perf_counter()
    for ranks in given:
        ratings.rate(ranks)
    return time.perf_counter() - start
