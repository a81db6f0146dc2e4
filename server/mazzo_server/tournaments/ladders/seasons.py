"""Defines the seasons of a ladder, and computes how one ends."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from mazzo.shuffle import SEED_BYTES
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import (
    LADDER_CONFIDENCE,
    LADDER_SHARE,
    Change,
    Definition,
    Entrant,
    PairingScheme,
    TournamentKind,
    TournamentRequest,
)
from mazzo_server.results import read_ratings
from mazzo_server.stats import Rating, inherit_rating
from mazzo_server.storage import Store, TournamentRow
from mazzo_server.tournaments.ladders.members import list_members, make_versions

__all__ = [
    "USUAL_CONFIDENCE",
    "USUAL_SHARE",
    "LadderRequest",
    "define_next_season",
    "define_season",
    "find_inherited",
    "make_final_request",
    "name_final",
]

USUAL_CONFIDENCE: Final = 0.9
USUAL_SHARE: Final = 0.5
_MOST_GROUPS: Final = 10_000_000  # of a season
_FINAL_DEALS: Final = 5000  # of each table of a final, at most: equal bots are never told apart


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderRequest:
    """What is asked for: what a tournament of its bots would be, and the rest."""

    tournament: TournamentRequest
    confidence: float = USUAL_CONFIDENCE  # with which neighbours are to be known, see `Ladder`
    share: float = USUAL_SHARE  # of the processors, for its bots

    def check(self) -> None:
        """Raise `InvalidInputError` for what a ladder cannot be."""
        LADDER_CONFIDENCE.check(self.confidence)
        LADDER_SHARE.check(self.share)
        copies = self.tournament.count_copies()
        if any(number > 1 for number in copies.values()):
            raise InvalidInputError("bots: expected each bot once: no copies play on a ladder")


def define_season(
    base: Definition, *, confidence: float, share: float, number: int = 1
) -> Definition:
    """Return a season of a new ladder, with what a tournament of its bots would be."""
    entrants = make_versions(base.entrants)
    return replace(
        base,
        name=_name_season(base.variant, number),
        kind=TournamentKind.LADDER,
        pairing=PairingScheme.LADDER,
        entrants=entrants,
        changes=tuple(
            Change(entrant=index, first_group=0, joins=True) for index in range(len(entrants))
        ),
        groups=_MOST_GROUPS,
        tables=None,
        confidence=confidence,
        share=share,
        season=number,
    )


def define_next_season(last: Definition, ratings: Mapping[int, Rating]) -> Definition:
    """Return the season after `last`: its members go on, each with its newest version.

    They inherit the ratings that the last season ended with, by index.
    """
    assert last.season is not None
    newest = [indices[-1] for _, indices in sorted(list_members(last).items())]
    inherited = [inherit_rating(ratings[index]) if index in ratings else None for index in newest]
    return replace(
        last,
        name=_name_season(last.variant, last.season + 1),
        season=last.season + 1,
        entrants=tuple(last.entrants[index] for index in newest),
        changes=tuple(
            Change(
                entrant=place,
                first_group=0,
                joins=True,
                inherited=None if rating is None else (rating.mu, rating.sigma),
            )
            for place, rating in enumerate(inherited)
        ),
        seed=secrets.token_bytes(SEED_BYTES),
        seed_chosen=False,
    )


def make_final_request(
    definition: Definition, ratings: Mapping[int, Rating], *, finalists: int
) -> TournamentRequest | None:
    """Return the request for a final between the first of a season, by μ − 3σ, until told apart.

    None: there are not enough of them for a table.
    """
    newest = [indices[-1] for indices in list_members(definition).values()]
    rated = [index for index in newest if index in ratings]
    rated.sort(key=lambda index: (-ratings[index].conservative, index))
    leaders = [definition.entrants[index].bot for index in rated[:finalists]]
    if len(leaders) < len(definition.sides):
        return None
    time = definition.time
    return TournamentRequest(
        variant=definition.variant,
        bots=leaders,
        until_separated=definition.confidence,
        max_deals=_FINAL_DEALS,
        match_format=definition.match_format,
        mirror=definition.mirror,
        time_control=f"{time.bank:g}+{time.increment:g}",
        limit_seconds=time.limit,
        isolation=definition.isolation,
        cpu=definition.cpu,
        name=name_final(definition),
    )


def name_final(definition: Definition) -> str:
    """Return the name of the final of a season."""
    return f"Final of the {definition.name[0].lower()}{definition.name[1:]}"


def find_inherited(store: Store, row: TournamentRow, version: Entrant) -> Rating | None:
    """Return what the newest older version passes on, of this season or of an earlier one. Blocks.

    So does the version itself, where it has played in an earlier season.
    """
    seasons = [
        other
        for other in store.tournaments_of_kind(TournamentKind.LADDER)
        if other.definition.variant == row.definition.variant and other.id <= row.id
    ]
    for season in reversed(seasons):
        ratings = read_ratings(store, season)
        older = [
            (entrant.version, ratings[index])
            for index, entrant in enumerate(season.definition.entrants)
            if entrant.bot == version.bot
            and entrant.version <= version.version
            and index in ratings
        ]
        if older:
            return inherit_rating(max(older, key=lambda one: one[0])[1])
    return None


def _name_season(variant: str, number: int) -> str:
    return f"Ladder of {variant}, season {number}"
