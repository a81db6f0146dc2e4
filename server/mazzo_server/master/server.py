"""The platform behind a socket: services for people, health and reflection."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import grpc
from filelock import FileLock, Timeout
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1._async import HealthServicer
from grpc_reflection.v1alpha import reflection

from mazzo.v1 import (
    bot_pb2,
    bot_pb2_grpc,
    ranking_pb2,
    ranking_pb2_grpc,
    replay_pb2,
    replay_pb2_grpc,
    tournament_pb2,
    tournament_pb2_grpc,
)
from mazzo_server.errors import ConflictError, InvalidInputError, PlatformError
from mazzo_server.master.replay_service import ReplayService
from mazzo_server.master.requests import RequestCounter
from mazzo_server.master.services import BotService, RankingService, TournamentService
from mazzo_server.platform import Platform
from mazzo_server.settings import Settings

__all__ = ["CHANNEL_OPTIONS", "embedded", "serve"]

CHANNEL_OPTIONS = (
    ("grpc.enable_http_proxy", 0),
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
)
_SERVER_OPTIONS = (
    ("grpc.max_receive_message_length", 4 * 1024 * 1024),
    ("grpc.so_reuseport", 0),
)
_SERVICES = (
    bot_pb2.DESCRIPTOR.services_by_name["BotService"].full_name,
    tournament_pb2.DESCRIPTOR.services_by_name["TournamentService"].full_name,
    ranking_pb2.DESCRIPTOR.services_by_name["RankingService"].full_name,
    replay_pb2.DESCRIPTOR.services_by_name["ReplayService"].full_name,
)
_UNIX = "unix:"
_LAST_PORT = 65_535
_LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")
_EMBEDDED_GRACE = 1.0  # seconds for the current matches when a command is interrupted


def _check_address(address: str) -> None:
    """Only this machine: there is no access control yet that could stand before a network."""
    host, _, port = address.rpartition(":")
    if address.startswith(_UNIX) and address != _UNIX:
        return
    if host in _LOCAL_HOSTS and re.fullmatch("[0-9]{1,5}", port) and int(port) <= _LAST_PORT:
        return
    raise InvalidInputError(
        "listen: expected unix:PATH or an address of this machine such as 127.0.0.1:7777, "
        f"got {address!r}"
    )


def _claim(address: str) -> FileLock:
    """A lock on a Unix socket, for gRPC takes away one that another server listens at."""
    path = Path(address.removeprefix(_UNIX))
    if not path.parent.is_dir():  # a lock would make it
        raise PlatformError(f"cannot listen at {address}: there is no folder {path.parent}")
    lock = FileLock(f"{path}.lock", mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise ConflictError(f"cannot listen at {address}: another server does") from error
    except OSError as error:
        raise PlatformError(f"cannot listen at {address}: {error}") from error
    return lock


async def _retire(platform: Platform, health: HealthServicer) -> None:
    """Say that nothing new is served as soon as that is so."""
    await platform.draining.wait()
    await health.enter_graceful_shutdown()


@asynccontextmanager
async def serve(
    platform: Platform, addresses: list[str], *, isolation: str
) -> AsyncIterator[list[str]]:
    """Serve a platform while the context lasts; yields where it listens.

    Port 0 picks a free port. Raises `InvalidInputError` for an address that is not of this
    machine and `PlatformError` for one that cannot be had.
    """
    for address in addresses:
        _check_address(address)
    server = grpc.aio.server(
        options=_SERVER_OPTIONS,
        interceptors=(RequestCounter(platform.metrics),),  # outermost: it sees what others refuse
    )
    bot_pb2_grpc.add_BotServiceServicer_to_server(BotService(platform, isolation=isolation), server)
    tournament_pb2_grpc.add_TournamentServiceServicer_to_server(
        TournamentService(platform, isolation=isolation), server
    )
    ranking_pb2_grpc.add_RankingServiceServicer_to_server(RankingService(platform), server)
    replay_pb2_grpc.add_ReplayServiceServicer_to_server(ReplayService(platform), server)
    health = HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(health, server)
    reflection.enable_server_reflection(
        (
            *_SERVICES,
            health_pb2.DESCRIPTOR.services_by_name["Health"].full_name,
            reflection.SERVICE_NAME,
        ),
        server,
    )
    with ExitStack() as claims:
        listening = []
        for address in addresses:
            if address.startswith(_UNIX):
                claims.callback(_claim(address).release)
            try:
                port = server.add_insecure_port(address)
            except RuntimeError as error:
                raise PlatformError(f"cannot listen at {address}: {error}") from error
            host = address.rpartition(":")[0]
            listening.append(address if address.startswith(_UNIX) else f"{host}:{port}")
        await server.start()
        for name in ("", *_SERVICES):
            await health.set(name, health_pb2.HealthCheckResponse.SERVING)
        retiring = asyncio.create_task(_retire(platform, health))
        try:
            yield listening
        finally:
            retiring.cancel()
            await health.enter_graceful_shutdown()
            await server.stop(grace=0.5)


@asynccontextmanager
async def embedded(settings: Settings, *, isolation: str) -> AsyncIterator[str]:
    """A platform of this process alone, behind a socket of its own; yields its address."""
    platform = await Platform.open(settings)
    try:
        with tempfile.TemporaryDirectory(prefix="mazzo-") as folder:
            address = f"unix:{Path(folder) / 's'}"
            async with serve(platform, [address], isolation=isolation):
                yield address
    finally:
        await platform.close(grace=_EMBEDDED_GRACE)
