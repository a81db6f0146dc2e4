"""What comes of a trial is stored and told at once."""

from __future__ import annotations

import asyncio
from pathlib import Path

from mazzo_server.bots.bundles.packing import pack
from mazzo_server.model import TrialReport
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import (
    HookFormat,
    HookRow,
    MemoryStore,
    TrialFailed,
    TrialPassed,
    list_event_kinds,
)
from support.sample_bots import write_bot
from support.stored_rows import trial_of


def test_hooks_are_told_what_came_of_a_trial(tmp_path: Path) -> None:
    """Passed, or failed with what the version may enter all the same."""
    reports = [trial_of(qualified=("briscola/2",)), trial_of(passed=False)]
    store = MemoryStore()
    hook = HookRow(
        id="aaaa",
        url="https://club.example/",
        events=list_event_kinds(),
        format=HookFormat.JSON,
        secret="",
        label="",
        create_time=0.0,
    )
    store.add_hook(hook)

    async def play(*_: object, **__: object) -> TrialReport:
        return reports.pop(0)

    platform = Platform(Settings(home=tmp_path / "home"), store, play_trial=play)

    async def main() -> None:
        for number in range(2):
            archive = pack(write_bot(tmp_path / str(number), "ann", extra=f"# {number}\n"))
            await platform.bots.submit(archive, isolation="none", author="alice")

    asyncio.run(main())
    told = []
    while deliveries := store.deliveries():
        told.append(deliveries[0].announcement.event)
        store.finish_delivery("aaaa", deliveries[0].number, time=1.0)
    assert told == [
        TrialPassed(bot="ann", version=1, qualified=("briscola/2",)),
        TrialFailed(bot="ann", version=2, qualified=()),
    ]
