"""`make bench-ladder`: judge by simulation who plays next on a ladder.

Skills are drawn from TrueSkill's prior, or half as wide (a close field), and a mirror group goes as
TrueSkill's model says. The real pairings schedule, the real ratings judge. Exit status 1 when a bar
is missed:

- A ladder needs at most 60 % of a round robin's groups for as few pairs in the wrong order (no bar
  in the close field), and the bot with the fewest groups has at least half of the mean.
- A new version is within five ranks of its true place after 30 groups in 90 % of the seasons.
- At tables of four a ladder is no worse than the balanced choice.
- Where each new version is better than the last, no rating grows more than the skill, the order is
  as true as in a field that stays, and the version with the fewest groups has half of the mean.
- The ratings of a season of 100,000 groups are found in 60 s.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, cycle, islice
from multiprocessing.pool import Pool
from random import Random
from statistics import fmean, stdev

from mazzo_server.clock import monotonic
from mazzo_server.model import Change, Entrant, Mirror, name_version
from mazzo_server.pairing import GroupResult
from mazzo_server.pairing.choice import choose_balanced
from mazzo_server.pairing.ladder.pairing import Ladder
from mazzo_server.pairing.ladder.state import LadderState
from mazzo_server.pairing.seats import Seats, TableEntrants
from mazzo_server.stats import BETA, Rating, Ratings, inherit_rating
from mazzo_server.stats.season import compute_season_ratings
from mazzo_server.stats.trueskill import PRIOR

_DRAWS = 0.1  # the probability that equals draw
_MARGIN = 0.74  # points of skill apart at most, in a game that is drawn
_ROUND_ROBIN = 300  # groups of a bot, with which a ladder is compared
_SHARE_BAR, _LEAST_BAR = 0.6, 0.5
_RANKS_BAR, _PLACED_BAR = 5, 0.9
_WORSE_BAR = 1.25  # times as many pairs in the wrong order, in a field that gets better
_REFITTED, _REFIT_BAR = 100_000, 60.0  # groups, seconds
_VERSIONS, _BETTER = 5, BETA / 2  # new ones of each bot, and how much better each is


@dataclass(frozen=True, slots=True, kw_only=True)
class _Field:
    """Who plays, and the luck of a season."""

    bots: int
    number: int  # of the season, from which its luck follows
    spread: float = PRIOR.sigma  # the standard deviation of the skills
    sides: int = 2

    def draw_skills(self) -> list[float]:
        random = Random(f"skills {self.number}")
        return [random.gauss(PRIOR.mu, self.spread) for _ in range(self.bots)]


class _Season:
    """A ladder that is played, and joined."""

    def __init__(self, field: _Field) -> None:
        self.skills = field.draw_skills()
        self.entrants = [_make_entrant(bot, 1) for bot in range(field.bots)]
        self.random = Random(f"season {field.number}")
        self._sides = field.sides
        self._changes: list[Change] = []
        self._inherited: dict[int, Rating] = {}
        self._ladder = self._make_ladder()
        self.state = self._ladder.begin()

    def join(self, bot: int, *, skill: float, inherits: bool = True) -> int:
        """Add a new version, which may inherit the rating of the last one; return its index."""
        index = len(self.entrants)
        last = max(place for place, other in enumerate(self.entrants) if other.bot == f"bot-{bot}")
        if inherits:
            rating = self.state.find_rating(last)
            self._inherited[index] = inherit_rating(rating)
        self.entrants.append(_make_entrant(bot, self.entrants[last].version + 1))
        self.skills.append(skill)
        self._changes.append(Change(entrant=index, first_group=self.state.groups, joins=True))
        self._ladder = self._make_ladder()
        known = self.state
        self.state = LadderState.from_json(
            known.to_json(), draw_probability=_DRAWS, inherited=self._inherited
        )
        return index

    def play_batch(self) -> None:
        """Make the next batch, and play it."""
        batch = self._ladder.make_batch(self.state)
        assert batch, "a ladder that asks for more than can be sure is never settled"
        for group in batch:
            self.state.add_result(_play(group.table, self.skills, self.random).ranks)

    def play(self, groups: int) -> None:
        """Play until the results of so many groups are known, or of somewhat more."""
        while self.state.groups_known < groups:
            self.play_batch()

    def list_ratings(self, entrants: Iterable[int]) -> list[float]:
        """Return the μ of each."""
        known = self.state.copy()
        while known.take_batch():
            pass
        return [known.find_rating(entrant).mu for entrant in entrants]

    def _make_ladder(self) -> Ladder:
        seats = Seats(
            variant="simulated",
            entrants=self.entrants,
            sides=self._sides,
            mirror=Mirror.ROTATIONS,
            seed=bytes(32),
            least=0,
        )
        return Ladder(
            seats,
            entrants=self.entrants,
            sides=self._sides,
            most_groups=10**9,
            confidence=1 - 1e-15,
            draw_probability=_DRAWS,
            inherited=self._inherited,
            changes=self._changes,
        )


def main() -> None:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(prog="make bench-ladder", description=__doc__)
    parser.add_argument("--seasons", type=int, default=200, help="of each kind")
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    arguments = parser.parse_args()
    with multiprocessing.Pool(arguments.processes) as pool:
        met = [
            *_judge_savings(pool, arguments.seasons),
            *_judge_newcomers(pool, arguments.seasons),
            *_judge_tables(pool, arguments.seasons),
            *_judge_progress(pool, arguments.seasons),
        ]
    met += _judge_refits()
    print("every bar is met" if all(met) else "a bar is missed")
    sys.exit(not all(met))


def _judge_savings(pool: Pool, seasons: int) -> Iterator[bool]:
    for spread, name in ((PRIOR.sigma, "a wide field"), (BETA, "a close field")):
        for bots in (12, 24):
            groups = bots * _ROUND_ROBIN // 2
            fields = [_Field(bots=bots, number=one, spread=spread) for one in range(seasons)]
            found = pool.map(partial(_compare, groups=groups), fields)
            even, own, least = (fmean(values) for values in zip(*found, strict=True))
            is_met = own <= even or spread < PRIOR.sigma
            is_met &= min(one[2] for one in found) >= _LEAST_BAR
            print(
                f"{name} of {bots}: {own:.2%} of the pairs in the wrong order after "
                f"{int(groups * _SHARE_BAR):,} groups, a round robin {even:.2%} after {groups:,}; "
                f"the fewest groups {least:.0%} of the mean{_tell(is_met)}",
                flush=True,
            )
            yield is_met


def _compare(field: _Field, *, groups: int) -> tuple[float, float, float]:
    """Return the wrong pairs of a round robin and of a ladder, and the ladder's fewest groups."""
    season = _Season(field)
    season.play(int(groups * _SHARE_BAR))
    played = [season.state.played[entrant] for entrant in range(field.bots)]
    own = _count_wrong(season.list_ratings(range(field.bots)), season.skills)
    even = _play_all(field, list(combinations(range(field.bots), 2)), groups)
    return even, own, min(played) / fmean(played)


