"""`make bench-scale`: how much faster workers play than one process, and what one can direct."""

from __future__ import annotations

import argparse
import os
from statistics import median

from bench.ceiling import print_ceiling
from bench.hosted import Hosted, measure
from bench.slots import print_slots

_CAPACITIES = ((64, 128, 5000), (1, 4, 500))  # with matches in flight, and groups a size


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="make bench-scale", description=__doc__)
    parser.add_argument("--workers", type=int, nargs="*", default=[2], metavar="N")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--size", type=int, default=4, metavar="N", help="times 5,000 groups")
    parser.add_argument("--isolation", default="bubblewrap")
    parser.add_argument(
        "--slots", type=int, default=0, metavar="N", help="simulate so many slots, and no more"
    )
    parser.add_argument("--minutes", type=float, default=10.0, metavar="N")
    parser.add_argument(
        "--losses", type=float, default=1.0, metavar="N", help="%% of the slots lost a minute"
    )
    parser.add_argument("--match-seconds", type=float, default=4.0, metavar="N")
    arguments = parser.parse_args()
    if arguments.slots:
        print_slots(
            slots=arguments.slots,
            minutes=arguments.minutes,
            losses=arguments.losses,
            match_seconds=arguments.match_seconds,
        )
        return
    print(
        f"Two random bots, briscola/2, isolation {arguments.isolation}, {os.cpu_count()} cores; "
        f"medians of {arguments.rounds} rounds by turns, starts included"
    )
    for capacity, concurrency, groups in _CAPACITIES:
        counts = [1, *arguments.workers]
        rounds: list[list[Hosted]] = [
            [
                measure(
                    groups=groups * arguments.size,
                    capacity=capacity,
                    concurrency=concurrency * workers,
                    isolation=arguments.isolation,
                    workers=workers,
                )
                for workers in counts
            ]
            for _ in range(arguments.rounds)
        ]
        print(f"  capacity {capacity}, {concurrency} matches in flight for each process")
        for place, workers in enumerate(counts):
            mine = [one[place] for one in rounds]
            ratios = [
                one[place].decisions_per_second / one[0].decisions_per_second for one in rounds
            ]
            print(
                f"    {workers:>3} {median(one.decisions_per_second for one in mine):>9,.0f} "
                f"decisions/s, {median(ratios):.2f} times one process; "
                f"{median(one.cpu_seconds for one in mine) * 1e6:.1f} µs of CPU a decision, "
                f"{median(one.frame_decisions for one in mine):.1f} decisions a frame"
            )
    print_ceiling(rounds=arguments.rounds)


if __name__ == "__main__":
    main()
