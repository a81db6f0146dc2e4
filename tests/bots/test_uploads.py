"""Uploads: a few at a time, each in a file, none for ever, and nothing is left of any."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from mazzo_server.bots.bundles import BundleStore
from mazzo_server.bots.uploads import Upload, Uploads
from mazzo_server.errors import BundleError, FullDiskError, LimitReachedError, TooLateError
from mazzo_server.model import BotLimits, CallLimits
from support.archives import FILES, KNOWN, on_disk, zipped

PATIENCE = 60.0  # seconds, the longest wait for anything
LIMITS = CallLimits(uploads=3, uploads_of_author=2)


@pytest.fixture
def bundles(tmp_path: Path) -> BundleStore:
    return BundleStore(tmp_path / "store", known_games=KNOWN)


async def give(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


def fill(upload: Upload, *parts: bytes) -> None:
    asyncio.run(upload.write(give(*parts)))


def test_an_upload_becomes_a_bundle_without_being_held_in_memory(
    bundles: BundleStore, tmp_path: Path
) -> None:
    """In parts of any size; its file has no name, so that no kill can leave it behind."""
    archive = zipped(FILES)
    with Uploads(bundles, LIMITS).open("alice") as upload:
        fill(upload, b"", archive[:1], archive[1:40], archive[40:])
        assert on_disk(tmp_path / "store") == []
        assert os.stat(tmp_path / "store").st_dev == os.fstat(upload.file.fileno()).st_dev
        kept = bundles.add(upload.file)
    assert kept == bundles.add(archive)
    assert upload.file.closed


def test_only_a_few_uploads_have_a_place(bundles: BundleStore) -> None:
    """Of one author, and of all; who is refused hears when to try again, and takes no place."""
    uploads = Uploads(bundles, LIMITS)
    with ExitStack() as held:
        first = held.enter_context(uploads.open("alice"))
        held.enter_context(uploads.open("alice"))
        with pytest.raises(LimitReachedError, match="at most 2 uploads of one author") as refused:
            held.enter_context(uploads.open("alice"))
        assert refused.value.retry_seconds > 0
        held.enter_context(uploads.open("bob"))
        for author in ("carol", ""):
            with pytest.raises(LimitReachedError, match="at most 3 uploads at a time"):
                held.enter_context(uploads.open(author))
        first.close()  # it is stored: its trial needs no place
        first.close()
        held.enter_context(uploads.open("alice"))
        with pytest.raises(LimitReachedError):
            held.enter_context(uploads.open("carol"))
    with ExitStack() as held:
        for _ in range(LIMITS.uploads):  # the organiser has no limit alone
            held.enter_context(uploads.open(""))


def test_a_failed_upload_gives_its_place_back(bundles: BundleStore) -> None:
    """However it failed."""
    bundles.limits = BotLimits(bundle_mib=1)
    uploads = Uploads(bundles, LIMITS)
    for _ in range(LIMITS.uploads + 1):
        with pytest.raises(BundleError, match="at most 1 MiB"), uploads.open("bob") as upload:
            fill(upload, bytes(2**20), b"x")
    bundles.root.rmdir()
    bundles.root.write_text("no folder")
    for _ in range(LIMITS.uploads + 1):
        with pytest.raises(Exception, match="cannot keep the bundle"), uploads.open("bob"):
            pass
    bundles.root.unlink()
    with uploads.open("bob"), uploads.open("bob"):
        pass


@pytest.mark.parametrize(
    ("seconds", "silence", "told"),
    [
        (PATIENCE, 0.01, "the next part of the archive within 0.01 s, got nothing after 2 bytes"),
        (0.01, PATIENCE, "the whole archive within 0.01 s, got 2 bytes by then"),
    ],
)
def test_an_upload_that_stalls_is_ended(
    bundles: BundleStore, seconds: float, silence: float, told: str
) -> None:
    """Between two parts, and in all: a place is not held for ever."""

    async def stall() -> AsyncIterator[bytes]:
        yield b"PK"
        await asyncio.Event().wait()

    uploads = Uploads(bundles, LIMITS, seconds=seconds, silence=silence)

    async def main() -> None:
        with uploads.open("alice") as upload:
            async with asyncio.timeout(PATIENCE):
                await upload.write(stall())

    with pytest.raises(TooLateError, match=told):
        asyncio.run(main())


def test_a_full_disk_is_told_and_nothing_is_left(
    bundles: BundleStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In words for the author: where it lies is the organiser's business."""
    uploads = Uploads(bundles, LIMITS)
    with Path("/dev/full").open("wb", buffering=0) as full:
        monkeypatch.setattr(bundles, "open_spool", lambda: full)
        with pytest.raises(FullDiskError, match="disk is full") as told, uploads.open("") as upload:
            fill(upload, b"PK")
    assert str(tmp_path) not in str(told.value)
    assert on_disk(tmp_path) == []
    assert isinstance(told.value.__cause__, OSError)
    assert told.value.__cause__.errno == errno.ENOSPC
