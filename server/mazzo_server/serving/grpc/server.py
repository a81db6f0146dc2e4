"""The platform behind sockets: services for people, health and reflection.

There are two servers. Behind a Unix socket, whose file only its owner can open, everybody is
the organiser: who can open it could change the store itself. Behind a port callers need
tokens.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Sequence
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
    challenge_pb2,
    challenge_pb2_grpc,
    entry_pb2,
    entry_pb2_grpc,
    hook_pb2,
    hook_pb2_grpc,
    ladder_pb2,
    ladder_pb2_grpc,
    operation_pb2,
    operation_pb2_grpc,
    play_pb2,
    ranking_pb2,
    ranking_pb2_grpc,
    replay_pb2,
    replay_pb2_grpc,
    standings_pb2,
    standings_pb2_grpc,
    table_pb2,
    table_pb2_grpc,
    tournament_pb2,
    tournament_pb2_grpc,
)
from mazzo_server.errors import PlatformError
from mazzo_server.model import CallLimits
from mazzo_server.play.instances import MOST_MESSAGE, UNCOMPRESSED, UNLIMITED_PINGS
from mazzo_server.sandbox import ScratchFolder
from mazzo_server.serving.gateway.admission import ConnectionLimits
from mazzo_server.serving.gateway.messages import SOCKET_NAME
from mazzo_server.serving.gateway.process import open_gateway
from mazzo_server.serving.grpc.bots import BotService
from mazzo_server.serving.grpc.calls import Context
from mazzo_server.serving.grpc.interceptors.access import Gate, Level
from mazzo_server.serving.grpc.interceptors.connections import ConnectionGate
from mazzo_server.serving.grpc.interceptors.counting import RequestCounter
from mazzo_server.serving.grpc.interceptors.limits import LimitGate
from mazzo_server.serving.grpc.interceptors.statuses import (
    ErrorStatuses,
    RefusalLog,
    UnknownMethods,
)
from mazzo_server.serving.grpc.organisers import AuthService, HookService, OperationService
from mazzo_server.serving.grpc.play import make_play_handler
from mazzo_server.serving.grpc.rankings import RankingService
from mazzo_server.serving.grpc.reflection import add_reflection
from mazzo_server.serving.grpc.replays import ReplayService
from mazzo_server.serving.grpc.standings import StandingsService
from mazzo_server.serving.grpc.tournaments import EntryService, TournamentService
from mazzo_server.serving.grpc.unrated import ChallengeService, LadderService, TableService
from mazzo_server.serving.hosting.listening import (
    UNIX,
    TlsFiles,
    check_addresses,
    lock_socket,
    open_port,
    restrict_to_owner,
)
from mazzo_server.serving.hosting.platform import Platform
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
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
)
# Pings keep a connection alive in routers that forget silent ones, and find dead peers: a remote
# bot soon enough for it to come back within the usual grace.
_PINGS = pings(every=5_000, patience=5_000)
_SERVICES = (
    auth_pb2.DESCRIPTOR.services_by_name["AuthService"].full_name,
    bot_pb2.DESCRIPTOR.services_by_name["BotService"].full_name,
    challenge_pb2.DESCRIPTOR.services_by_name["ChallengeService"].full_name,
    entry_pb2.DESCRIPTOR.services_by_name["EntryService"].full_name,
    hook_pb2.DESCRIPTOR.services_by_name["HookService"].full_name,
    ladder_pb2.DESCRIPTOR.services_by_name["LadderService"].full_name,
    operation_pb2.DESCRIPTOR.services_by_name["OperationService"].full_name,
    tournament_pb2.DESCRIPTOR.services_by_name["TournamentService"].full_name,
    standings_pb2.DESCRIPTOR.services_by_name["StandingsService"].full_name,
    ranking_pb2.DESCRIPTOR.services_by_name["RankingService"].full_name,
    replay_pb2.DESCRIPTOR.services_by_name["ReplayService"].full_name,
    table_pb2.DESCRIPTOR.services_by_name["TableService"].full_name,
    play_pb2.DESCRIPTOR.services_by_name["PlayService"].full_name,
)
# Calls that a connection may have in flight, at least: twice those of a token. One that waits to be
# refused takes 50 KiB or so.
_LEAST_STREAMS = 64
_REFUSAL_SECONDS = 1.0  # that a call waits to be refused by a limit: it slows down loops of calls
_EMBEDDED_GRACE = 1.0  # seconds for the current matches when a command is interrupted
_STOP_GRACE = 0.5  # seconds for the calls in flight


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
    public_play: bool = False,
    limits: CallLimits | None = None,
    connections: ConnectionLimits | None = None,
    refusal_seconds: float = _REFUSAL_SECONDS,
    keepalive: Sequence[tuple[str, int]] = _PINGS,
) -> AsyncIterator[list[str]]:
    """Serve a platform while the context lasts; yields where it listens, in the same order.

    With `tls` every port has it; without, only ports of this machine are served. At a `public`
    server everybody may read without a token, and open tables with `public_play`. Callers of ports
    are held to the `limits`, wait `refusal_seconds` for a refusal, and have no more `connections`
    than these, of all ports together; `keepalive` are the `pings` that those get. Port 0 picks a
    free port. Raises `InvalidInputError` for an address or files that cannot be used and
    `PlatformError` for an address that cannot be had.
    """
    open_levels = [Level.READ] * public + [Level.PLAY] * public_play
    check_addresses(addresses, with_tls=tls is not None)
    if tls is not None:
        tls.check()
    async with AsyncExitStack() as stack:
        # The counter stands outside, so that it sees what the others refuse.
        counter = RequestCounter(platform.metrics)
        outer = (UnknownMethods(), counter, ErrorStatuses(RefusalLog()))
        listening = list(addresses)
        sockets = [address for address in addresses if address.startswith(UNIX)]
        if sockets:
            gate = Gate(platform.tokens, trusted=True)
            server = grpc.aio.server(interceptors=(*outer, gate), options=_OPTIONS)
            for address in sockets:
                stack.callback(lock_socket(address).release)
                _bind(server, address)
            await stack.enter_async_context(_run_server(server, platform, isolation))
        if len(sockets) < len(addresses):
            ports = list[socket.socket]()
            for index, address in enumerate(addresses):
                if address not in sockets:
                    ports += (opened := open_port(address))
                    for port in opened:
                        stack.callback(port.close)
                    host, number = address.rpartition(":")[0], opened[0].getsockname()[1]
                    listening[index] = f"{host}:{number}"
            folder = Path(stack.enter_context(ScratchFolder()))
            gateway = await stack.enter_async_context(
                open_gateway(
                    ports,
                    folder,
                    tls=tls,
                    limits=connections or ConnectionLimits(),
                    metrics=platform.metrics,
                )
            )
            connection_gate = ConnectionGate(gateway)

            def let_in(context: Context, key: str) -> None:
                if not platform.unrated.tables.has_key(
                    key
                ):  # people stay strangers: keys are for all
                    connection_gate.show_token(context, key)

            limits = limits or CallLimits()
            limit_gate = LimitGate(limits, platform.tokens, platform.metrics, pause=refusal_seconds)
            inner = (limit_gate, Gate(platform.tokens, public=open_levels))
            streams = ("grpc.max_concurrent_streams", max(_LEAST_STREAMS, 2 * limits.calls))
            server = grpc.aio.server(
                interceptors=(*outer, connection_gate, *inner),
                options=(*_PORT_OPTIONS, streams, *keepalive),
            )
            _bind(server, f"{UNIX}{folder / SOCKET_NAME}")
            await stack.enter_async_context(_run_server(server, platform, isolation, let_in=let_in))
        yield listening


def _bind(server: grpc.aio.Server, address: str) -> None:
    try:
        with restrict_to_owner():
            server.add_insecure_port(address)
    except RuntimeError as error:
        raise PlatformError(f"cannot listen at {address}: {error}") from error


@asynccontextmanager
async def _run_server(
    server: grpc.aio.Server,
    platform: Platform,
    isolation: str,
    *,
    let_in: Callable[[Context, str], None] = lambda _context, _key: None,
) -> AsyncIterator[None]:
    operation_pb2_grpc.add_OperationServiceServicer_to_server(
        OperationService(platform, isolation=isolation), server
    )
    auth_pb2_grpc.add_AuthServiceServicer_to_server(AuthService(platform), server)
    hook_pb2_grpc.add_HookServiceServicer_to_server(HookService(platform), server)
    bot_pb2_grpc.add_BotServiceServicer_to_server(BotService(platform, isolation=isolation), server)
    entry_pb2_grpc.add_EntryServiceServicer_to_server(
        EntryService(platform, isolation=isolation), server
    )
    tournament_pb2_grpc.add_TournamentServiceServicer_to_server(
        TournamentService(platform, isolation=isolation), server
    )
    ladder_pb2_grpc.add_LadderServiceServicer_to_server(
        LadderService(platform, isolation=isolation), server
    )
    standings_pb2_grpc.add_StandingsServiceServicer_to_server(StandingsService(platform), server)
    ranking_pb2_grpc.add_RankingServiceServicer_to_server(RankingService(platform), server)
    replay_pb2_grpc.add_ReplayServiceServicer_to_server(ReplayService(platform), server)
    table_pb2_grpc.add_TableServiceServicer_to_server(
        TableService(platform, isolation=isolation), server
    )
    challenge_pb2_grpc.add_ChallengeServiceServicer_to_server(
        ChallengeService(platform, isolation=isolation), server
    )
    server.add_generic_rpc_handlers((make_play_handler(platform.lobby, let_in=let_in),))
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
