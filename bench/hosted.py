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

_THINK = """

def _think(seconds):
    import time

    begin = time.process_time()
    while time.process_time() - begin < seconds:
        pass
"""
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
    first_whole_seconds: float  # until the first mirror group was complete


def measure(
    *,
    groups: int,
    capacity: int,
    isolation: str,
    concurrency: int = 0,
    cpu: str = "shared",
    workers: int = 1,
    variant: str = "briscola/2",
    bots: int = 2,
    think: float = 0.0,
) -> Hosted:
    """Play a round robin with `groups` mirror groups a table between so many random bots.

    Each thinks for so many seconds of a processor about every decision.
    """
    request = TournamentRequest(
        variant=variant,
        bots=[f"random-{number}" for number in range(bots)],
        groups=groups,
        seed="00" * 32,
        cpu=cpu,
        isolation=isolation,
        concurrency=concurrency,
    )
    return asyncio.run(_measure(request, capacity, workers, think))


async def _measure(request: TournamentRequest, capacity: int, workers: int, think: float) -> Hosted:
    with tempfile.TemporaryDirectory(prefix="mazzo-bench-") as folder:
        platform = await Platform.open(Settings(home=Path(folder) / "home"))
        for name in request.bots:
            bundle = rename_bot(Path(folder) / name, name, capacity, think=think)
            await platform.bots.submit(pack(bundle), isolation=request.isolation)
        row = await platform.tournaments.create(request)
        with counted_frames() as frames:
            used, start = machine_seconds(), time.perf_counter()
            await platform.tournaments.start(row.id, workers=workers)
            failure, first_whole = None, 0.0
            async for report in platform.tournaments.watch(row.id):
                failure = failure or report.failure
                if report.deals_played and not first_whole:
                    first_whole = time.perf_counter() - start
            seconds, used = time.perf_counter() - start, machine_seconds() - used
        standing = await platform.tournaments.overview.show(row.id)
        await platform.close(grace=0)
        sent = platform.metrics.registry.get_sample_value("mazzo_frames_sent_total")
    assert failure is None, failure
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
        first_whole_seconds=first_whole or seconds,
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


def rename_bot(folder: Path, name: str, capacity: int, *, think: float = 0.0) -> Path:
    """The random sample bot under another name, which thinks for so many seconds."""
    folder.mkdir()
    code = (_BOT / "bot.py").read_text()
    if think:
        code = code.replace("        return ", f"        _think({think})\n        return ", 1)
        code = code.replace("\n\nclass", f"{_THINK}\n\nclass", 1)
    (folder / "bot.py").write_text(code)
    lines = (_BOT / "bot.toml").read_text().splitlines()
    changed = {"name": f'name = "{name}"', "capacity": f"capacity = {capacity}"}
    kept = [changed.get(line.partition("=")[0].strip(), line) for line in lines]
    (folder / "bot.toml").write_text("\n".join(kept) + "\n")
    return folder
