"""Where seeds stand in a bracket."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["pair_seeds"]


def pair_seeds(seeds: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the pairs of the first round, in the order of the bracket; the highest have byes.

    The number of places is the least power of two that has room for all. Seed 1 meets the last
    place, seed 2 the last but one, and so on; without upsets the highest seeds meet as late as can
    be: 1 and 2 in the final, 1 and 4 or 2 and 3 in the semi-finals.
    """
    order = [0]
    while len(order) < len(seeds):
        last = 2 * len(order) - 1
        order = [place for seed in order for place in (seed, last - seed)]
    pairs = zip(order[::2], order[1::2], strict=True)
    return [tuple(seeds[place] for place in sorted(pair) if place < len(seeds)) for pair in pairs]
