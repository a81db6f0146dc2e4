"""The events that are reported of matches while they are played."""

from __future__ import annotations

from dataclasses import dataclass

from mazzo_server.model import InstanceLog, MatchOutcome

__all__ = ["Began", "Finished", "PlayEvent", "Spoilt", "Withdrawn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Began:
    """A match has begun, with the commitment to its cards."""

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
    """A bot does not start: its entrant is withdrawn, and its matches are given up."""

    entrant: int
    reason: str
    log: InstanceLog  # of the instance that was started last


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoilt:
    """A fault of the platform spoilt a match, which will be played again."""

    group: int
    seating: int
    reason: str
    is_suspect: bool = True  # the match may be the reason; no: a whole machine was lost


PlayEvent = Began | Finished | Withdrawn | Spoilt
