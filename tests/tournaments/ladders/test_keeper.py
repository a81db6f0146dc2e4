"""What a server does for its ladders beside playing them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from mazzo_server.serving.hosting import Platform
from mazzo_server.settings import Settings
from support.callers import PATIENCE


def test_a_server_that_stops_looks_after_no_ladder(tmp_path: Path) -> None:
    """Bug: each time it stopped, it logged that a ladder cannot be played."""

    async def work() -> None:
        platform = await Platform.open(Settings(home=tmp_path / "home"))
        async with asyncio.timeout(PATIENCE), platform.keep_ladders():
            (keeping,) = [task for task in asyncio.all_tasks() if task.get_name() == "ladders"]
            await platform.drain(grace=0.0)
            await asyncio.wait([keeping])
        await platform.close(grace=0.0)

    asyncio.run(work())
