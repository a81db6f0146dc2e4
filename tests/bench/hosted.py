"""A real tournament: two random bots in sandboxes, through director, clocks and store."""

from __future__ import annotations

import asyncio
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.cpu import machine_seconds
from mazzo_server.bundles import pack
from mazzo_server.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.tournaments import TournamentWish

__all__ = ["Hosted", "measure"]

_BOT = Path(__file__).parents[2] / "sample_bots" / "random"


@dataclass(frozen=True, slots=True)
class Hosted:
    """Decisions a second over the whole tournament, and the machine's CPU seconds for each."""

    decisions_per_second: float
    cpu_seconds: float


def measure(*, groups: int, capacity: int, concurrency: int, isolation: str) -> Hosted:
    """Play `groups` mirror groups of Briscola for two."""
    return asyncio.run(_measure(groups, capacity, concurrency, isolation))


async def _measure(groups: int, capacity: int, concurrency: int, isolation: str) -> Hosted:
    with tempfile.TemporaryDirectory(prefix="mazzo-bench-") as folder:
        platform = await Platform.open(Settings(home=Path(folder) / "home"))
        names = ["random-a", "random-b"]
        for name in names:
            bundle = _renamed(Path(folder) / name, name, capacity)
            await platform.submit(pack(bundle), isolation=isolation)
        wish = TournamentWish(variant="briscola/2", bots=names, groups=groups, seed="00" * 32)
        row = await platform.create(wish, isolation=isolation, concurrency=concurrency)
        cpu, start = machine_seconds(), time.perf_counter()
        await platform.start(row.id)
        failures = [failure async for _, _, failure in platform.watch(row.id)]
        seconds, used = time.perf_counter() - start, machine_seconds() - cpu
        standing = await platform.tournament(row.id)
        await platform.close(grace=0)
    assert not any(failures), failures
    assert standing.standings is not None
    decisions = sum(line.decisions for line in standing.standings.rows)
    assert decisions == groups * 4 * 40, "a deal of briscola/2 has 40 decisions"
    return Hosted(decisions / seconds, used / decisions)


def _renamed(folder: Path, name: str, capacity: int) -> Path:
    """The random sample bot under another name."""
    folder.mkdir()
    (folder / "bot.py").write_bytes((_BOT / "bot.py").read_bytes())
    lines = (_BOT / "bot.toml").read_text().splitlines()
    changed = {"name": f'name = "{name}"', "capacity": f"capacity = {capacity}"}
    kept = [changed.get(line.partition("=")[0].strip(), line) for line in lines]
    (folder / "bot.toml").write_text("\n".join(kept) + "\n")
    return folder
