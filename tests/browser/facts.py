"""What a store holds, to compare pages with: from its rows, or as `--json` tells it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Self

from mazzo.game import Deal
from mazzo.games import parse_variant
from mazzo.match import Match, MatchFormat
from mazzo.shuffle import attempt_seed
from mazzo_server.model import MatchId
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.pairing import list_groups
from mazzo_server.pairing.factory import make_pairing
from mazzo_server.settings import Settings
from mazzo_server.storage import BotRow, TournamentRow, VersionRow, open_store
from support.command import Home

__all__ = ["Facts"]

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """A store, as it was when it was read."""

    tournaments: Mapping[int, TournamentRow]
    outcomes: Mapping[MatchId, MatchOutcome]
    bots: Sequence[BotRow]
    versions: Mapping[str, Sequence[VersionRow]]  # of each bot, the oldest first
    standings: Mapping[int, Sequence[Row]]  # as `tournament show --json` tells them
    rankings: Mapping[str, Sequence[Row]]  # of each variant, as `rankings --json` tells them

    @classmethod
    def read(cls, home: Home, *, described: Sequence[int]) -> Self:
        """Read it, with the standings of the tournaments that are to be described."""
        with closing(open_store(Settings(home=home.path).store)) as store:
            tournaments = {row.id: row for row in store.tournaments()}
            outcomes = {
                MatchId(number, outcome.group, outcome.seating): outcome
                for number in tournaments
                for outcome in store.outcomes(number, with_deals=True)
            }
            bots = store.bots()
            versions = {bot.name: store.versions(bot.name) for bot in bots}
        standings = {
            number: home.inside("tournament", "show", str(number), "--json").json["standings"]
            for number in described
        }
        rankings = home.inside("rankings", "--json").json
        return cls(
            tournaments=tournaments,
            outcomes=outcomes,
            bots=bots,
            versions=versions,
            standings={number: one["rows"] for number, one in standings.items()},
            rankings={one["variant"]: one["rows"] for one in rankings},
        )

    def name_seats(self, match: MatchId) -> list[str]:
        """Return the bots of a match by seat."""
        entrants = self.tournaments[match.tournament].definition.entrants
        return [entrants[index].name for index in self.outcomes[match].entrants]

    def sum_points(self, match: MatchId) -> list[int]:
        """Return the points of all deals of a match by seat."""
        deals = [deal.scores for deal in self.outcomes[match].deals]
        return [sum(points) for points in zip(*deals, strict=False)]  # a forfeited one has none

    def deal_first(self, match: MatchId) -> Deal:
        """Return the first deal of a match as it began, dealt anew from the seed."""
        definition = self.tournaments[match.tournament].definition
        group = next(
            one for one in list_groups(make_pairing(definition)) if one.number == match.group
        )
        return Match(
            parse_variant(definition.variant),
            attempt_seed(group.seed, 0),
            MatchFormat.parse(definition.match_format),
            draws=definition.draws,
        ).deal

    def average_scores(self, tournament: int) -> dict[str, float]:
        """Return the score per deal of each bot over all matches."""
        scores = defaultdict[str, list[int]](list)
        for match, outcome in self.outcomes.items():
            if match.tournament == tournament:
                for deal in outcome.counted_scores:
                    for name, score in zip(self.name_seats(match), deal, strict=True):
                        scores[name].append(score)
        return {name: fmean(found) for name, found in scores.items()}
