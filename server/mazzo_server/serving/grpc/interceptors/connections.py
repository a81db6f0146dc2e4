"""Tells the gateway which connections make calls that are let in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import grpc

from mazzo_server.model import PUBLIC
from mazzo_server.serving.gateway.process import GatewayProcess, read_peer
from mazzo_server.serving.grpc.calls import CALL, CALLER, Context, Handler, wrap_handler

__all__ = ["ConnectionGate"]


class ConnectionGate(grpc.aio.ServerInterceptor):
    """Stands around all that may refuse a call, and tells the gateway what becomes of it.

    A valid token counts as shown when its call begins, so that a long one keeps its connection.
    """

    def __init__(self, gateway: GatewayProcess) -> None:
        self._gateway = gateway

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        """Return the method's handler, wrapped; None for an unknown method."""
        handler = await continuation(handler_call_details)
        return None if handler is None else wrap_handler(handler, self._watch)

    def show_token(self, context: Context, token: str) -> None:
        """Note the id of a token that turns out to be valid while a call lasts."""
        if (peer := read_peer(context.peer())) is not None:
            self._gateway.begin_call(peer, token)
            self._gateway.end_call(peer, is_good=True)

    @asynccontextmanager
    async def _watch(self, context: Context) -> AsyncIterator[None]:
        caller = CALLER.get(None)
        peer = None if caller is None else read_peer(context.peer())
        if peer is None:  # it is refused, or comes another way
            yield
            return
        self._gateway.begin_call(peer, None if caller == PUBLIC else CALL.get().token)
        is_good = False
        try:
            yield
            is_good = True
        finally:
            self._gateway.end_call(peer, is_good=is_good)
