"""What is asked of the matches of a store, and what is found."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from enum import StrEnum

from mazzo_server.model import MatchOutcome, MatchResult, Verdict

__all__ = ["FoundMatch", "MatchOrder", "MatchPosition", "MatchQuery"]


class MatchOrder(StrEnum):
    """What matches are sorted by.

    Equals stand by tournament, group, seating and seat, the last first.
    """

    TIME = "time"  # the newest tournament first, and in it what ended last
    SWING = "swing"  # the smallest first; matches without one are left out
    MARGIN = "margin"  # the smallest first


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchQuery:
    """Which matches are wanted, and in which order. What is said of an entrant is said of `bot`.

    Without `bot` it is said of any entrant; there is no opponent then, no seat, no verdict but
    `DRAWN`, and no order but `TIME`. A match between copies of `bot` is found once for each of them
    of which it is true.
    """

    bot: str = ""  # its own name, whichever copy of it plays; "": matches of all
    opponent: str = ""  # the own name of another entrant at the table, maybe a copy of `bot`
    variant: str = ""  # canonical text; "": all
    tournament: int | None = None  # None: all
    seat: int | None = None  # of a team: its first one
    verdict: Verdict | None = None
    forfeited: bool = False  # only where it forfeited
    late: bool = False  # only where a decision of it was late
    spoilt: bool = False  # only what a fault of the platform had ended before
    since: float | None = None  # Unix seconds: only what ended then or later
    order: MatchOrder = MatchOrder.TIME
    reverse: bool = False  # the largest swing or margin first

    def __post_init__(self) -> None:
        """Check what needs a bot."""
        one_bot = self.opponent or self.seat is not None or self.order is not MatchOrder.TIME
        assert self.bot or not (one_bot or self.verdict in (Verdict.WON, Verdict.LOST))

    def is_met_by(self, result: MatchResult, *, bot: str, others: Container[str]) -> bool:
        """Tell whether a match of a wanted tournament is, for the result of `bot`."""
        return (
            self.bot in ("", bot)
            and (not self.opponent or self.opponent in others)
            and self.seat in (None, result.seat)
            and self.verdict in (None, result.verdict)
            and (not self.forfeited or result.forfeited)
            and (not self.late or result.late > 0)
            and (not self.spoilt or result.spoilt > 0)
            and (self.since is None or result.end_time >= self.since)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPosition:
    """Where a match stands in a list: what follows it can be asked for."""

    value: float  # its swing or margin; 0.0 in the order of `TIME`
    tournament: int
    end_time: float  # Unix seconds
    group: int
    seating: int
    seat: int  # of the bot that was asked for; 0 where none was


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMatch:
    """A match that was asked for."""

    tournament: int
    outcome: MatchOutcome  # without the plays of its deals
    result: MatchResult | None  # for the bot of the query; None where it named none

    def find_position(self, order: MatchOrder) -> MatchPosition | None:
        """Return where it stands in a list of that order; None: it is not in such a list."""
        value = 0.0
        if order is not MatchOrder.TIME:
            assert self.result is not None
            found = self.result.swing if order is MatchOrder.SWING else self.result.margin
            if found is None:
                return None
            value = found
        return MatchPosition(
            value=value,
            tournament=self.tournament,
            end_time=self.outcome.end_time,
            group=self.outcome.group,
            seating=self.outcome.seating,
            seat=0 if self.result is None else self.result.seat,
        )
