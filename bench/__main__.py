"""Print the figures; `--quick` plays less of everything."""

from __future__ import annotations

import argparse
import platform

from bench import echo, engine, home, hosted, isolation, peers, rating, search
from mazzo.games import parse_variant

_ANSWER = 14  # bytes of an answer to a decision
_INSTANCES = 2  # that play at once in a tournament of two bots
_WORKERS = 2  # processes of an arena
_VARIANTS = {  # with the decisions a second that they must reach
    "briscola/2": 250_000,
    "briscola/4?talk=off": 250_000,
    "briscola-chiamata/5": 250_000,
    "frusta/2": 250_000,
    "tressette-meta-mazzo/2": 250_000,
    "tressette-pizzichino/2": 250_000,
    "frap/2": 150_000,
    "frap/4": 150_000,
    "frap/6": 150_000,
    "frap/12": 150_000,
}

_SEARCHED = {  # with the playouts a second that they must reach, if any
    "briscola/2": 2_500,
    "briscola/4?talk=off": 0,
    "frusta/2": 0,
    "tressette-meta-mazzo/2": 0,
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--isolation", default="bubblewrap")
    arguments = parser.parse_args()
    size = 1 if arguments.quick else 4

    print("Engine in process, random legal play, dealt from a seed; a view with its bytes")
    for variant, bar in _VARIANTS.items():
        deals = 1000 * size // parse_variant(variant).players
        best = max(engine.decisions_per_second(variant, deals=deals) for _ in range(3))
        made, read = engine.view_microseconds(variant, deals=15 * size)
        print(
            f"  {variant:24} {best:>9,.0f} decisions/s (bar {bar:,})  view {made:>5.1f} µs, "
            f"read back {read:.1f} µs"
        )
    for game in peers.GAMES:
        speed = peers.decisions_per_second(game, deals=500 * size)
        print(
            f"  OpenSpiel's {game:12} "
            + (f"{speed:>9,.0f} decisions/s" if speed else "is not installed: make bench-peers")
        )

    played = home.deals_per_second(deals=2000 * size, workers=_WORKERS)
    print(
        f"Arena at home, two random bots, briscola/2, {_WORKERS} processes: {played:,.0f} deals/s "
        "(bar 500)"
    )

    print("Sample bot ismcts, one core, from an opening position: whole playouts")
    for variant, bar in _SEARCHED.items():
        speed = max(search.playouts_per_second(variant, seconds=size / 2) for _ in range(3))
        print(f"  {variant:24} {speed:>9,.0f} playouts/s" + (f" (bar {bar:,})" if bar else ""))

    results = 25_000 * size
    took = rating.seconds(results) * 100_000 / results
    print(f"Rating 100,000 results of two: {took:.2f} s (bar 30 s)")

    print(
        f"Hosted tournament, two random bots, isolation {arguments.isolation}, beside a bare gRPC "
        "echo\nof equal bytes and frames with as many processes; the best of each in turns"
    )
    for capacity, groups, concurrency in ((64, 1250 * size, 128), (1, 125 * size, 4)):
        rounds = [
            _beside_an_echo(groups, capacity, concurrency, arguments.isolation)
            for _ in range(1 if arguments.quick else 3)
        ]
        hosts = [host for host, _ in rounds]
        echoes = [one for _, one in rounds]
        frame = sum(host.frame_decisions for host in hosts) / len(hosts)
        speed = max(host.decisions_per_second for host in hosts)
        exchanges = max(one.exchanges_per_second for one in echoes)
        cpu = min(host.cpu_seconds for host in hosts)
        echo_cpu = min(one.cpu_seconds for one in echoes) / frame
        print(f"  capacity {capacity}, {frame:.1f} decisions a frame")
        print(f"    hosted  {speed:>9,.0f} decisions/s, {cpu * 1e6:>5.1f} µs of CPU a decision")
        print(
            f"    echo    {exchanges * frame:>9,.0f} decisions/s, {echo_cpu * 1e6:>5.1f} µs; "
            f"{exchanges:,.0f} exchanges/s"
        )
        verdict = (
            f"CPU {cpu / echo_cpu:.1f} × the echo's (bar 3.0); bar 30,000 decisions/s"
            if capacity > 1
            else f"{speed / exchanges:.0%} of the echo's exchanges/s (bar 70%)"
        )
        print(f"    {verdict}")
    isolation.print_costs(rounds=1 if arguments.quick else 3, size=size)
    print(f"Python {platform.python_version()}, {platform.machine()}")


def _beside_an_echo(
    groups: int, capacity: int, concurrency: int, isolation: str
) -> tuple[hosted.Hosted, echo.Echo]:
    """A tournament, and an echo of messages as large as its frames and their answers."""
    host = hosted.measure(
        groups=groups, capacity=capacity, concurrency=concurrency, isolation=isolation
    )
    answer = round(_ANSWER * host.frame_decisions)
    one = echo.measure(
        clients=_INSTANCES, question=round(host.frame_bytes), answer=answer, exchanges=8000
    )
    return host, one


if __name__ == "__main__":
    main()
