"""The catalogue of bots: what it keeps, and what it leaves no trace of."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from mazzo_server.bots.bundles.packing import pack
from mazzo_server.errors import (
    ConflictError,
    InvalidInputError,
    IsolationError,
    LimitReachedError,
    PermissionDeniedError,
)
from mazzo_server.model import TrialReport
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore
from support.sample_bots import write_bot
from support.stored_rows import trial_of


def test_nothing_is_kept_of_a_bot_that_is_refused(tmp_path: Path) -> None:
    """Not its files either, or strangers could fill the disk."""
    platform = Platform(Settings(home=tmp_path / "home"), MemoryStore())
    mine, other = (
        pack(write_bot(tmp_path / place, "ann", act=f"return view.legal[{number}]"))
        for number, place in enumerate(("mine", "other"))
    )
    far = pack(write_bot(tmp_path, "far", act="return view.legal[-1]"))

    async def main() -> None:
        await platform.bots.submit(mine, isolation="none", author="alice")
        kept = stored_bundles(tmp_path)
        with pytest.raises(PermissionDeniedError, match="belongs to alice"):
            await platform.bots.submit(other, isolation="none", author="bob")
        await platform.bots.register("far", games=[], capacity=1, writer="")
        with pytest.raises(InvalidInputError, match="'far' is a remote bot"):
            await platform.bots.submit(far, isolation="none")
        assert stored_bundles(tmp_path) == kept

    asyncio.run(main())


def stored_bundles(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "home" / "bundles").iterdir())


def test_a_detached_trial_goes_on_after_the_answer(tmp_path: Path) -> None:
    """It is told how far it is; of one author only a few wait, and a stop waits for them."""
    end = asyncio.Event()
    store = MemoryStore()

    async def play(*_: object, on_progress: Callable[[str], None], **__: object) -> TrialReport:
        on_progress("half of it")
        await end.wait()
        return trial_of()

    platform = Platform(Settings(home=tmp_path / "home"), store, play_trial=play)
    catalogue = platform.bots
    archives = [
        pack(write_bot(tmp_path / str(number), "ann", extra=f"# {number}\n")) for number in range(9)
    ]

    async def main() -> None:
        for archive in archives[:8]:
            await catalogue.submit(archive, isolation="none", author="alice", detached=True)
        told = [doing for _, _, doing in catalogue.trials.list_progress()]
        assert told == ["half of it"] * 4 + ["waits for other trials"] * 4
        with pytest.raises(LimitReachedError, match="at most 8 trials of one author"):
            await catalogue.submit(archives[8], isolation="none", author="alice", detached=True)
        assert len(store.versions("ann")) == 8
        for detached in (True, False):
            again = catalogue.play_trial("ann", None, isolation="none", detached=detached)
            with pytest.raises(ConflictError, match="version 8 is being played"):
                await asyncio.wait_for(again, 10.0)
        assert store.version("ann").trial is None
        asyncio.get_running_loop().call_soon(end.set)
        await platform.drain(grace=60.0)
        assert all(version.trial for version in store.versions("ann"))
        assert catalogue.trials.list_progress() == []

    asyncio.run(main())


def test_calls_that_come_at_once_pass_no_limit_of_detached_trials(tmp_path: Path) -> None:
    """Promise: an author has 8 of them, a version one, whenever the calls arrive."""
    end = asyncio.Event()

    async def play(*_: object, **__: object) -> TrialReport:
        await end.wait()
        return trial_of()

    store = MemoryStore()
    platform = Platform(Settings(home=tmp_path / "home"), store, play_trial=play)
    catalogue = platform.bots
    archives = [pack(write_bot(tmp_path, f"b{number}")) for number in range(12)]

    async def main() -> None:
        told = await asyncio.gather(
            *(
                catalogue.submit(archive, isolation="none", author="alice", detached=True)
                for archive in archives
            ),
            return_exceptions=True,
        )
        assert sum(isinstance(one, LimitReachedError) for one in told) == 4, told
        assert len(store.bots()) == len(catalogue.trials.list_progress()) == 8
        await finish()
        for _ in range(2):  # and the places are free again
            end.clear()
            name = store.bots()[0].name
            told = await asyncio.gather(
                *(
                    catalogue.play_trial(
                        name, None, isolation="none", author="alice", detached=True
                    )
                    for _ in range(4)
                ),
                return_exceptions=True,
            )
            assert sum(isinstance(one, ConflictError) for one in told) == 3, told
            await finish()

    async def finish() -> None:
        end.set()
        while catalogue.submissions:
            await asyncio.gather(*catalogue.submissions)

    asyncio.run(main())


def test_a_detached_trial_that_the_platform_breaks_off_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """As nobody waits for it; its version has no trial, and may be tried again."""

    async def play(*_: object, **__: object) -> TrialReport:
        raise IsolationError("no sandbox")

    store = MemoryStore()
    platform = Platform(Settings(home=tmp_path / "home"), store, play_trial=play)

    async def main() -> None:
        archive = pack(write_bot(tmp_path, "ann"))
        await platform.bots.submit(archive, isolation="none", author="alice", detached=True)
        await platform.drain(grace=60.0)

    asyncio.run(main())
    assert "the trial of ann version 1 is broken off: no sandbox" in caplog.text
    assert store.version("ann").trial is None
