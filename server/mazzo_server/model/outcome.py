"""What came of a match: its scores, and whose fault it was when it did not end normally."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

__all__ = ["DealPlay", "Fault", "InstanceLog", "MatchOutcome", "Owner", "Termination"]


class Owner(StrEnum):
    """Whose fault something was. `PLATFORM` is only what the platform can prove against itself."""

    BOT = "bot"
    NETWORK = "network"
    PLATFORM = "platform"


class Termination(StrEnum):
    """Why a seat forfeited."""

    CRASHED = "crashed"
    ILLEGAL_ACTION = "illegal-action"
    MALFORMED_ANSWER = "malformed-answer"
    OUT_OF_TIME = "out-of-time"
    LEFT = "left"
    DISCONNECTED = "disconnected"  # a remote bot that did not come back in time


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceLog:
    """What an instance of a bot wrote, and when it lived; for its author.

    An instance plays several matches, so its output may be about any that was open in it. Times are
    Unix seconds; they are shown to people, never computed with.
    """

    text: str  # the end of what it wrote; "" where the platform cannot see that
    begin_time: float  # the instance was started
    end_time: float  # the text ends; never before `begin_time`
    matches: tuple[tuple[int, int], ...] = ()  # those open in it then, by (group, seating)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One seat's forfeit: the place in the match where it happened, and why, for a person."""

    seat: int
    termination: Termination
    owner: Owner
    reason: str
    deal: int  # number of the deal in the match, from 0
    decision: int  # number of the seat's decision in the match, from 1
    # What the instance wrote since it was offered this decision; None where it was thrown away.
    log: InstanceLog | None = None


class DealPlay(NamedTuple):  # made in a fifth of the time of a frozen dataclass
    """One deal as it was played; with the match's seed it is the whole deal record."""

    dealer: int
    actions: bytes  # action numbers in order, whoever was to move
    # By seat, with the share of what the last deal of a match leaves (Frap's pot); empty when
    # a forfeit ended the match in mid-deal.
    scores: tuple[int, ...]
    micros: tuple[int, ...]  # thinking time of each decision, in microseconds
    substituted: tuple[int, ...]  # indices in `actions` that the substitute played
    forfeited: bool  # a seat had forfeited by its end: its scores do not count, see `counted`
    # What bots said of their decisions, each with its index in `actions`, ascending. One at which
    # a forfeit ended the match has the index after the last.
    notes: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOutcome:
    """A finished match, one seating of one mirror group.

    Scores are by seat. With two sides the side of a forfeiter has match score 0 and the
    other the full score of the match; with more, the substitute played on for the
    forfeiter and the match scores are those of the play.
    """

    group: int  # number of the mirror group in the tournament's schedule, from 0
    seating: int  # number of the seating in the group, from 0
    entrants: tuple[int, ...]  # by seat: index in the definition's entrants
    match_scores: tuple[Fraction, ...]
    deals: tuple[DealPlay, ...]
    faults: tuple[Fault, ...]
    late: tuple[int, ...]  # by seat: decisions not taken in time, the one that forfeited included
    decisions: tuple[int, ...]  # by seat: decisions that the bot itself was asked
    thinking_seconds: tuple[float, ...]  # by seat: sum over those decisions
    # Which attempt it is: a match with a remote entrant that was begun before is played from
    # another seed.
    attempt: int = 0
    # By deal and seat, what counts in the score per deal where a seat forfeited; () where none did:
    # then the scores of the deals count.
    counted: tuple[tuple[int, ...], ...] = ()
    # The next three are no part of the result. Times are shown to people, never computed with.
    end_time: float = field(default=0.0, compare=False)  # Unix seconds; 0.0 until it is stored
    spoilt: int = field(default=0, compare=False)  # times that the platform had ended it before
    # The machine of a cluster that played it; "": that of the platform. The
    # store only counts by it.
    node: str = field(default="", compare=False)

    @property
    def counted_scores(self) -> Sequence[Sequence[int]]:
        """By deal and seat, what counts in the score per deal."""
        return self.counted or [deal.scores for deal in self.deals]
