"""Requests that cannot be read: the caller is told so, and it is no failure of the server."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from mazzo_server.errors import InvalidInputError
from mazzo_server.serving.grpc.answers import refuse

__all__ = ["ReadableOnly"]

_UNREADABLE = object()  # stands for a request; nobody sees it


class ReadableOnly(grpc.aio.ServerInterceptor):
    """The innermost interceptor of a server: who may not call is told nothing else.

    Without it gRPC calls such a request an unknown error, and logs a traceback.
    """

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """The method's own handler, which gets readable requests alone."""
        handler = await continuation(handler_call_details)
        if handler is None or handler.request_deserializer is None:
            return handler
        kind = "stream" if handler.request_streaming else "unary"
        kind += "_stream" if handler.response_streaming else "_unary"
        behavior = getattr(handler, kind)
        guard = _guarded_stream if inspect.isasyncgenfunction(behavior) else _guarded
        return getattr(grpc, f"{kind}_rpc_method_handler")(
            guard(behavior, of_stream=bool(handler.request_streaming)),
            request_deserializer=_lenient(handler.request_deserializer),
            response_serializer=handler.response_serializer,
        )


def _lenient(deserialize: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    def read(data: bytes) -> Any:
        try:
            return deserialize(data)
        except DecodeError:
            return _UNREADABLE

    return read


def _guarded(behavior: Callable[..., Any], *, of_stream: bool) -> Callable[..., Any]:
    async def answer(request: Any, context: Any) -> Any:
        return await behavior(await _checked(request, context, of_stream), context)

    return answer


def _guarded_stream(behavior: Callable[..., Any], *, of_stream: bool) -> Callable[..., Any]:
    async def answer(request: Any, context: Any) -> AsyncIterator[Any]:
        async for response in behavior(await _checked(request, context, of_stream), context):
            yield response

    return answer


async def _checked(request: Any, context: Any, of_stream: bool) -> Any:
    if of_stream:
        return _readable(request, context)
    if request is _UNREADABLE:
        await _refuse(context)
    return request


async def _readable(requests: AsyncIterator[Any], context: Any) -> AsyncIterator[Any]:
    async for request in requests:
        if request is _UNREADABLE:
            await _refuse(context)
        yield request


async def _refuse(context: Any) -> None:
    await refuse(context, InvalidInputError("expected a message of this method, got other bytes"))
