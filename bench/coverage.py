"""How often the 95 % intervals of simulated tournaments hold the true score per deal."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from bench.simulated import Field, definition, play, play_scores, true_score
from mazzo_server.pairing import list_groups
from mazzo_server.pairing.factory import make_pairing
from mazzo_server.results.standings import Fold
from mazzo_server.stats.clusters import Sums
from mazzo_server.stats.intervals import Interval, estimate_score

__all__ = ["SETTINGS", "Setting", "coverage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A kind of tournament: how far apart its entrants are, and how much they play."""

    name: str
    spread: float  # standard deviation of the skills, in points a deal
    groups: int  # mirror groups of each pair


SETTINGS = (
    Setting(name="a narrow field, 2 groups a pair", spread=1, groups=2),
    Setting(name="a wide field, 2 groups a pair", spread=20, groups=2),
    Setting(name="a narrow field, 10 groups a pair", spread=1, groups=10),
    Setting(name="a wide field, 10 groups a pair", spread=20, groups=10),
)


def coverage(
    setting: Setting, *, tournaments: int, entrants: int = 16, whole: bool = False, seed: int = 1
) -> float:
    """The share of intervals that hold the truth, over all entrants of so many tournaments.

    With `whole` the matches pass through the standings; without, their scores go straight to
    the statistics, which is faster and comes to the same.
    """
    random = Random(seed)
    held = 0
    for _ in range(tournaments):
        field = Field(
            skills=tuple(random.gauss(0, setting.spread) for _ in range(entrants)),
            seed=random.getrandbits(64),
        )
        intervals = _through_fold(field, setting) if whole else _through_sums(field, setting)
        for entrant, (low, high) in enumerate(intervals):
            others = [(entrant, other) for other in range(entrants) if other != entrant]
            held += low <= true_score(field, entrant, others) <= high
    return held / (tournaments * entrants)


def _through_fold(field: Field, setting: Setting) -> list[tuple[float, float]]:
    tournament = definition(field, groups=setting.groups)
    fold = Fold(tournament, field.sides)
    for group in list_groups(make_pairing(tournament)):
        fold.add(group, play(field, group))
    rows = {row.name: row.score_per_deal for row in fold.make_standings(groups=0).rows}
    return [_ends(rows[entrant.name]) for entrant in tournament.entrants]


def _through_sums(field: Field, setting: Setting) -> list[tuple[float, float]]:
    tables: dict[tuple[int, ...], Sums] = {}
    for group in list_groups(make_pairing(definition(field, groups=setting.groups))):
        clusters = play_scores(field, group)
        sums = tables.setdefault(group.table, Sums(len(group.table)))
        sums.add(
            [clusters[entrant].score for entrant in group.table],
            deals=clusters[group.table[0]].deals,
        )
    return [_ends(estimate_score(tables, entrant)) for entrant in range(len(field.skills))]


def _ends(interval: Interval) -> tuple[float, float]:
    assert interval.low is not None
    assert interval.high is not None
    return interval.low, interval.high
