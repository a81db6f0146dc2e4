"""The platform behind sockets: services for people, health and reflection.

There are two servers. Behind a Unix socket, whose file only its owner can open, everybody is
the organiser: who can open it could change the store itself. Behind a port callers need
tokens.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1._async import HealthServicer

from mazzo.channel import pings
from mazzo.v1 import (
    auth_pb2,
    auth_pb2_grpc,
    bot_pb2,
    bot_pb2_grpc,
    play_pb2,
    ranking_pb2,
    ranking_pb2_grpc,
    replay_pb2,
    replay_pb2_grpc,
    tournament_pb2,
    tournament_pb2_grpc,
)
from mazzo_server.errors import PlatformError
from mazzo_server.model import CallLimits
from mazzo_server.play.instances import MOST_MESSAGE, UNCOMPRESSED, UNLIMITED_PINGS
from mazzo_server.sandbox import ScratchFolder
from mazzo_server.serving.grpc.access import Gate
from mazzo_server.serving.grpc.auth import AuthService
from mazzo_server.serving.grpc.bots import BotService
from mazzo_server.serving.grpc.counting import RequestCounter
from mazzo_server.serving.grpc.limits import LimitGate
from mazzo_server.serving.grpc.play import make_play_handler
from mazzo_server.serving.grpc.rankings import RankingService
from mazzo_server.serving.grpc.reflection import add_reflection
from mazzo_server.serving.grpc.replays import ReplayService
from mazzo_server.serving.grpc.statuses import ErrorStatuses, RefusalLog, UnknownMethods
from mazzo_server.serving.grpc.tournaments import TournamentService
from mazzo_server.serving.listening import (
    UNIX,
    TlsFiles,
    check_addresses,
    explain_bind_failure,
    lock_socket,
    restrict_to_owner,
)
from mazzo_server.serving.platform import Platform
from mazzo_server.settings import Settings

__all__ = ["open_embedded", "serve_platform"]

_OPTIONS = (
    # More than a bot may send: a bot that sends too much forfeits, and reads why. gRPC would only
    # end its stream. Uploads come in parts.
    ("grpc.max_receive_message_length", 2 * MOST_MESSAGE),
    # What a client may send before it is read, of each stream. gRPC would measure the line and
    # raise it by megabytes: 40 uploads took 242 MiB.
    ("grpc.http2.bdp_probe", 0),
    ("grpc.http2.lookahead_bytes", 16 * 1024),
    ("grpc.so_reuseport", 0),
    # Nobody may send what grows when it is unpacked: uploads are archives, and frames are small.
    ("grpc.compression_enabled_algorithms_bitset", UNCOMPRESSED),
    UNLIMITED_PINGS,
)
_PORT_OPTIONS = (
    *_OPTIONS,
    ("grpc.max_metadata_size", 8 * 1024),
    ("grpc.absolute_max_metadata_size", 16 * 1024),
    ("grpc.max_concurrent_streams", 128),  # of one connection
    ("grpc.server_handshake_timeout_ms", 20_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
)
# Pings keep a connection alive in routers that forget silent ones, and find dead peers: a remote
# bot soon enough for it to come back within the usual grace.
_PINGS = pings(every=5_000, patience=5_000)
_SERVICES = (
    auth_pb2.DESCRIPTOR.services_by_name["AuthService"].full_name,
    bot_pb2.DESCRIPTOR.services_by_name["BotService"].full_name,
    tournament_pb2.DESCRIPTOR.services_by_name["TournamentService"].full_name,
    ranking_pb2.DESCRIPTOR.services_by_name["RankingService"].full_name,
    replay_pb2.DESCRIPTOR.services_by_name["ReplayService"].full_name,
    play_pb2.DESCRIPTOR.services_by_name["PlayService"].full_name,
)
_MOST_CONNECTIONS = 1_000  # at each port
_REFUSAL_SECONDS = 1.0  # that a call waits to be refused by a limit: it slows down loops of calls
_EMBEDDED_GRACE = 1.0  # seconds for the current matches when a command is interrupted
_STOP_GRACE = 0.5  # seconds for the calls in flight
# Seconds for TLS handshakes that have just failed: gRPC 1.78 ended by SIGSEGV in 6 of 360 stops
# when a server stopped in the same milliseconds. docs/why.md says why no later version is used.
_HANDSHAKE_GRACE = 0.05


async def _announce_drain(platform: Platform, health: HealthServicer) -> None:
    """Tell the health service as soon as the platform begins nothing new."""
    await platform.draining.wait()
    await health.enter_graceful_shutdown()


@asynccontextmanager
async def serve_platform(
    platform: Platform,
    addresses: Sequence[str],
    *,
    isolation: str,
    tls: TlsFiles | None = None,
    public: bool = False,
    limits: CallLimits | None = None,
    refusal_seconds: float = _REFUSAL_SECONDS,
    most_connections: int = _MOST_CONNECTIONS,
    keepalive: Sequence[tuple[str, int]] = _PINGS,
) -> AsyncIterator[list[str]]:
    """Serve a platform while the context lasts; yields where it listens, in the same order.

    With `tls` every port has it; without, only ports of this machine are served. At a `public`
    server everybody may read without a token. Callers of ports are held to the `limits`, and wait
    `refusal_seconds` for a refusal. Port 0 picks a free port, and each port takes
    `most_connections` at a time; `keepalive` are the `pings` that its connections get. Raises
    `InvalidInputError` for an address or files that cannot be used and `PlatformError` for an
    address that cannot be had.
    """
    check_addresses(addresses, with_tls=tls is not None)
    credentials = tls.make_credentials() if tls is not None else None
    async with AsyncExitStack() as stack:
        listening = list(addresses)
        limit = ("grpc.max_allowed_incoming_connections", most_connections)
        # The counter stands outside, so that it sees what the others refuse.
        counter = RequestCounter(platform.metrics)
        outer = (UnknownMethods(), counter, ErrorStatuses(RefusalLog()))
        limit_gate = LimitGate(
            limits or CallLimits(), platform.tokens, platform.metrics, pause=refusal_seconds
        )
        for trusted in (True, False):
            own = [i for i, one in enumerate(addresses) if one.startswith(UNIX) is trusted]
            if not own:
                continue
            gate = Gate(platform.tokens, trusted=trusted, public=public)
            options = _OPTIONS if trusted else (*_PORT_OPTIONS, *keepalive, limit)
            inner = (gate,) if trusted else (limit_gate, gate)
            server = grpc.aio.server(interceptors=(*outer, *inner), options=options)
            for index in own:
                if trusted:
                    stack.callback(lock_socket(addresses[index]).release)
                listening[index] = _bind(server, addresses[index], credentials)
            await stack.enter_async_context(_run_server(server, platform, isolation))
            if credentials is not None and not trusted:
                stack.push_async_callback(asyncio.sleep, _HANDSHAKE_GRACE)
        yield listening


def _bind(server: grpc.aio.Server, address: str, credentials: grpc.ServerCredentials | None) -> str:
    """Return where the server listens, a port 0 replaced by the one that was picked."""
    try:
        if address.startswith(UNIX):
            with restrict_to_owner():
                server.add_insecure_port(address)
            return address
        if credentials is None:
            port = server.add_insecure_port(address)
        else:
            port = server.add_secure_port(address, credentials)
    except RuntimeError as error:
        raise PlatformError(
            f"cannot listen at {address}: {explain_bind_failure(address) or error}"
        ) from error
    return f"{address.rpartition(':')[0]}:{port}"


@asynccontextmanager
async def _run_server(
    server: grpc.aio.Server, platform: Platform, isolation: str
) -> AsyncIterator[None]:
    auth_pb2_grpc.add_AuthServiceServicer_to_server(AuthService(platform), server)
    bot_pb2_grpc.add_BotServiceServicer_to_server(BotService(platform, isolation=isolation), server)
    tournament_pb2_grpc.add_TournamentServiceServicer_to_server(
        TournamentService(platform, isolation=isolation), server
    )
    ranking_pb2_grpc.add_RankingServiceServicer_to_server(RankingService(platform), server)
    replay_pb2_grpc.add_ReplayServiceServicer_to_server(ReplayService(platform), server)
    server.add_generic_rpc_handlers((make_play_handler(platform.lobby),))
    health = HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(health, server)
    add_reflection((*_SERVICES, health_pb2.DESCRIPTOR.services_by_name["Health"].full_name), server)
    await server.start()
    for name in ("", *_SERVICES):
        await health.set(name, health_pb2.HealthCheckResponse.SERVING)
    retiring = asyncio.create_task(_announce_drain(platform, health))
    try:
        yield
    finally:
        retiring.cancel()
        await health.enter_graceful_shutdown()
        await server.stop(grace=_STOP_GRACE)


@asynccontextmanager
async def open_embedded(settings: Settings, *, isolation: str) -> AsyncIterator[str]:
    """Open a platform of this process alone, behind a socket of its own; yield its address."""
    platform = await Platform.open(settings, embedded=True)
    try:
        with ScratchFolder() as folder:
            address = f"unix:{Path(folder) / 's'}"
            async with serve_platform(platform, [address], isolation=isolation):
                yield address
    finally:
        await platform.close(grace=_EMBEDDED_GRACE)
