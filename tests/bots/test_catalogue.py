"""The catalogue of bots: what it keeps, and what it leaves no trace of."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from mazzo_server.bots.bundles.packing import pack
from mazzo_server.errors import InvalidInputError, PermissionDeniedError
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore
from support.sample_bots import write_bot


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
