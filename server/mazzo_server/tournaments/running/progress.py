"""The progress of a run of a tournament."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Progress"]


@dataclass(slots=True, kw_only=True)
class Progress:
    """The progress of a run; one object, updated in place."""

    matches_total: int
    matches_played: int
    # This and the next two count mirror groups that were completed since the start of the run: news
    # of a match in another group could help its other seatings.
    deals_played: int = 0
    decisions_taken: int = 0
    faults: int = 0
    withdrawn: int = 0
    started_at: float = 0.0  # on the monotonic clock
    is_resting: bool = False  # nothing is left to play until somebody joins
