"""The ranking of a variant: a pure fold over its finished tournaments in order of their ids.

A version of a bot that plays for the first time inherits from the newest older version that was
rated, see `inherit_rating`. After some twenty results the start of a version hardly matters.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from mazzo.games import parse_variant
from mazzo_server.pairing import Group
from mazzo_server.results.ranking.values import (
    FinishedTournament,
    Inheritance,
    Move,
    Opponent,
    Passage,
    RankingRow,
    VariantRanking,
)
from mazzo_server.results.standings import rank_group
from mazzo_server.stats import Rating, Ratings, inherit_rating

__all__ = ["RankingFold"]


_DRAW_PROBABILITY = 0.1  # the prior of the ranking, whatever the tournaments' own priors are
_FORMAT = "mazzo-ranking/1"  # changes whenever the same tournaments give other numbers


@dataclass(slots=True)
class _Tally:
    """A running count for one version of a bot."""

    name: str
    version: int
    tournaments: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def groups(self) -> int:
        return self.wins + self.draws + self.losses


class RankingFold:
    """The ranking of a variant, to which finished tournaments are added one by one."""

    def __init__(self, variant: str) -> None:
        self._variant = variant
        self._sides = parse_variant(variant).sides
        self._ratings = Ratings(draw_probability=_DRAW_PROBABILITY)  # by index in the tallies
        self._tallies: list[_Tally] = []
        self._places: dict[tuple[str, int], int] = {}
        self._tournaments = 0

    def add(
        self,
        tournament: FinishedTournament,
        *,
        bot: str = "",
        on_move: Callable[[Move], None] = lambda _: None,
    ) -> Passage | None:
        """Add the next tournament; return its effect on a bot, None if the bot did not play.

        `on_move` is called with every group that counts for the bot, in schedule order. No two
        entrants may be copies of one bot.
        """
        assert tournament.definition.is_rated
        self._tournaments += 1
        places: dict[int, int] = {}  # by index of the entrant
        watched, inherited = -1, None
        for index, entrant in enumerate(tournament.definition.entrants):
            if index in tournament.withdrawn:
                continue
            key = (entrant.bot, entrant.version)
            heritage = None if key in self._places else self._enter(*key)
            places[index] = self._places[key]
            self._tallies[places[index]].tournaments += 1
            if entrant.bot == bot:
                watched, inherited = places[index], heritage
        tally = self._tallies[watched] if watched >= 0 else None
        start = self._ratings[watched]
        before = (tally.wins, tally.draws, tally.losses) if tally else (0, 0, 0)
        for group, by_index in _list_results(tournament, self._sides):
            ranks = {places[index]: rank for index, rank in by_index.items()}
            if watched in ranks:
                on_move(self._move(group, ranks, watched))
            else:
                self._rate(ranks)
        if tally is None:
            return None
        return Passage(
            tournament=tournament.id,
            version=tally.version,
            inherited=inherited,
            before=start,
            after=self._ratings[watched],
            wins=tally.wins - before[0],
            draws=tally.draws - before[1],
            losses=tally.losses - before[2],
        )

    def find_rating(self, bot: str, version: int) -> Rating:
        """Return what is believed of a version that has played."""
        return self._ratings[self._places[bot, version]]

    def _enter(self, name: str, version: int) -> Inheritance | None:
        """Add a row for a new version of a bot, which inherits from an older rated version."""
        older = [
            (tally.version, place)
            for place, tally in enumerate(self._tallies)
            if tally.name == name and tally.version < version and tally.groups
        ]
        place = self._places[name, version] = len(self._tallies)
        self._tallies.append(_Tally(name, version))
        if not older:
            return None
        parent, parents_place = max(older)
        rating = self._ratings[parents_place]
        self._ratings[place] = inherit_rating(rating)
        return Inheritance(version=parent, rating=rating)

    def _rate(self, ranks: Mapping[int, int]) -> None:
        self._ratings.rate(ranks)
        shared = list(ranks.values()).count(0) > 1
        for place, rank in ranks.items():
            tally = self._tallies[place]
            if rank:
                tally.losses += 1
            elif shared:
                tally.draws += 1
            else:
                tally.wins += 1

    def _move(self, group: Group, ranks: Mapping[int, int], watched: int) -> Move:
        before = {place: self._ratings[place] for place in ranks}
        self._rate(ranks)
        return Move(
            group=group.number,
            rank=ranks[watched],
            before=before[watched],
            after=self._ratings[watched],
            opponents=tuple(
                Opponent(
                    name=self._tallies[place].name,
                    version=self._tallies[place].version,
                    rank=rank,
                    before=before[place],
                )
                for place, rank in ranks.items()
                if place != watched
            ),
        )

    def to_json(self) -> str:
        """Return the whole fold as a JSON text, for `from_json`."""
        rows = [
            [tally.name, tally.version, tally.tournaments, tally.wins, tally.draws, tally.losses]
            for tally in self._tallies
        ]
        return json.dumps(
            {
                "format": _FORMAT,
                "tournaments": self._tournaments,
                "rows": rows,
                "ratings": self._ratings.to_json(),
            }
        )

    @classmethod
    def from_json(cls, variant: str, text: str) -> Self | None:
        """Return the fold from its JSON text, to the bit; None for that of another release."""
        state = json.loads(text)
        if state["format"] != _FORMAT:
            return None
        fold = cls(variant)
        fold._tournaments = state["tournaments"]
        fold._tallies = [_Tally(*row) for row in state["rows"]]
        fold._places = {
            (tally.name, tally.version): place for place, tally in enumerate(fold._tallies)
        }
        fold._ratings = Ratings.from_json(state["ratings"], draw_probability=_DRAW_PROBABILITY)
        return fold

    def ranking(self) -> VariantRanking:
        """Return the ranking: by rating, then name and version."""
        values = [self._ratings[place] for place in range(len(self._tallies))]
        newest: dict[str, int] = {}
        for tally in self._tallies:
            newest[tally.name] = max(newest.get(tally.name, 0), tally.version)
        in_order = sorted(
            zip(values, self._tallies, strict=True),
            key=lambda item: (-item[0].conservative, item[1].name, item[1].version),
        )
        rows: list[RankingRow] = []
        for value, tally in in_order:
            level = bool(rows) and rows[-1].rating == value.conservative
            rows.append(
                RankingRow(
                    rank=rows[-1].rank if level else len(rows) + 1,
                    name=tally.name,
                    version=tally.version,
                    newest=tally.version == newest[tally.name],
                    mu=value.mu,
                    sigma=value.sigma,
                    rating=value.conservative,
                    tournaments=tally.tournaments,
                    groups=tally.groups,
                    wins=tally.wins,
                    draws=tally.draws,
                    losses=tally.losses,
                )
            )
        return VariantRanking(
            variant=self._variant, tournaments=self._tournaments, rows=tuple(rows)
        )


def _list_results(
    tournament: FinishedTournament, sides: Sequence[Sequence[int]]
) -> Iterator[tuple[Group, Mapping[int, int]]]:
    """Return the counted groups in schedule order, with the ranks by index of the entrant."""
    for group, matches in tournament.played():
        if matches:
            yield group, rank_group(group, matches, sides=sides)
