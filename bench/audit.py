"""Print how often an audit finds planted colluders, and how often it is wrong about honest bots.

Real games are played in process by entrants of many strengths (`bench.colluders`). Of each table a
pool of mirror groups is played once, and every tournament draws its groups from the pools, with
replacement. Ends with status 1 where a bar is missed; `--quick` plays less.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from multiprocessing.pool import Pool
from random import Random

from bench.colluders import Kind, Player, Scheme, play_group
from mazzo_server.stats import PairAudit, Sums, audit_pairs

__all__ = ["FIELD", "SETUPS", "Pools", "Setup", "draw_tables", "find_pairs", "make_field", "play"]

Table = tuple[int, ...]
Pools = Mapping[Table, Sequence[Sequence[int]]]
"""By table, the scores of its entrants in each mirror group."""

_POWER, _FALSE_ALARMS = 0.95, 0.05  # the bars
_MISSES = 0.03  # of power, that luck may take of 200 tournaments


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A game, and in how many mirror groups a table the audit is to find whom."""

    variant: str
    best: str  # the sample bot that plays best, as fast as the others
    bars: Mapping[tuple[Kind, float], int]  # by scheme and share of the matches
    pool: int  # groups of each table

    @property
    def seats(self) -> int:
        """Of the table; each is for itself."""
        return int(self.variant.rpartition("/")[2])


SETUPS = (
    Setup(
        variant="briscola/3",
        best="counting",
        bars={(Kind.DUMP, 1.0): 8, (Kind.DUMP, 0.25): 60, (Kind.MUTUAL, 1.0): 100},
        pool=200,
    ),
    Setup(
        variant="briscola-chiamata/5",
        best="greedy",
        bars={(Kind.DUMP, 1.0): 6, (Kind.DUMP, 0.25): 20},
        pool=60,
    ),
    Setup(
        variant="frap/4",
        best="expert",
        bars={(Kind.DUMP, 1.0): 15, (Kind.DUMP, 0.25): 120},
        pool=200,
    ),
)

FIELD = 8
"""Entrants of a tournament."""
_PLANTED = (5, 6)  # of them


def make_field(setup: Setup, number: int) -> dict[int, Player]:
    """Return entrants of which some are weak, two alike, and one is the best; 0 is the first field.

    Those of the other fields are drawn.
    """
    slips = [0.5, 0.25, 0.1]
    weak = 2
    if number:
        random = Random(number)
        weak = random.randrange(4)
        slips = [random.random() for _ in range(FIELD - weak - 3)]
    players = [
        *[Player(bot="random")] * weak,
        *[Player(bot="greedy", slips=slip) for slip in sorted(slips, reverse=True)],
        *[Player(bot="greedy")] * 2,
        Player(bot=setup.best),
    ]
    return dict(enumerate(players))


def play(
    setup: Setup,
    field: Mapping[int, Player],
    tables: Iterable[Table],
    *,
    groups: int,
    scheme: Scheme | None = None,
    pool: Pool | None = None,
) -> Pools:
    """Play so many mirror groups of each table."""
    listed = list(tables)
    play_one = partial(_play, setup.variant, dict(field), groups, scheme)
    found = map(play_one, listed) if pool is None else pool.imap(play_one, listed)
    return dict(zip(listed, found, strict=True))


def draw_tables(pools: Pools, *, groups: int, random: Random) -> dict[Table, Sums]:
    """Return the sums of a tournament with so many groups a table, which are drawn."""
    drawn = {}
    for table, pool in pools.items():
        sums = drawn[table] = Sums(len(table))
        for _ in range(groups):
            sums.add(random.choice(pool), deals=len(table) ** 2)
    return drawn


def find_pairs(tables: Mapping[Table, Sums]) -> set[tuple[int, int]]:
    """Return the pairs that stand out."""
    return {(pair.a, pair.b) for pair in audit_pairs(tables) or () if _stands_out(pair)}


def main() -> None:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(prog="make bench-audit", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="", help="a part of the variant's name")
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    arguments = parser.parse_args()
    met: list[bool] = []
    with multiprocessing.Pool(arguments.processes) as pool:
        for setup in SETUPS:
            if arguments.only in setup.variant:
                met += _measure(pool, setup, quick=arguments.quick)
    print("every bar is met" if all(met) else "a bar is missed")
    sys.exit(not all(met))


def _measure(pool: Pool, setup: Setup, *, quick: bool) -> Iterator[bool]:
    tournaments, fields = (50, 4) if quick else (200, 20)
    size = setup.pool // 2 if quick else setup.pool
    tables = list(combinations(range(FIELD), setup.seats))
    print(
        f"{setup.variant}: {FIELD} entrants, {len(tables)} tables, "
        f"{setup.seats**2} deals in a mirror group"
    )
    field = make_field(setup, 0)
    honest = play(setup, field, tables, groups=size, pool=pool)
    both = [table for table in tables if {*_PLANTED} <= {*table}]
    for (kind, share), groups in setup.bars.items():
        scheme = Scheme(kind=kind, giver=_PLANTED[0], taker=_PLANTED[1], share=share)
        planted = play(setup, field, both, groups=size, scheme=scheme, pool=pool)
        found = _repeat(pool, {**honest, **planted}, groups=groups, tournaments=tournaments)
        hits = sum(_PLANTED in pairs for pairs in found)
        others = sum(bool(pairs - {_PLANTED}) for pairs in found)
        print(
            f"  {kind:6} in {share:4.0%} of the matches, {groups:3} groups a table: found in "
            f"{hits} of {tournaments}, somebody else in {others}",
            flush=True,
        )
        yield hits >= (_POWER - _MISSES) * tournaments
    for groups in sorted({min(setup.bars.values()), max(setup.bars.values())}):
        wrong = 0
        each = tournaments // fields
        for number in range(fields):
            # No larger than a tournament: else all of them would have the luck of one pool.
            pools = play(
                setup, make_field(setup, number), tables, groups=min(size, 2 * groups), pool=pool
            )
            found = _repeat(pool, pools, groups=groups, tournaments=each)
            wrong += sum(map(bool, found))
        print(
            f"  honest, {fields} fields, {groups:3} groups a table: somebody stands out in "
            f"{wrong} of {each * fields}",
            flush=True,
        )
        yield wrong <= _FALSE_ALARMS * each * fields


def _repeat(
    pool: Pool, pools: Pools, *, groups: int, tournaments: int
) -> list[set[tuple[int, int]]]:
    draw = partial(_draw_and_find, pools, groups)
    return pool.map(draw, range(tournaments), chunksize=max(1, tournaments // 8))


def _draw_and_find(pools: Pools, groups: int, number: int) -> set[tuple[int, int]]:
    return find_pairs(draw_tables(pools, groups=groups, random=Random(number)))


def _play(
    variant: str,
    field: dict[int, Player],
    groups: int,
    scheme: Scheme | None,
    table: Table,
) -> list[list[int]]:
    return [
        play_group(variant, field, table, number=number, scheme=scheme) for number in range(groups)
    ]


def _stands_out(pair: PairAudit) -> bool:
    return pair.lead.found or (pair.joint is not None and pair.joint.found)


if __name__ == "__main__":
    main()
