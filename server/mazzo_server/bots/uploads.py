"""Archives on their way from an author: a few at a time, each in a file, none for ever."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

from mazzo_server.bots.bundles import BundleStore
from mazzo_server.errors import BundleError, LimitReachedError, TooLateError
from mazzo_server.model import CallLimits

__all__ = ["Upload", "Uploads"]

_SECONDS = 600.0  # for a whole upload
_SECONDS_OF_MIB = 12.5  # or so many for each that it may have: two thirds of a megabit a second
_SILENCE = 30.0  # seconds between two parts
_RETRY_SECONDS = 2.0  # until a place may be free


class Uploads:
    """Gives places to uploads, and files to write them to."""

    def __init__(
        self,
        bundles: BundleStore,
        limits: CallLimits,
        *,
        seconds: float | None = None,
        silence: float = _SILENCE,
        retry_seconds: float = _RETRY_SECONDS,
    ) -> None:
        """An upload may take so many `seconds`, and `silence` seconds between two of its parts.

        Without `seconds` it may take as long as the largest one does over a slow line.
        """
        if seconds is None:
            seconds = max(_SECONDS, _SECONDS_OF_MIB * bundles.limits.bundle_mib)
        self._retry_seconds = retry_seconds
        self._bundles = bundles
        self._limits = limits
        self._seconds = seconds
        self._silence = silence
        self._authors: Counter[str] = Counter()  # uploads that have a place, by author

    @property
    def receiving(self) -> int:
        """How many uploads have a place."""
        return self._authors.total()

    @contextmanager
    def open(self, author: str) -> Iterator[Upload]:
        """Give an upload its place, and a file that is gone when the context ends.

        Raises `LimitReachedError` when the author ("" is the organiser, who has no limit alone) or
        all authors together have too many, and `StoreError`.
        """
        self._take_place(author)
        try:
            upload = Upload(
                self._bundles.open_spool(),
                self._bundles,
                seconds=self._seconds,
                silence=self._silence,
                most_bytes=self._bundles.limits.archive_bytes,
                on_close=lambda: self._give_place(author),
            )
        except BaseException:
            self._give_place(author)
            raise
        try:
            yield upload
        finally:
            upload.close()

    def _take_place(self, author: str) -> None:
        own, most = self._authors[author], self._limits.uploads_of_author
        if author and own >= most:
            raise LimitReachedError(
                f"expected at most {most} uploads of one author at a time, got one more: wait for "
                "the others to arrive",
                retry_seconds=self._retry_seconds,
            )
        if self.receiving >= self._limits.uploads:
            raise LimitReachedError(
                f"expected at most {self._limits.uploads} uploads at a time at this server, got "
                f"one more: try again in {self._retry_seconds:g} s",
                retry_seconds=self._retry_seconds,
            )
        self._authors[author] += 1

    def _give_place(self, author: str) -> None:
        self._authors[author] -= 1
        if not self._authors[author]:
            del self._authors[author]


class Upload:
    """One upload: its place, and the file with the bytes that have arrived."""

    def __init__(
        self,
        file: BinaryIO,
        bundles: BundleStore,
        *,
        seconds: float,
        silence: float,
        most_bytes: int,
        on_close: Callable[[], None],
    ) -> None:
        self.file = file
        self.most_bytes = most_bytes
        self._bundles = bundles
        self._seconds = seconds
        self._silence = silence
        self._on_close = on_close
        self._size = 0

    async def write(self, parts: AsyncIterator[bytes]) -> None:
        """Write all parts to the file, each before the next one is read.

        Raises `TooLateError`, `BundleError` for too many bytes, `StoreError` and whatever `parts`
        raises.
        """
        try:
            async with asyncio.timeout(self._seconds):
                while (part := await self._read(parts)) is not None:
                    self._size += len(part)
                    if self._size > self.most_bytes:
                        raise BundleError(
                            f"expected an archive of at most {self.most_bytes // 2**20} MiB, got "
                            "more; leave out what the bot does not need"
                        )
                    await asyncio.to_thread(self._append, part)
        except TimeoutError as error:
            raise TooLateError(
                f"expected the whole archive within {self._seconds:g} s, got {self._size:,} bytes "
                "by then: submit it again over a faster line, or make it smaller"
            ) from error

    async def _read(self, parts: AsyncIterator[bytes]) -> bytes | None:
        """Return the next part; None: there is none."""
        try:
            async with asyncio.timeout(self._silence):
                return await anext(parts, None)
        except TimeoutError as error:
            raise TooLateError(
                f"expected the next part of the archive within {self._silence:g} s, got nothing "
                f"after {self._size:,} bytes: submit it again"
            ) from error

    def _append(self, part: bytes) -> None:
        left = memoryview(part)
        try:
            while left:
                left = left[self.file.write(left) :]
        except OSError as error:
            raise self._bundles.make_unwritable_error(error) from error

    def close(self) -> None:
        """Remove the file and free the place, if that was not done before."""
        if not self.file.closed:
            self.file.close()
            self._on_close()
