"""Print the figures; `--quick` plays less of everything."""

from __future__ import annotations

import argparse
import platform

from bench import echo, engine, hosted, peers
from mazzo.games import parse_variant

_QUESTION, _ANSWER = 165, 14  # mean bytes of a decision and of an answer to it
_FRAME = 64  # decisions
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

    print("Bare gRPC echo, two processes, Unix socket, no protobuf")
    single = echo.measure(question=_QUESTION, answer=_ANSWER, exchanges=5000 * size)
    framed = echo.measure(
        question=_QUESTION * _FRAME, answer=_ANSWER * _FRAME, exchanges=1500 * size
    )
    print(f"  1 decision a frame     {single.exchanges_per_second:>9,.0f} exchanges/s")
    rate = framed.exchanges_per_second * _FRAME
    print(f"  {_FRAME} decisions a frame   {rate:>9,.0f} decisions/s")

    print(f"Hosted tournament, two random bots, isolation {arguments.isolation}")
    many = hosted.measure(
        groups=500 * size, capacity=_FRAME, concurrency=2 * _FRAME, isolation=arguments.isolation
    )
    print(
        f"  capacity {_FRAME}            {many.decisions_per_second:>9,.0f} decisions/s "
        f"(aim 30,000, bar 15,000); {many.cpu_seconds * 1e6:.0f} µs of CPU a decision, "
        f"{many.cpu_seconds / (framed.cpu_seconds / _FRAME):.1f} × the echo's"
    )
    one = hosted.measure(groups=20 * size, capacity=1, concurrency=4, isolation=arguments.isolation)
    print(
        f"  capacity 1             {one.decisions_per_second:>9,.0f} decisions/s, "
        f"{one.decisions_per_second / single.exchanges_per_second:.0%} of the echo's exchanges/s"
    )
    print(f"Python {platform.python_version()}, {platform.machine()}")


if __name__ == "__main__":
    main()
