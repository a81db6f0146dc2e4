"""What isolation costs: the same tournament with it and without, by turns; and its starts."""

from __future__ import annotations

import argparse
from statistics import median

from bench import hosted, starts

__all__ = ["print_costs"]

_WAYS = (("none", "shared"), ("bubblewrap", "shared"), ("bubblewrap", "fair"))
_INSTANCES = 50


def main() -> None:
    """Measure and print this alone."""
    parser = argparse.ArgumentParser(prog="python -m bench.isolation", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", type=int, default=1)
    arguments = parser.parse_args()
    print_costs(rounds=arguments.rounds, size=arguments.size)


def print_costs(*, rounds: int, size: int) -> None:
    """Medians over the rounds, in each of which every way has its turn; the spread behind."""
    print(
        "Isolation: hosted decisions/s, two random bots, and what is left of those without it in"
        "\nthe same round"
    )
    for capacity, groups, concurrency in ((64, 1250 * size, 128), (1, 125 * size, 4)):
        speeds: dict[tuple[str, str], list[float]] = {way: [] for way in _WAYS}
        for _ in range(rounds):
            for way in _WAYS:
                host = hosted.measure(
                    groups=groups,
                    capacity=capacity,
                    concurrency=concurrency,
                    isolation=way[0],
                    cpu=way[1],
                )
                speeds[way].append(host.decisions_per_second)
        print(f"  capacity {capacity}")
        for (isolation, cpu), found in speeds.items():
            shares = [one / base for one, base in zip(found, speeds[_WAYS[0]], strict=True)]
            print(
                f"    {isolation:10} {cpu:6} {median(found):>9,.0f} decisions/s "
                f"({min(found):,.0f} to {max(found):,.0f}), {median(shares):.0%} "
                f"({min(shares):.0%} to {max(shares):.0%}; bar 85% when shared)"
            )
    for isolation, cpu in _WAYS:
        alone = [starts.measure(1, isolation=isolation, fair=cpu == "fair") for _ in range(rounds)]
        many = starts.measure(_INSTANCES, isolation=isolation, fair=cpu == "fair")
        print(
            f"  {isolation:10} {cpu:6} one starts in {median(x.all_seconds for x in alone):.2f} s "
            f"(bar 1 s); {_INSTANCES} in {many.all_seconds:.1f} s (bar 30 s), the slowest of "
            f"them in {many.slowest_seconds:.1f} s"
        )


if __name__ == "__main__":
    main()
