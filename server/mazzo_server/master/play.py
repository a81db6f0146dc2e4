"""`PlayService` for remote bots, beside the services for people."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import grpc

from mazzo_server.errors import PlatformError
from mazzo_server.master.answers import refuse
from mazzo_server.master.bearer import bearer
from mazzo_server.master.lobby import Lobby
from mazzo_server.master.stream import BotStream
from mazzo_server.outcome import Termination

__all__ = ["play_handler"]

_JOIN_SECONDS = 10.0  # that a bot which has dialled in may take to join


def play_handler(lobby: Lobby, *, join_seconds: float = _JOIN_SECONDS) -> grpc.GenericRpcHandler:
    """The service, whose streams wait in the lobby. It needs session tokens, and no others."""

    async def play(
        requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]
    ) -> None:
        stream = BotStream(lambda _: lobby.joined(session))
        try:
            session = lobby.redeem(bearer(context.invocation_metadata()) or "")
            lobby.enter(session, stream)
        except PlatformError as error:
            await refuse(context, error)

        def check_joined() -> None:
            if not stream.capacity:
                stream.fail(Termination.OUT_OF_TIME, f"had not joined after {join_seconds:g} s")

        timer = asyncio.get_running_loop().call_later(join_seconds, check_joined)
        try:
            await context.send_initial_metadata(())  # it is let in
            await stream.serve(requests, context.write)
        finally:
            timer.cancel()
            lobby.leave(session)

    return grpc.method_handlers_generic_handler(
        "mazzo.v1.PlayService", {"Play": grpc.stream_stream_rpc_method_handler(play)}
    )
