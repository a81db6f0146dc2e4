"""The ranking of a variant: a pure fold over its finished tournaments in order of their ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mazzo.games import parse_variant
from mazzo_server.definition import Definition
from mazzo_server.outcome import MatchOutcome
from mazzo_server.pairing import all_groups
from mazzo_server.rating import Ratings
from mazzo_server.schedule import schedule_of
from mazzo_server.standings import group_ranks

__all__ = ["FinishedTournament", "RankingRow", "VariantRanking", "fold"]

_DRAW_PROBABILITY = 0.1  # the prior of the ranking, whatever those of its tournaments


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedTournament:
    """What the fold needs of a tournament."""

    definition: Definition
    outcomes: Sequence[MatchOutcome]
    withdrawn: Mapping[int, str]  # by index of the entrant


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingRow:
    """One version of a bot."""

    rank: int  # 1 for the best, ties share
    name: str
    version: int
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


def fold(variant: str, tournaments: Iterable[FinishedTournament]) -> VariantRanking:
    """Rate every mirror group that counts, tournament after tournament, from default priors."""
    sides = parse_variant(variant).sides
    ratings = Ratings(draw_probability=_DRAW_PROBABILITY)
    bots: dict[tuple[str, int], int] = {}
    tallies: list[list[int]] = []  # by bot: tournaments, wins, draws, losses
    count = 0
    for tournament in tournaments:
        count += 1
        numbers = []
        for index, entrant in enumerate(tournament.definition.entrants):
            key = (entrant.name, entrant.version)
            number = bots.get(key)
            if number is None and index not in tournament.withdrawn:
                number = bots[key] = len(tallies)
                tallies.append([0, 0, 0, 0])
            numbers.append(-1 if number is None else number)
            if index not in tournament.withdrawn:
                tallies[numbers[-1]][0] += 1
        finished = {(item.group, item.seating): item for item in tournament.outcomes}
        for group in all_groups(schedule_of(tournament.definition)):
            matches = [
                found
                for seating in range(len(group.seatings))
                if (found := finished.get((group.number, seating))) is not None
            ]
            void = not tournament.withdrawn.keys().isdisjoint(group.table)
            if void or len(matches) < len(group.seatings):
                continue
            ranks = group_ranks(group, matches, sides=sides)
            ratings.rate({numbers[index]: rank for index, rank in ranks.items()})
            firsts = list(ranks.values()).count(0)
            for index, rank in ranks.items():
                tallies[numbers[index]][3 if rank else 2 if firsts > 1 else 1] += 1
    values = [ratings[number] for number in range(len(tallies))]
    order = sorted(bots.items(), key=lambda item: (-values[item[1]].conservative, item[0]))
    all_ratings = [value.conservative for value in values]
    rows = []
    for (name, version), number in order:
        value, (played, wins, draws, losses) = values[number], tallies[number]
        rows.append(
            RankingRow(
                rank=1 + sum(other > value.conservative for other in all_ratings),
                name=name,
                version=version,
                mu=value.mu,
                sigma=value.sigma,
                rating=value.conservative,
                tournaments=played,
                groups=wins + draws + losses,
                wins=wins,
                draws=draws,
                losses=losses,
            )
        )
    return VariantRanking(variant=variant, tournaments=count, rows=tuple(rows))
