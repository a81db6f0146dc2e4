"""What several tournaments at once play together, beside one alone: `make bench-sharing`."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median

from bench.cpu import machine_seconds
from bench.hosted import rename_bot
from mazzo_server.bots.bundles.packing import pack
from mazzo_server.model import TournamentRequest
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings

__all__ = ["Shared", "measure"]

_NAMES = ("random-a", "random-b")


@dataclass(frozen=True, slots=True)
class Shared:
    """Deals a second of all tournaments together, their starts included."""

    deals_per_second: float
    cpu_seconds: float  # of the machine, for each deal
    first_seconds: float  # until the first tournament was over
    seconds: float  # until the last one was


def measure(
    *, groups: Sequence[int], capacity: int, isolation: str, cpu: str, workers: int
) -> Shared:
    """Play one tournament for each number of mirror groups of Briscola for two, all at once."""
    return asyncio.run(_measure(groups, capacity, isolation, cpu, workers))


async def _measure(
    groups: Sequence[int], capacity: int, isolation: str, cpu: str, workers: int
) -> Shared:
    with tempfile.TemporaryDirectory(prefix="mazzo-bench-") as folder:
        platform = await Platform.open(Settings(home=Path(folder) / "home"))
        for name in _NAMES:
            bundle = rename_bot(Path(folder) / name, name, capacity)
            await platform.bots.submit(pack(bundle), isolation=isolation)
        rows = [
            await platform.tournaments.create(
                TournamentRequest(
                    variant="briscola/2",
                    bots=list(_NAMES),
                    groups=number,
                    cpu=cpu,
                    isolation=isolation,
                )
            )
            for number in groups
        ]
        used, begin, ends = machine_seconds(), time.perf_counter(), list[float]()

        async def play(number: int) -> None:
            await platform.tournaments.start(number, workers=workers)
            failures = [report.failure async for report in platform.tournaments.watch(number)]
            ends.append(time.perf_counter() - begin)
            assert not any(failures), failures

        await asyncio.gather(*(play(row.id) for row in rows))
        used = machine_seconds() - used
        await platform.close(grace=0)
    deals = sum(groups) * 4
    return Shared(deals / max(ends), used / deals, min(ends), max(ends))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="make bench-sharing", description=__doc__)
    parser.add_argument("--tournaments", type=int, default=12, metavar="N")
    parser.add_argument("--groups", type=int, default=100, metavar="N", help="of each")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--isolation", default="none")
    parser.add_argument("--capacities", type=int, nargs="*", default=[64, 1], metavar="N")
    parser.add_argument("--workers", type=int, default=1, metavar="N")
    arguments = parser.parse_args()
    many, each = arguments.tournaments, arguments.groups
    print(
        f"Two random bots, briscola/2, isolation {arguments.isolation}, {arguments.workers} "
        f"worker(s); medians of {arguments.rounds} rounds by turns, starts included"
    )
    plans = {
        "one": [each],
        f"one of {many} times the groups": [each * many],
        f"{many} at once": [each] * many,
    }
    ways = ["shared"] if arguments.isolation == "none" else ["shared", "fair"]
    for capacity, cpu in product(arguments.capacities, ways):
        print(f"  capacity {capacity}, cpu {cpu}, {each} groups")
        rounds = [
            {
                name: measure(
                    groups=groups,
                    capacity=capacity,
                    isolation=arguments.isolation,
                    cpu=cpu,
                    workers=arguments.workers,
                )
                for name, groups in plans.items()
            }
            for _ in range(arguments.rounds)
        ]
        for name in plans:
            mine = [one[name] for one in rounds]
            print(
                f"    {name:30} {median(one.deals_per_second for one in mine):>7,.0f} deals/s, "
                f"{median(one.cpu_seconds for one in mine) * 1e3:.2f} ms of CPU a deal; over after "
                f"{median(one.first_seconds for one in mine):.1f} to "
                f"{median(one.seconds for one in mine):.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
