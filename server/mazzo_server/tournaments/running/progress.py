"""How far a run of a tournament has got."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Progress"]


@dataclass(slots=True, kw_only=True)
class Progress:
    """How far a run has got; one object, updated in place."""

    matches_total: int
    matches_played: int
    # Of mirror groups that were completed since the start of this run, like the next two: what
    # is known of a match of another group could tell its other seatings something.
    deals_played: int = 0
    decisions_taken: int = 0
    faults: int = 0
    withdrawn: int = 0
    started_at: float = 0.0  # on the monotonic clock
