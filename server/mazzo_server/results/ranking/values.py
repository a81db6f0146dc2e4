"""What a ranking says, and what it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mazzo_server.model import Definition, MatchOutcome
from mazzo_server.pairing import Group
from mazzo_server.stats import Rating

__all__ = [
    "FinishedTournament",
    "Inheritance",
    "Move",
    "Opponent",
    "Passage",
    "RankingRow",
    "VariantRanking",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedTournament:
    """What the fold needs of a tournament."""

    id: int
    definition: Definition
    # Every group in schedule order with its matches: none where some of them were not played,
    # None where it is void.
    played: Callable[[], Iterable[tuple[Group, Sequence[MatchOutcome] | None]]]
    withdrawn: Mapping[int, str]  # by index of the entrant


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingRow:
    """One version of a bot."""

    rank: int  # 1 for the best, ties share
    name: str
    version: int
    newest: bool  # no later version of the bot stands in the ranking
    mu: float
    sigma: float
    rating: float  # μ − 3σ
    tournaments: int  # that it played in
    groups: int  # mirror groups that count
    wins: int  # groups won alone
    draws: int  # groups shared at the top
    losses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantRanking:
    """The ranking of one variant."""

    variant: str
    tournaments: int
    rows: tuple[RankingRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opponent:
    """Who else sat at a table."""

    name: str
    version: int
    rank: int  # in the group, 0 is best, ties share
    before: Rating


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What one mirror group did to the rating of a bot."""

    group: int  # number in the schedule, from 0
    rank: int  # of the bot in the group, 0 is best, ties share
    before: Rating
    after: Rating
    opponents: tuple[Opponent, ...]  # by their place in the tournament's definition


@dataclass(frozen=True, slots=True, kw_only=True)
class Inheritance:
    """Where a new version started from."""

    version: int  # the older one
    rating: Rating  # of the older one, at that moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What one tournament did to the rating of a bot."""

    tournament: int
    version: int
    inherited: Inheritance | None  # where it first played here and an older version was rated
    before: Rating
    after: Rating
    wins: int
    draws: int
    losses: int
