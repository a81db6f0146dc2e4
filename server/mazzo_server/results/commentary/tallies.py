"""What the sides of a deal have so far, in what their game counts while it is played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from mazzo.game import View
from mazzo_server.results.commentary.table import make_words
from mazzo_server.results.commentary.words import Names

__all__ = ["Tallies", "make_tallies"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tallies:
    """The points of all sides for which the game counts any."""

    counted: str  # what the points are
    usual: int  # points of a side in a deal, about
    sides: dict[str, tuple[Fraction, ...]]  # by the side's name, its points at each view


def make_tallies(views: Sequence[View], names: Names) -> Tallies:
    """Return the points at each of the views, which are of one deal, in their order.

    The sides are those that are known at the last one.
    """
    last = views[-1]
    words = make_words(last.variant.game)
    points = [words.count_points(view) for view in views]
    return Tallies(
        counted=words.counted,
        usual=words.usual,
        sides={
            " and ".join(names[seat] for seat in side): tuple(
                Fraction(sum(seats[seat] for seat in side)) for seats in points
            )
            for side in words.list_counted_sides(last)
        },
    )
