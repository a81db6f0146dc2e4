"""A platform with sample bots at whose tables scripted people play."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from random import Random

import grpc

from mazzo.channel import open_channel
from mazzo.v1 import play_pb2, replay_pb2, replay_pb2_grpc, table_pb2, table_pb2_grpc
from mazzo_server.model import CallLimits
from mazzo_server.serving.grpc import serve_platform
from mazzo_server.serving.hosting import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import Store, open_store
from support.command import Home
from support.remote_bots import Raw, answers, nth

__all__ = ["Seat", "TableServer", "play_on", "run_every_kind"]

PATIENCE = 60.0  # seconds


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat at a table, for who has its key."""

    table: str
    key: str
    invitation: str


@dataclass(slots=True)
class TableServer:
    """A platform behind a port, and what a person asks it."""

    platform: Platform
    store: Store
    channel: grpc.aio.Channel
    tables: table_pb2_grpc.TableServiceStub

    async def create(self, variant: str, *bots: str, name: str = "Ann", **options: str) -> Seat:
        """Open a table."""
        request = table_pb2.CreateTableRequest(variant=variant, bots=bots, name=name, **options)
        answer = await self.tables.CreateTable(request)
        return Seat(answer.table.id, answer.seat_key, answer.invitation)

    async def join(self, seat: Seat, name: str) -> Seat:
        """Join with the invitation of another."""
        request = table_pb2.JoinTableRequest(id=seat.table, invitation=seat.invitation, name=name)
        answer = await self.tables.JoinTable(request)
        return Seat(seat.table, answer.seat_key, seat.invitation)

    async def leave(self, seat: Seat) -> None:
        await self.tables.LeaveTable(table_pb2.LeaveTableRequest(), metadata=show(seat))

    async def look(self, seat: Seat) -> table_pb2.Table:
        request = table_pb2.GetTableRequest(id=seat.table)
        answer = await self.tables.GetTable(request, metadata=show(seat))
        table: table_pb2.Table = answer.table
        return table

    async def open(self, seat: Seat, previous: str = "") -> str:
        """A session token."""
        request = table_pb2.OpenSeatRequest(previous=previous)
        answer = await self.tables.OpenSeat(request, metadata=show(seat))
        token: str = answer.session_token
        return token

    async def dial(self, seat: Seat, previous: str = "") -> tuple[Raw, str]:
        """A stream that has joined, and its session token."""
        token = await self.open(seat, previous)
        raw = Raw(self.channel, token)
        await raw.join()
        return raw, token

    async def read_record(self, tournament: int) -> list[str]:
        """The record of the match, in pieces."""
        request = replay_pb2.GetMatchRequest(tournament=tournament, notes=True)
        stub = replay_pb2_grpc.ReplayServiceStub(self.channel)
        pieces = [piece async for piece in stub.GetMatch(request)]
        assert all(piece.verified for piece in pieces)
        return [piece.text for piece in pieces]

    async def find_match(self, tournament: int) -> replay_pb2.FoundMatch:
        """The match of a table, as a search finds it."""
        request = replay_pb2.FindMatchesRequest(tournament=tournament)
        stub = replay_pb2_grpc.ReplayServiceStub(self.channel)
        (found,) = (await stub.FindMatches(request)).matches
        assert isinstance(found, replay_pb2.FoundMatch)
        return found

    async def wait_until_over(self, seat: Seat) -> table_pb2.Table:
        while True:
            table = await self.look(seat)
            if table.state in (table_pb2.TABLE_STATE_FINISHED, table_pb2.TABLE_STATE_CANCELLED):
                return table
            await asyncio.sleep(0.02)


def show(seat: Seat) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {seat.key}"),)


async def play_on(
    raw: Raw, *, decisions: int | None = None, is_begun: bool = False
) -> list[play_pb2.Frame]:
    """Choose at random to the goodbye, or until so many decisions are taken; return the frames."""
    random, taken, frames = Random(1), 0, list[play_pb2.Frame]()
    if not is_begun:
        await raw.read("welcome")
    while decisions is None or taken < decisions:
        frame = await raw.read("frame", until="goodbye")
        if frame is None:
            break
        frames.append(frame)
        for decision in frame.decisions:
            await answers(raw, nth(decision, random.randrange(1000)))
            taken += 1
    return frames


def run_every_kind(
    home: Home,
    body: Callable[[TableServer], Awaitable[None]],
    *,
    limits: CallLimits | None = None,
) -> None:
    """Run a body with the platform of a home with the sample bots."""

    async def main() -> None:
        async with asyncio.timeout(PATIENCE), open_tables(home, limits=limits) as server:
            await body(server)

    asyncio.run(main())


@asynccontextmanager
async def open_tables(home: Home, *, limits: CallLimits | None) -> AsyncIterator[TableServer]:
    settings = Settings(home=home.path)
    store = open_store(settings.store)
    platform = Platform(settings, store, limits=limits)
    try:
        serving = serve_platform(platform, [f"unix:{home.path / 't'}"], isolation="none")
        async with serving as (address,), open_channel(address) as channel:
            stub = table_pb2_grpc.TableServiceStub(channel)
            yield TableServer(platform, store, channel, stub)
    finally:
        await platform.close(grace=0.0)