def _judge_newcomers(pool: Pool, seasons: int) -> Iterator[bool]:
    for bots in (12, 24):
        fields = [_Field(bots=bots, number=number) for number in range(seasons)]
        placed = fmean(one <= _RANKS_BAR for one in pool.map(_place, fields))
        is_met = placed >= _PLACED_BAR
        print(
            f"a new version among {bots}: within {_RANKS_BAR} ranks of its place after 30 groups "
            f"in {placed:.1%}{_tell(is_met)}",
            flush=True,
        )
        yield is_met


def _place(field: _Field) -> int:
    """Return how many ranks a new version is away from its place, when it has 30 groups."""
    season = _Season(field)
    season.play(30 * field.bots)
    skill = season.random.gauss(PRIOR.mu, field.spread)
    index = season.join(0, skill=skill, inherits=False)
    while season.state.played[index] < 30:
        season.play_batch()
    season.play(season.state.groups)
    ratings = season.list_ratings(range(field.bots + 1))
    return abs(_rank(ratings, index) - _rank(season.skills, index))


def _judge_tables(pool: Pool, seasons: int) -> Iterator[bool]:
    fields = [_Field(bots=12, number=number, sides=4) for number in range(seasons)]
    found = pool.map(_compare_tables, fields)
    even, own = (fmean(values) for values in zip(*found, strict=True))
    differences = [one - other for other, one in found]
    is_met = own - even <= 2 * stdev(differences) / math.sqrt(seasons)
    print(
        f"tables of four: {own:.2%} of the pairs in the wrong order, the balanced choice {even:.2%}"
        f"{_tell(is_met)}",
        flush=True,
    )
    yield is_met


def _compare_tables(field: _Field) -> tuple[float, float]:
    season = _Season(field)
    season.play(360)
    own = _count_wrong(season.list_ratings(range(field.bots)), season.skills)
    tables = choose_balanced(field.bots, field.sides, 60)
    return _play_all(field, tables, season.state.groups_known), own


