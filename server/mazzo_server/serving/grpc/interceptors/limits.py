"""Callers are held to limits: so many calls at a time, and in a minute."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from typing import Any, Final

import grpc

from mazzo_server.auth import Tokens
from mazzo_server.clock import monotonic
from mazzo_server.errors import LimitReachedError, UnauthenticatedError
from mazzo_server.metrics import Metrics
from mazzo_server.model import PUBLIC, CallLimits
from mazzo_server.play.instances import PLAY_METHOD, read_bearer_token
from mazzo_server.serving.gateway.admission import find_network
from mazzo_server.serving.gateway.process import read_peer
from mazzo_server.serving.grpc.calls import CALL, CALLER, Context, Handler, read_first, wrap_handler
from mazzo_server.serving.hosting.callers import Callers
from mazzo_server.serving.hosting.unread import UnreadRequests

__all__ = ["LimitGate"]

_CREATE_SESSION: Final = "/mazzo.v1.BotService/CreateSession"
_MOST_UNREAD = 16  # requests without a token that are being read, of 2 MiB at most
_MOST_PAUSED = 1_000  # refused calls that wait
_SHARE = 4  # times what a token has is what an address has: many may share it


class LimitGate(grpc.aio.ServerInterceptor):
    """Counts each call for its caller, and refuses it when that is too much.

    A caller is a token, or without a valid one an address. It stands around the `Gate`, which says
    whether a token is valid. A stream of `Play` is not held to the limits, for its sessions are
    bounded elsewhere; only with a wrong token it is a call like others.
    """

    def __init__(
        self,
        limits: CallLimits,
        tokens: Tokens,
        metrics: Metrics,
        *,
        pause: float,
        clock: Callable[[], float] = monotonic,
        most_unread: int = _MOST_UNREAD,
    ) -> None:
        """A refused call is answered after `pause` seconds."""
        self._by_token = Callers(
            calls=limits.calls, calls_per_minute=limits.calls_per_minute, clock=clock
        )
        self._by_address = Callers(
            calls=_SHARE * limits.calls,
            calls_per_minute=_SHARE * limits.calls_per_minute,
            clock=clock,
        )
        self._tokens = tokens
        self._metrics = metrics
        self._pause = pause
        self._unread = UnreadRequests(most_unread)
        self._paused = 0

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        """Return the method's handler, wrapped; None for an unknown method."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        if handler_call_details.method == PLAY_METHOD:
            return wrap_handler(handler, self._watch_play)
        token = await self._find_token(handler_call_details)
        if not handler.request_streaming:
            handler = _read_late(handler, partial(self._read, token, CALLER.get(None) is None))
        return wrap_handler(handler, partial(self._hold, token))

    async def _find_token(self, details: grpc.HandlerCallDetails) -> str | None:
        """Return the id of the valid token that the call shows."""
        if CALLER.get(PUBLIC) != PUBLIC:
            return CALL.get().token
        if details.method != _CREATE_SESSION:
            return None
        try:
            await self._tokens.find_caller(read_bearer_token(details.invocation_metadata) or "")
        except UnauthenticatedError:
            return None
        return CALL.get().token

    @asynccontextmanager
    async def _hold(self, token: str | None, context: Context) -> AsyncIterator[None]:
        with ExitStack() as held:
            async with self._slow_refusals("address" if token is None else "token"):
                if token is not None:
                    held.enter_context(self._by_token.hold(token))
                else:
                    held.enter_context(self._by_address.hold(_find_address(context.peer())))
            yield

    @asynccontextmanager
    async def _watch_play(self, context: Context) -> AsyncIterator[None]:
        address = _find_address(context.peer())
        async with self._slow_refusals("address"):
            self._by_address.check(address)
        try:
            yield
        except UnauthenticatedError:
            self._by_address.charge(address)
            raise

    @asynccontextmanager
    async def _slow_refusals(self, kind: str) -> AsyncIterator[None]:
        """Count a refusal, and let it wait a moment, if not too many do already."""
        try:
            yield
        except LimitReachedError:
            self._metrics.count_limit_reached(kind)
            if self._paused < _MOST_PAUSED:
                self._paused += 1
                try:
                    await asyncio.sleep(self._pause)
                finally:
                    self._paused -= 1
            raise

    async def _read(
        self, token: str | None, is_refused: bool, requests: AsyncIterator[Any], peer: str
    ) -> Any:
        """Return the request of a call, None for one that is refused anyway."""
        if is_refused:
            return None
        if token is not None:
            return await read_first(requests, is_only=True)
        try:
            async with self._unread.hold(_find_address(peer)):
                return await read_first(requests, is_only=True)
        except LimitReachedError:
            self._metrics.count_limit_reached("unread")
            raise


def _find_address(peer: str) -> str:
    """Return the address of gRPC's name of a peer: what one customer of a provider has."""
    name = read_peer(peer)
    return peer if name is None else find_network(name.host)


def _read_late(
    handler: Handler, read: Callable[[AsyncIterator[Any], str], Awaitable[Any]]
) -> Handler:
    """Return a handler of one request that is read when the handler runs, and not before.

    gRPC would read it first, and wait for it for ever. To the caller nothing changes.
    """
    behavior: Any
    make: Any
    if handler.response_streaming:
        behavior, make = handler.unary_stream, grpc.stream_stream_rpc_method_handler
    else:
        behavior, make = handler.unary_unary, grpc.stream_unary_rpc_method_handler
    replaced: Handler
    if inspect.isasyncgenfunction(behavior):

        async def generate(requests: AsyncIterator[Any], context: Context) -> AsyncIterator[Any]:
            async for response in behavior(await read(requests, context.peer()), context):
                yield response

        replaced = make(generate, handler.request_deserializer, handler.response_serializer)
    else:

        async def answer(requests: AsyncIterator[Any], context: Context) -> Any:
            return await behavior(await read(requests, context.peer()), context)

        replaced = make(answer, handler.request_deserializer, handler.response_serializer)
    return replaced
