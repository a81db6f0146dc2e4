"""`make bench-watchers`: what it costs a tournament that hundreds watch its page.

A server, the pages beside it and a tournament of quick bots, as in real life. By turns nobody
watches and all do; each watcher has a connection of its own. Exit status 1 when fewer than 90 % of
the decisions are played, or when a watcher gets an event 2 s after the first one does.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
from collections import defaultdict
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from urllib.parse import urlsplit

from mazzo.channel import open_channel
from mazzo.v1 import tournament_pb2, tournament_pb2_grpc
from mazzo_server.clock import monotonic
from support.command import Home, kill
from support.sample_bots import SAMPLE_BOTS, enter
from support.served import serving

_SHARE_BAR, _LATE_BAR = 0.9, 2.0
_BOTS = ("random", "greedy")
_SETTLING = 3.0  # seconds before a part is measured


@dataclass(slots=True)
class _Seen:
    """When each event arrived at whom: by its number the first and the last time."""

    first: dict[str, float] = field(default_factory=dict)
    late: float = 0.0  # seconds after the first watcher, the most
    counts: dict[int, int] = field(default_factory=lambda: defaultdict(int))

    def note(self, watcher: int, event: str) -> None:
        now = monotonic()
        self.late = max(self.late, now - self.first.setdefault(event, now))
        self.counts[watcher] += 1


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="make bench-watchers", description=__doc__)
    parser.add_argument("--watchers", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=60.0, help="of each part")
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mazzo-bench-") as folder:
        home = Home(Path(folder) / "home")
        home("bots", "list")
        enter(home, *(SAMPLE_BOTS / name for name in _BOTS))
        with serving(home, "--isolation", "none", "--web", "0") as (process, (address,)):
            assert process.stdout is not None
            url = process.stdout.readline().decode().removeprefix("Pages at ").strip()
            game = ("briscola/2", "--bots", ",".join(_BOTS), "--groups", "1000000")
            made = home("tournament", "create", *game, "--server", address, "--json")
            number = made.json["id"]
            missed = asyncio.run(_measure(address, url, number, process.pid, arguments))
            kill(process)
    sys.exit(int(missed))


async def _measure(
    address: str, url: str, number: int, server: int, arguments: argparse.Namespace
) -> bool:
    alone, watched = [], []
    most, latest, fewest = 0, 0.0, sys.maxsize
    async with open_channel(address) as channel:
        stub = tournament_pb2_grpc.TournamentServiceStub(channel)
        await stub.StartTournament(tournament_pb2.StartTournamentRequest(id=number))
        for turn in range(1, arguments.rounds + 1):
            await asyncio.sleep(_SETTLING)
            alone.append(await _count_decisions(stub, number, arguments.seconds))
            seen = _Seen()  # when nobody is left, the pages count from 1 again
            async with AsyncExitStack() as stack:
                for watcher in range(arguments.watchers):
                    task = asyncio.create_task(_watch(url, number, watcher, seen))
                    stack.callback(task.cancel)
                await asyncio.sleep(_SETTLING)
                watched.append(await _count_decisions(stub, number, arguments.seconds))
                most = max(most, _read_memory(server))
            latest = max(latest, seen.late)
            fewest = min(fewest, *(seen.counts[one] for one in range(arguments.watchers)))
            print(
                f"  {turn}: {alone[-1]:,.0f} decisions/s alone, {watched[-1]:,.0f} with "
                f"{arguments.watchers} watchers",
                flush=True,
            )
    share = mean(watched) / mean(alone)
    missed = share < _SHARE_BAR or latest > _LATE_BAR or not fewest
    print(
        f"  {share:.1%} of the speed, an event at most {latest:.2f} s after the first watcher "
        f"had it, {fewest} events for the one with the fewest; the pages had {most:,} kB"
        f"{': missed' if missed else ''}"
    )
    return missed


async def _count_decisions(
    stub: tournament_pb2_grpc.TournamentServiceStub, number: int, seconds: float
) -> float:
    """Return the decisions a second of a tournament, over so many seconds."""
    first, begin = await _read_progress(stub, number)
    await asyncio.sleep(seconds)
    last, end = await _read_progress(stub, number)
    return (last - first) / (end - begin)


async def _read_progress(
    stub: tournament_pb2_grpc.TournamentServiceStub, number: int
) -> tuple[int, float]:
    call = stub.WatchTournament(tournament_pb2.WatchTournamentRequest(id=number))
    report = await call.read()
    call.cancel()
    return report.decisions_taken, monotonic()


async def _watch(url: str, number: int, watcher: int, seen: _Seen) -> None:
    """Follow the events of the page, as a browser does."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        request = f"GET /tournaments/{number}/events HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n"
        writer.write(request.encode())
        while line := await reader.readline():
            if found := re.match(rb"id: (\d+)", line):
                seen.note(watcher, found[1].decode())
    finally:
        writer.close()


def _read_memory(server: int) -> int:
    """Return the memory of the pages beside a server, in kB."""
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
            command = (status.parent / "cmdline").read_text()
        except OSError:
            continue
        if f"\nPPid:\t{server}\n" in text and "\0web\0" in command:
            found = re.search(r"VmRSS:\s+(\d+) kB", text)
            return int(found[1]) if found else 0
    return 0


if __name__ == "__main__":
    main()
