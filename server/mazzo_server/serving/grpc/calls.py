"""What is known of the call that is being answered, and how its handler is wrapped."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeAlias

import grpc

from mazzo_server.errors import InvalidInputError, PermissionDeniedError, TooLateError
from mazzo_server.model import Caller

__all__ = [
    "CALL",
    "CALLER",
    "UPLOAD_TAKEN",
    "Call",
    "Context",
    "Handler",
    "find_acting_author",
    "read_first",
    "replace_behavior",
    "wrap_handler",
]

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"

UPLOAD_TAKEN = (("mazzo-upload", "taken"),)
"""The initial metadata of an upload that has its place."""

_REQUEST_SECONDS = 10.0  # that the first message of a call may take

# Who makes the call; `serving.grpc.interceptors.access` sets it before a handler runs.
CALLER: ContextVar[Caller] = ContextVar("CALLER")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What a call says of itself, true or not."""

    method: str
    token: str | None  # id of the token that it shows, if that can be one


# The call itself; set with `CALLER`, and before it is known who calls.
CALL: ContextVar[Call] = ContextVar("CALL")


def wrap_handler(
    handler: Handler,
    around: Callable[[Context], AbstractAsyncContextManager[None]],
    *,
    check: Callable[[Any], Any] = lambda request: request,
    deserializer: Callable[[bytes], Any] | None = None,
) -> Handler:
    """Return the handler with `around` entered for each of its calls.

    `check` gets the request, or the iterator of requests, inside `around`, and returns what the
    handler gets. Without a `deserializer` the handler keeps its own.
    """
    behavior = getattr(handler, _find_kind(handler))
    deserializer = deserializer or handler.request_deserializer
    if inspect.isasyncgenfunction(behavior):

        async def generate(request: Any, context: Context) -> AsyncIterator[Any]:
            try:
                async with around(context):
                    async for response in behavior(check(request), context):
                        yield response
            except grpc.aio.AbortError as error:
                del request, context
                raise _forget_frames(error) from None

        return replace_behavior(handler, generate, deserializer=deserializer)

    async def answer(request: Any, context: Context) -> Any:
        try:
            async with around(context):
                return await behavior(check(request), context)
        except grpc.aio.AbortError as error:
            del request, context
            raise _forget_frames(error) from None

    return replace_behavior(handler, answer, deserializer=deserializer)


async def read_first(
    requests: AsyncIterator[Any], *, is_only: bool = False, seconds: float = _REQUEST_SECONDS
) -> Any:
    """Return the first request of a call, after which none may come when it `is_only`.

    Raises `TooLateError`, and without any request `InvalidInputError`. Its memory is taken as soon
    as it is begun, so nobody may take for ever to send it.
    """
    try:
        async with asyncio.timeout(seconds):
            request = await anext(requests)
            # Also because gRPC's iterator keeps its call until it is at its end.
            if is_only and await anext(requests, None) is not None:
                raise InvalidInputError("expected one request, got two")
            return request
    except TimeoutError as error:
        raise TooLateError(
            f"expected the whole request within {seconds:g} s, got a part of it at most: send it "
            "at once"
        ) from error
    except StopAsyncIteration:
        raise InvalidInputError("expected a request, got none") from None


def replace_behavior(
    handler: Handler,
    behavior: Callable[..., Any],
    *,
    deserializer: Callable[[bytes], Any] | None = None,
) -> Handler:
    """Return a handler of the same kind that does something else.

    Without a `deserializer` it gets requests as bytes.
    """
    replaced: Handler = getattr(grpc, f"{_find_kind(handler)}_rpc_method_handler")(
        behavior,
        request_deserializer=deserializer,
        response_serializer=handler.response_serializer,
    )
    return replaced


def _forget_frames(error: grpc.aio.AbortError) -> grpc.aio.AbortError:
    """Take from an error what refers to the call that it ends.

    gRPC keeps the error with the call, so the two would keep each other until the garbage
    collector comes, and the call its place among those that a connection may have: measured, the
    129th call in a row that ends in an error was refused as one too many.
    """
    error.__context__ = None
    return error.with_traceback(None)


def _find_kind(handler: Handler) -> str:
    kind = "stream" if handler.request_streaming else "unary"
    return f"{kind}_stream" if handler.response_streaming else f"{kind}_unary"


def find_acting_author() -> str:
    """Return the author whose bots the caller may act on; "" is the organiser."""
    author = CALLER.get().author
    if author is None:
        raise PermissionDeniedError("expected the token of an author or an organiser")
    return author
