"""A file goes out and comes in piece by piece, and nothing is left of one that broke off."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, TypeVar

import pytest

from mazzo_server.errors import (
    ConflictError,
    InvalidInputError,
    ServerUnavailableError,
    TooLateError,
)
from mazzo_server.storage import MemoryStore, Store
from mazzo_server.tournaments.stored import StoredTournaments, matches, stored_tournaments
from mazzo_server.tournaments.stored.packing import pack_lines
from support.manual_tournaments import definition_of
from tournaments.stored.test_files import check_same, export, play_through

PATIENCE = 60.0  # seconds

_Value = TypeVar("_Value")


async def in_thread(read: Callable[..., _Value], *arguments: Any, **named: Any) -> _Value:
    return await asyncio.to_thread(read, *arguments, **named)


def stored_in(store: Store, check_open: Callable[[], None] = lambda: None) -> StoredTournaments:
    return StoredTournaments(store, read=in_thread, check_open=check_open)


def run(body: Coroutine[Any, Any, None]) -> None:
    async def main() -> None:
        async with asyncio.timeout(PATIENCE):
            await body

    asyncio.run(main())


@pytest.fixture(scope="module")
def played() -> MemoryStore:
    """A store with a tournament of so many matches that zstd packs them bit by bit."""
    return play_through(definition_of(groups=12))


@pytest.fixture(scope="module")
def packed(played: MemoryStore) -> bytes:
    return b"".join(pack_lines(export(played)))


async def in_pieces(data: bytes, size: int = 1000) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield b""  # a client may send nothing for once
        yield data[start : start + size]


async def stalled(data: bytes) -> AsyncIterator[bytes]:
    """A client that goes silent in the middle."""
    async for piece in in_pieces(data[: len(data) // 2]):
        yield piece
    await asyncio.Event().wait()


def test_a_file_comes_through_in_pieces(
    played: MemoryStore, packed: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the matches that are written by then, so that a bar can tell how far it is."""
    monkeypatch.setattr("mazzo_server.tournaments.stored.packing._PIECE", 2000)
    other = MemoryStore()

    async def body() -> None:
        pieces = [piece async for piece in stored_in(played).export(1)]
        written = [so_far for _, so_far, _ in pieces]
        assert len(pieces) > 1
        assert written == sorted(written)
        assert written[-1] == 72
        assert {total for *_, total in pieces} == {72}
        row = await stored_in(other).take(in_pieces(b"".join(piece for piece, *_ in pieces)))
        assert row == other.tournament(1)

    run(body())
    check_same(played, other)


def test_whoever_goes_away_leaves_nothing(packed: bytes) -> None:
    """While the import waits for what comes next."""
    store = MemoryStore()

    async def body() -> None:
        task = asyncio.create_task(stored_in(store).take(stalled(packed)))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(body())
    assert store.tournaments() == []
    assert store.bots() == []


def test_whoever_falls_silent_is_not_waited_for(
    packed: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For nobody else could import anything meanwhile."""
    monkeypatch.setattr(stored_tournaments, "_SILENCE", 0.2)
    store = MemoryStore()

    async def body() -> None:
        stored = stored_in(store)
        with pytest.raises(TooLateError, match="expected the next part of the file within"):
            await stored.take(stalled(packed))
        assert store.tournaments() == []
        await stored.take(in_pieces(packed))

    run(body())
    assert len(store.tournaments()) == 1


def test_one_is_imported_at_a_time(packed: bytes) -> None:
    store = MemoryStore()

    async def body() -> None:
        stored = stored_in(store)
        task = asyncio.create_task(stored.take(stalled(packed)))
        await asyncio.sleep(0.2)
        with pytest.raises(ConflictError, match="another tournament is being imported"):
            await stored.take(in_pieces(packed))
        task.cancel()
        await asyncio.wait([task])
        with pytest.raises(InvalidInputError, match="nothing was imported"):
            await stored.take(in_pieces(packed[:-100]))
        await stored.take(in_pieces(packed))

    run(body())
    assert len(store.tournaments()) == 1


def test_what_has_arrived_is_given_up_too(packed: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread may have all of the file, and much to check."""
    checked = threading.Event()
    real = matches.MatchLine.from_json

    def check_slowly(value: Any) -> Any:
        checked.set()
        time.sleep(0.02)
        return real(value)

    monkeypatch.setattr(matches.MatchLine, "from_json", check_slowly)
    store = MemoryStore()

    async def body() -> None:
        for ends_by in ("caller", "platform"):
            stored = stored_in(store)
            checked.clear()
            task = asyncio.create_task(stored.take(in_pieces(packed, 10**6)))
            await asyncio.to_thread(checked.wait)
            if ends_by == "caller":
                task.cancel()
            else:
                await stored.close()
                assert store.tournaments() == []
            await asyncio.wait([task])
            assert task.cancelled() or isinstance(task.exception(), ServerUnavailableError)
            assert store.tournaments() == []

    run(body())


def test_a_server_that_stops_takes_no_more(packed: bytes) -> None:
    """And leaves nothing of what it had taken."""
    store, calls = MemoryStore(), [0]

    def check_open() -> None:
        calls[0] += 1
        if calls[0] > 3:
            raise ServerUnavailableError("the server is stopping")

    async def body() -> None:
        with pytest.raises(ServerUnavailableError):
            await stored_in(store, check_open).take(in_pieces(packed))

    run(body())
    assert store.tournaments() == []
