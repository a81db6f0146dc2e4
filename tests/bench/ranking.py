"""Print how far luck is taken out of rankings, and what is left; `--quick` plays less.

Ends with status 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Iterator
from multiprocessing.pool import Pool

import numpy as np

from bench import mirroring

_CHUNK = 25  # groups that a process plays at a time


def main() -> None:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(prog="make bench-ranking", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    arguments = parser.parse_args()
    groups, judged = (50, 400) if arguments.quick else (1000, 2000)
    with multiprocessing.Pool(arguments.processes) as pool:
        met = all(list(_mirroring(pool, groups=groups, judged=judged)))
    print("every bar is met" if met else "a bar is missed")
    sys.exit(not met)


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
            f"  {case.variant:22} {case.draws:5} {' – '.join(case.bots):17} "
            f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"
            + ("" if bar is None else f", bar {bar}"),
            flush=True,
        )
        yield bar is None or found.value <= bar


def _play(work: tuple[mirroring.Case, int, int]) -> mirroring.Scores:
    return mirroring.play(*work)


if __name__ == "__main__":
    main()
