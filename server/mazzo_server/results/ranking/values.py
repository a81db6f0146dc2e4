"""The values of a ranking, and the values that it is made from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mazzo_server.model import Definition, MatchOutcome
from mazzo_server.pairing import Group
from mazzo_server.stats import Rating
from mazzo_server.storage import TournamentRow, TournamentStatus

__all__ = [
    "BotRating",
    "FinishedTournament",
    "Inheritance",
    "Move",
    "Opponent",
    "Passage",
    "RankingRow",
    "TournamentRatings",
    "VariantRanking",
    "is_rated",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedTournament:
    """What the fold needs to know of a tournament."""

    id: int
    definition: Definition
    # Every group in schedule order with its matches; no matches when some were not played, None
    # when the group is void.
    played: Callable[[], Iterable[tuple[Group, Sequence[MatchOutcome] | None]]]
    withdrawn: Mapping[int, str]  # by index of the entrant


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingRow:
    """One version of a bot."""

    rank: int  # 1 for the best, ties share
    name: str
    version: int
    newest: bool  # no later version of the bot is in the ranking
    mu: float
    sigma: float
    rating: float  # μ − 3σ
    tournaments: int  # in which it played
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
class BotRating:
    """What is believed of one bot."""

    bot: str
    version: int  # which played
    rating: Rating


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentRatings:
    """What is believed after one tournament of those who played in it."""

    tournament: int
    name: str  # of the tournament
    ratings: tuple[BotRating, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opponent:
    """Another bot at the table."""

    name: str
    version: int
    rank: int  # in the group, 0 is best, ties share
    before: Rating


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """The effect of one mirror group on the rating of a bot."""

    group: int  # number in the schedule, from 0
    rank: int  # of the bot in the group; 0 is best, ties share
    before: Rating
    after: Rating
    opponents: tuple[Opponent, ...]  # by their place in the tournament's definition


@dataclass(frozen=True, slots=True, kw_only=True)
class Inheritance:
    """The older version from which a new version inherits its rating."""

    version: int  # the older one
    rating: Rating  # of the older version, at that moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """The effect of one tournament on the rating of a bot."""

    tournament: int
    version: int
    inherited: Inheritance | None  # None unless it first played here and an older version was rated
    before: Rating
    after: Rating
    wins: int
    draws: int
    losses: int


def is_rated(row: TournamentRow) -> bool:
    """Tell whether a tournament counts: what a bot does against itself says nothing of others."""
    return row.status is TournamentStatus.FINISHED and row.definition.is_rated
