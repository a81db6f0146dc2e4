"""A real tournament: random bots in sandboxes, through director, clocks and store."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from bench.cpu import machine_seconds
from mazzo_server.bots.bundles.packing import pack
from mazzo_server.model import TournamentRequest
from mazzo_server.play.outbox import Outbox
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings

__all__ = ["Hosted", "measure", "rename_bot"]

_BOT = Path(__file__).parents[1] / "sample_bots" / "random"


@dataclass(frozen=True, slots=True)
class Hosted:
    """Decisions a second over the whole tournament, and the machine's CPU seconds for each.

    The starts of the bots are in both.
    """

    seconds: float
    decisions_per_second: float
    cpu_seconds: float
    frame_decisions: float  # mean of a frame
    frame_bytes: float  # the same; 0.0 where workers sent the frames


def measure(
    *,
    groups: int,
    capacity: int,
    concurrency: int,
    isolation: str,
    cpu: str = "shared",
    workers: int = 1,
    variant: str = "briscola/2",
    bots: int = 2,
) -> Hosted:
    """Play a round robin with `groups` mirror groups a table between so many random bots."""
    request = TournamentRequest(
        variant=variant,
        bots=[f"random-{number}" for number in range(bots)],
        groups=groups,
        seed="00" * 32,
        cpu=cpu,
        isolation=isolation,
        concurrency=concurrency,
    )
    return asyncio.run(_measure(request, capacity, workers))


async def _measure(request: TournamentRequest, capacity: int, workers: int) -> Hosted:
    with tempfile.TemporaryDirectory(prefix="mazzo-bench-") as folder:
        platform = await Platform.open(Settings(home=Path(folder) / "home"))
        for name in request.bots:
            bundle = rename_bot(Path(folder) / name, name, capacity)
            await platform.bots.submit(pack(bundle), isolation=request.isolation)
        row = await platform.tournaments.create(request)
        with counted_frames() as frames:
            used, start = machine_seconds(), time.perf_counter()
            await platform.tournaments.start(row.id, workers=workers)
            failures = [report.failure async for report in platform.tournaments.watch(row.id)]
            seconds, used = time.perf_counter() - start, machine_seconds() - used
        standing = await platform.tournaments.overview.show(row.id)
        await platform.close(grace=0)
        sent = platform.metrics.registry.get_sample_value("mazzo_frames_sent_total")
    assert not any(failures), failures
    assert standing.standings is not None
    decisions = sum(line.decisions for line in standing.standings.rows)
    assert not any(line.faults for line in standing.standings.rows)
    assert sent
    return Hosted(
        seconds=seconds,
        decisions_per_second=decisions / seconds,
        cpu_seconds=used / decisions,
        frame_decisions=decisions / sent,
        frame_bytes=sum(frames) / max(len(frames), 1),
    )


@contextmanager
def counted_frames() -> Iterator[list[int]]:
    """The sizes, in bytes, of the frames that go out while the context lasts."""
    sizes: list[int] = []
    take_frame = Outbox.take_frame

    def counted(outbox: Outbox) -> bytes | None:
        frame = take_frame(outbox)
        if frame is not None:
            sizes.append(len(frame))
        return frame

    with patch.object(Outbox, "take_frame", counted):
        yield sizes


def rename_bot(folder: Path, name: str, capacity: int) -> Path:
    """The random sample bot under another name."""
    folder.mkdir()
    (folder / "bot.py").write_bytes((_BOT / "bot.py").read_bytes())
    lines = (_BOT / "bot.toml").read_text().splitlines()
    changed = {"name": f'name = "{name}"', "capacity": f"capacity = {capacity}"}
    kept = [changed.get(line.partition("=")[0].strip(), line) for line in lines]
    (folder / "bot.toml").write_text("\n".join(kept) + "\n")
    return folder
