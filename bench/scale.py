"""`make bench-scale`: how much faster workers play than one process, and what one can direct."""

from __future__ import annotations

import argparse
import os
from statistics import median

from bench.ceiling import print_ceiling
from bench.cost import print_cost
from bench.early import print_early
from bench.hosted import Hosted, measure
from bench.slots import print_slots

_CAPACITIES = ((64, 128, 5000), (1, 4, 500))  # with matches in flight, and groups a size
_SPEED_BARS = {64: 1.25, 1: 1.5}  # times one process, with two workers, by capacity
_FAST_BAR = 28_000  # decisions a second with capacity 64, where one process made 21,000
_CPU_BAR = 55.0  # microseconds a decision with capacity 64, where it was 64


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
    parser.add_argument(
        "--cost", action="store_true", help="measure the CPU that workers cost, and no more"
    )
    parser.add_argument(
        "--early", action="store_true", help="measure when groups are complete, and no more"
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
    if arguments.early:
        print_early(
            minutes=arguments.minutes, rounds=arguments.rounds, isolation=arguments.isolation
        )
        return
    if arguments.cost:
        print_cost(
            minutes=arguments.minutes,
            rounds=arguments.rounds,
            workers=arguments.workers[0],
            isolation=arguments.isolation,
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
                    concurrency=concurrency,
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
            if workers == 2:
                _print_bars(
                    capacity,
                    ratio=median(ratios),
                    speed=median(one.decisions_per_second for one in mine),
                    micros=median(one.cpu_seconds for one in mine) * 1e6,
                )
    print_ceiling(rounds=arguments.rounds)


def _print_bars(capacity: int, *, ratio: float, speed: float, micros: float) -> None:
    """Print which bars of two workers on two cores are met."""
    least = _SPEED_BARS[capacity]
    bars = {f"{least} times one process": ratio >= least}
    if capacity == 64:
        bars |= {
            f"{_FAST_BAR:,} decisions/s": speed >= _FAST_BAR,
            f"at most {_CPU_BAR:.0f} µs": micros <= _CPU_BAR,
        }
    told = "; ".join(f"{bar}: {'met' if met else 'missed'}" for bar, met in bars.items())
    print(f"        bars on two cores: {told}", flush=True)


if __name__ == "__main__":
    main()