def _judge_progress(pool: Pool, seasons: int) -> Iterator[bool]:
    fields = [_Field(bots=12, number=number) for number in range(seasons)]
    found = pool.map(_improve, fields)
    grown, wrong, still, least = (fmean(values) for values in zip(*found, strict=True))
    is_met = grown <= 1 and wrong <= _WORSE_BAR * still and least >= _LEAST_BAR
    print(
        f"a field that gets better: ratings grow by {grown:.0%} of what skills do, {wrong:.2%} of "
        f"the pairs in the wrong order, {still:.2%} in one that stays; the fewest groups "
        f"{least:.0%} of the mean{_tell(is_met)}",
        flush=True,
    )
    yield is_met


def _improve(field: _Field) -> tuple[float, float, float, float]:
    """Return the growth of ratings, wrong pairs, those of a field that stays, the fewest groups.

    Groups are counted from when the last version has joined and has 30.
    """
    season, bots = _Season(field), range(field.bots)
    season.play(30 * field.bots)
    before = fmean(season.list_ratings(bots))
    active = list(bots)
    for _ in range(_VERSIONS):
        for bot in bots:
            index = season.join(bot, skill=season.skills[active[bot]] + _BETTER)
            while season.state.played[index] < 30:
                season.play_batch()
            active[bot] = index
    counted = {index: season.state.played[index] for index in active}
    season.play(season.state.groups + 30 * field.bots)
    played = [season.state.played[index] - counted[index] for index in active]
    grown = (fmean(season.list_ratings(active)) - before) / (_VERSIONS * _BETTER)
    wrong = _count_wrong(season.list_ratings(active), [season.skills[one] for one in active])
    still = _Season(field)
    still.play(45 * field.bots)
    return (
        grown,
        wrong,
        _count_wrong(still.list_ratings(bots), still.skills),
        min(played) / fmean(played),
    )


def _judge_refits() -> Iterator[bool]:
    for bots, sides in ((24, 2), (200, 2), (24, 4)):
        field = _Field(bots=bots, number=0, sides=sides)
        skills, random = field.draw_skills(), Random("refit")
        tables = (tuple(random.sample(range(bots), sides)) for _ in range(_REFITTED))
        results = [ranks for one in tables if (ranks := _play(one, skills, random).ranks)]
        began = monotonic()
        ratings = compute_season_ratings(results, draw_probability=_DRAWS)
        seconds = monotonic() - began
        wrong = _count_wrong([ratings[bot].mu for bot in range(bots)], skills)
        print(
            f"the ratings of {_REFITTED:,} groups of {sides} among {bots}: {seconds:.1f} s, "
            f"{wrong:.2%} of the pairs in the wrong order{_tell(seconds <= _REFIT_BAR)}",
            flush=True,
        )
        yield seconds <= _REFIT_BAR


def _play_all(field: _Field, tables: Sequence[TableEntrants], groups: int) -> float:
    """Return the wrong pairs when all these tables play equally often."""
    skills, random = field.draw_skills(), Random(f"even {field.number}")
    ratings = Ratings(draw_probability=_DRAWS)
    for table in islice(cycle(tables), groups):
        ranks = _play(table, skills, random).ranks
        assert ranks is not None
        ratings.rate(ranks)
    return _count_wrong([ratings[entrant].mu for entrant in range(field.bots)], skills)


def _play(table: TableEntrants, skills: Sequence[float], random: Random) -> GroupResult:
    """Return the result of a group, by TrueSkill's model; with two sides it may be drawn."""
    shown = {entrant: random.gauss(skills[entrant], BETA) for entrant in table}
    if len(table) == 2 and abs(shown[table[0]] - shown[table[1]]) < _MARGIN:
        return GroupResult(table=table, ranks=dict.fromkeys(table, 0), scores={})
    order = sorted(table, key=shown.__getitem__, reverse=True)
    ranks = {entrant: order.index(entrant) for entrant in table}
    return GroupResult(table=table, ranks=ranks, scores={})


def _count_wrong(ratings: Sequence[float], skills: Sequence[float]) -> float:
    """Return the share of the pairs that stand in the wrong order."""
    pairs = list(combinations(range(len(ratings)), 2))
    return fmean(
        (ratings[one] - ratings[other]) * (skills[one] - skills[other]) <= 0 for one, other in pairs
    )


def _rank(values: Sequence[float], index: int) -> int:
    return sum(value > values[index] for value in values)


def _make_entrant(bot: int, version: int) -> Entrant:
    name = name_version(f"bot-{bot}", version)
    return Entrant(name=name, version=version, content_hash="0" * 64)


def _tell(is_met: bool) -> str:
    return "" if is_met else ": missed"


if __name__ == "__main__":
    main()
