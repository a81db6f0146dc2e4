"""Divides what may be in flight on a machine among the tournaments that it plays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

__all__ = ["share_flight"]

# Matches in flight on a machine. They wait in queues and take memory, but no processor.
_MOST_IN_FLIGHT: Final = 1024
# Matches of one tournament. With twelve tournaments of quick bots at once 1, 32, 64 and 128 each
# come to 329, 539, 608 and 608 deals a second together: in small frames each decision costs more.
_LEAST_IN_FLIGHT: Final = 64


def share_flight(own: int, everybody: Sequence[int]) -> int:
    """Return how many matches a tournament of concurrency `own` may have in flight.

    `everybody` has the concurrencies of all that are played, this one included. Each has its own as
    long as these are 1,024 together, or one of them wants more. Else each gets a part in proportion
    to its concurrency, but 64 at least, unless its own are fewer. So slow bots, whose matches last,
    take nothing from the others.
    """
    most = max(_MOST_IN_FLIGHT, own, *everybody)
    part = most * own // max(own, sum(everybody))
    return min(own, max(part, _LEAST_IN_FLIGHT))
