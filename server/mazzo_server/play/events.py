"""What is reported of matches while they are played."""

from __future__ import annotations

from dataclasses import dataclass

from mazzo_server.model import MatchOutcome

__all__ = ["Began", "Finished", "PlayEvent", "Spoilt", "Withdrawn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Began:
    """A match has begun; with the promise of its cards."""

    group: int
    seating: int
    entrants: tuple[str, ...]  # names by seat
    commitment: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A match is over."""

    outcome: MatchOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """A bot does not start: its entrant plays no more, and its matches are given up."""

    entrant: int
    reason: str
    log: str  # the end of what its bot wrote


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoilt:
    """A fault of the platform spoilt a match, which is played again."""

    group: int
    seating: int
    reason: str


PlayEvent = Began | Finished | Withdrawn | Spoilt
