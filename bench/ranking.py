"""Print how far luck is taken out of rankings, and what is left; `--quick` plays less.

Ends with status 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from math import comb
from multiprocessing.pool import Pool

import numpy as np

from bench import coverage, mirroring, separation

_CHUNK = 25  # groups, or tournaments, that a process plays at a time
_MOST_FAILED = 0.065  # tournaments that say of any neighbours what is not true


def main() -> None:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(prog="make bench-ranking", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    arguments = parser.parse_args()
    groups, judged = (50, 400) if arguments.quick else (500, 1000)
    tournaments = 50 if arguments.quick else 1000
    with multiprocessing.Pool(arguments.processes) as pool:
        met = [
            *_mirroring(pool, groups=groups, judged=judged),
            *_coverage(pool, tournaments=tournaments),
            *_separation(pool, tournaments=tournaments),
        ]
    print("every bar is met" if all(met) else "a bar is missed")
    sys.exit(not all(met))


def _mirroring(pool: Pool, *, groups: int, judged: int) -> Iterator[bool]:
    """The table of variances, a row as soon as it is known; yields whether each meets its bar.

    Where there is a bar, `judged` groups are played.
    """
    print(
        "Variance of a mirror group's sum over the sum of its seatings' variances, by points:\n"
        f"{groups} groups each, {judged} where there is a bar; 95 % intervals"
    )
    sizes = {
        case: judged if (case.variant, case.draws) in mirroring.BARS else groups
        for case in mirroring.CASES
    }
    starts = {case: range(0, size, _CHUNK) for case, size in sizes.items()}
    work = [
        (case, first, min(_CHUNK, sizes[case] - first))
        for case in mirroring.CASES
        for first in starts[case]
    ]
    played = pool.imap(_play, work)
    for case in mirroring.CASES:
        found = mirroring.ratio(np.concatenate([next(played) for _ in starts[case]]))
        bar = mirroring.BARS.get((case.variant, case.draws))
        print(
            f"  {case.variant:22} {case.draws:5} {' – '.join(case.bots):15} "
            f"{case.deals:2} "
            f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"
            + ("" if bar is None else f", bar {bar}"),
            flush=True,
        )
        yield bar is None or found.value <= bar


def _play(work: tuple[mirroring.Case, int, int]) -> mirroring.Scores:
    return mirroring.play(*work)


def _coverage(pool: Pool, *, tournaments: int) -> Iterator[bool]:
    """How often intervals hold the truth; yields whether each share is within its bars."""
    print(
        f"\n95 % intervals that hold the truth, in {tournaments} simulated tournaments of 16; "
        "bar 93 to 97 %"
    )
    for setting in coverage.SETTINGS:
        # As many parts, each with a seed of its own.
        play = partial(_covered, setting)
        shares = pool.map(play, range(tournaments // _CHUNK), chunksize=1)
        share = sum(shares) / len(shares)
        print(f"  {setting.name:32} {share:.1%}", flush=True)
        yield 0.93 <= share <= 0.97


def _covered(setting: coverage.Setting, seed: int) -> float:
    return coverage.coverage(setting, tournaments=_CHUNK, seed=seed)


def _separation(pool: Pool, *, tournaments: int) -> Iterator[bool]:
    """What `--until-separated` does, beside a flat round robin; yields whether bars are met."""
    print(
        f"\n--until-separated 0.95, {tournaments} simulated tournaments each, beside the flat "
        "round robin that\nseparates as many neighbours rightly: mirror groups a table, neighbours "
        "separated rightly (means),\ntournaments that separated some in the wrong order, and that "
        "separated equal ones"
    )
    for trial in separation.TRIALS:
        found = pool.map(partial(separation.sequential, trial), range(tournaments), chunksize=5)
        groups = separation.flat_size(trial, found, partial(_flat, pool, trial))
        flat = _flat(pool, trial, groups, tournaments)
        print(f"  {trial.sides} sides, {trial.entrants:2} entrants, {trial.name}")
        print(f"    until separated {_summary(trial, found)}, bar {_MOST_FAILED:.1%}")
        print(f"    flat            {_summary(trial, flat)}", flush=True)
        yield sum(one.failed for one in found) <= _MOST_FAILED * tournaments
        if not trial.equal:
            yield sum(one.groups for one in found) < sum(one.groups for one in flat)


def _flat(
    pool: Pool, trial: separation.Trial, groups: int, tournaments: int
) -> list[separation.Found]:
    play = partial(separation.flat, trial, groups=groups)
    return pool.map(play, range(tournaments), chunksize=5)


def _summary(trial: separation.Trial, found: Sequence[separation.Found]) -> str:
    tables = comb(trial.entrants, trial.sides)
    groups = sum(one.groups for one in found) / len(found) / tables
    right = sum(one.right for one in found) / len(found)
    wrong = sum(one.wrong > 0 for one in found) / len(found)
    split = sum(one.split > 0 for one in found) / len(found)
    return f"{groups:6.1f} groups, {right:5.2f} right, {wrong:.1%} wrong, {split:.1%} equal"


if __name__ == "__main__":
    main()
