"""What may be done with the tournaments of a store, but to play them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future

from mazzo_server.clock import wall_clock
from mazzo_server.errors import ConflictError, ServerUnavailableError, TooLateError
from mazzo_server.logs import LogAction
from mazzo_server.storage import Store, TournamentRow
from mazzo_server.tournaments.reading import Reader
from mazzo_server.tournaments.stored.exporting import Export
from mazzo_server.tournaments.stored.importing import import_tournament
from mazzo_server.tournaments.stored.packing import pack_lines, unpack_lines
from mazzo_server.tournaments.stored.prune import Pruned, delete_tournament, prune_tournaments

__all__ = ["StoredTournaments"]

_LOG = logging.getLogger(__name__)

_SILENCE = 60.0  # seconds between two chunks of a file that is being imported


class StoredTournaments:
    """The tournaments of a store: pruned, deleted, written to files, taken from them."""

    def __init__(self, store: Store, *, read: Reader, check_open: Callable[[], None]) -> None:
        """Call `check_open` before an import: it raises when nothing new may begin any more."""
        self._store = store
        self._read = read
        self._check_open = check_open
        self._importing = asyncio.Lock()
        self._feed: _Feed | None = None  # of the latest import

    async def close(self) -> None:
        """Give an import up, and wait until nothing of it is left."""
        if self._feed is not None:
            self._feed.close()
        async with self._importing:
            pass

    async def prune(
        self,
        ids: Sequence[int] = (),
        *,
        older_than: float | None = None,
        dry_run: bool = False,
        compact: bool = False,
    ) -> list[Pruned]:
        """Delete the records of tournaments that have been over for so many days; see `prune`."""
        return await self._read(
            prune_tournaments,
            self._store,
            ids=ids,
            older_than=older_than,
            now=wall_clock(),
            dry_run=dry_run,
            compact=compact,
        )

    async def delete(self, tournament: int) -> TournamentRow:
        """Delete a tournament with its matches; see `delete_tournament`."""
        return await self._read(delete_tournament, self._store, tournament)

    async def export(self, tournament: int) -> AsyncIterator[tuple[bytes, int, int]]:
        """Yield a tournament's file in pieces, each with its matches by then and those in all.

        Raises what `Export` raises.
        """
        export = await self._read(Export, self._store, tournament)
        pieces = pack_lines(export.list_lines())
        while (piece := await self._read(next, pieces, None)) is not None:
            yield piece, export.written, export.total

    def check_import(self) -> None:
        """Raise `ConflictError` while a tournament is being imported, which is done one by one."""
        self._check_open()
        if self._importing.locked():
            raise ConflictError("another tournament is being imported: wait for its end")

    async def take(self, chunks: AsyncIterator[bytes]) -> TournamentRow:
        """Take a tournament from its file; see `import_tournament`. One at a time.

        When the caller goes away, or the server is stopped, nothing of it stays.
        """
        self.check_import()
        async with self._importing:
            feed = self._feed = _Feed(chunks, check_open=self._check_open)
            lines = feed.check_lines(unpack_lines(feed.read))
            work = asyncio.create_task(
                asyncio.to_thread(import_tournament, self._store, lines, check=feed.check)
            )
            try:
                row = await asyncio.shield(work)
            except asyncio.CancelledError:
                feed.close()
                await asyncio.gather(work, return_exceptions=True)
                raise
        _LOG.info(
            "tournament %d is imported",
            row.id,
            extra={
                "action": LogAction.TOURNAMENT_IMPORTED,
                "tournament": row.id,
                "matches": row.matches_played,
            },
        )
        return row


class _Feed:
    """Gives the chunks that arrive on the event loop to a thread, each when it is asked for."""

    def __init__(self, chunks: AsyncIterator[bytes], *, check_open: Callable[[], None]) -> None:
        """Call `check_open` before each chunk."""
        self._chunks = chunks
        self._check_open = check_open
        self._loop = asyncio.get_running_loop()
        self._closed = False
        self._waiting: Future[bytes] | None = None

    def read(self) -> bytes:
        """Return the next chunk; b"": there is none. Blocks a thread that is not the loop's."""
        self._check_open()
        self._waiting = asyncio.run_coroutine_threadsafe(self._read(), self._loop)
        return self._waiting.result()

    def check_lines(self, lines: Iterator[str]) -> Iterator[str]:
        """Yield lines that were made of what was read, until it is closed."""
        for line in lines:
            self.check()
            yield line

    def check(self) -> None:
        """Raise `ServerUnavailableError` once it is closed."""
        if self._closed:
            raise ServerUnavailableError("the import was given up: nothing was imported")

    async def _read(self) -> bytes:
        try:
            chunk: bytes | None = b""
            while chunk == b"":  # whose sender waits for more itself
                async with asyncio.timeout(_SILENCE):
                    chunk = await anext(self._chunks, None)
            return chunk or b""
        except TimeoutError as error:
            raise TooLateError(
                f"expected the next part of the file within {_SILENCE:g} s, got nothing"
            ) from error

    def close(self) -> None:
        """Let `read` and `check_lines` raise from now on, in whatever they wait for."""
        self._closed = True
        if self._waiting is not None:
            self._waiting.cancel()
