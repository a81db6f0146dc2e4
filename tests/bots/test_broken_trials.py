"""Trials that were broken off, such as by a server that was killed: the next one plays them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from mazzo_server.bots.broken_trials import list_broken, play_broken_trials
from mazzo_server.bots.bundles.packing import pack
from mazzo_server.model import TrialReport
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore
from support.remote_bots import until
from support.sample_bots import write_bot
from support.stored_rows import trial_of


def test_a_trial_that_was_broken_off_is_played_and_no_other(tmp_path: Path) -> None:
    """Not one of a retired or a remote bot, nor one that has a report by then."""
    store = MemoryStore()
    tried: list[str] = []
    breaks = True

    async def play(spec: object, *_: object, **__: object) -> TrialReport:
        if breaks:
            raise asyncio.CancelledError
        tried.append(str(spec))
        return trial_of()

    platform = Platform(Settings(home=tmp_path / "home"), store, play_trial=play)

    async def submit(name: str) -> None:
        try:
            await platform.bots.submit(pack(write_bot(tmp_path, name)), isolation="none")
        except asyncio.CancelledError:
            assert breaks

    async def main() -> None:
        nonlocal breaks
        for name in ("ann", "bob", "cleo", "dora"):
            await submit(name)
        await platform.bots.retire("bob")
        await platform.bots.register("far", games=[], capacity=1, writer="")
        assert [version.bot for version in list_broken(store)] == ["ann", "cleo", "dora"]
        breaks = False
        async with play_broken_trials(platform.bots, store, isolation="none", wait_seconds=0.2):
            await asyncio.sleep(0)
            await platform.bots.play_trial("cleo", 1, isolation="none")  # meanwhile
            await until(lambda: not list_broken(store))
        assert len(tried) == 3
        assert store.version("ann", 1).trial == trial_of()

    asyncio.run(main())


def test_one_that_cannot_be_played_holds_up_no_other(tmp_path: Path) -> None:
    store = MemoryStore()

    async def play(spec: object, *_: object, **__: object) -> TrialReport:
        raise asyncio.CancelledError

    platform = Platform(Settings(home=tmp_path / "home"), store, play_trial=play)
    again = Platform(Settings(home=tmp_path / "home"), store, play_trial=_fail_first(trial_of()))

    async def main() -> None:
        for name in ("ann", "bob"):
            try:
                await platform.bots.submit(pack(write_bot(tmp_path, name)), isolation="none")
            except asyncio.CancelledError:
                continue
        playing = play_broken_trials(again.bots, store, isolation="none", wait_seconds=0.0)
        async with playing:
            await until(lambda: store.version("bob", 1).trial is not None)
        assert [version.bot for version in list_broken(store)] == ["ann"]

    asyncio.run(main())


def _fail_first(report: TrialReport):  # type: ignore[no-untyped-def]
    failed: list[bool] = []

    async def play(*_: object, **__: object) -> TrialReport:
        if not failed:
            failed.append(True)
            raise RuntimeError("the platform's fault")
        return report

    return play
