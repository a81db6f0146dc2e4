"""Errors become statuses: one interceptor does this for every method."""

from __future__ import annotations

import logging
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from typing import Any, NoReturn

import grpc
from google.protobuf.message import DecodeError
from google.rpc import code_pb2

from mazzo.errors import MazzoError
from mazzo_server.clock import monotonic
from mazzo_server.errors import (
    InvalidInputError,
    PermissionDeniedError,
    StoreError,
    StreamEndedError,
    UnauthenticatedError,
    UnknownMethodError,
)
from mazzo_server.logs import LogAction
from mazzo_server.model import PUBLIC
from mazzo_server.play.instances import PLAY_METHOD, find_code, find_reason, make_status
from mazzo_server.serving.grpc.calls import CALL, CALLER, Call, Context, Handler, wrap_handler

__all__ = ["ErrorStatuses", "RefusalLog", "UnknownMethods", "describe_error"]

_LOG = logging.getLogger(__name__)

_LONGEST_NAME = 200  # characters of a method's name that an error quotes
_MOST_REFUSALS = 10  # records of them in a second

_UNKNOWN = Call(method="a call", token=None)  # at a server without a gate
_UNREADABLE = object()  # stands for a request that cannot be parsed; no handler gets it


class RefusalLog:
    """Logs which calls are refused: ten a second at most, or a stranger could fill the disk."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._since = -math.inf
        self._written = self._left_out = 0

    def add(self, call: Call, error: MazzoError) -> None:
        """Write a record, or count it for the next one that is written."""
        now = self._clock()
        if now - self._since >= 1.0:
            self._since, self._written = now, 0
        if self._written == _MOST_REFUSALS:
            self._left_out += 1
            return
        self._written += 1
        left_out, self._left_out = self._left_out, 0
        # The record gets the text: an error keeps its call alive, and gRPC counts living calls
        # against the limit of a connection.
        _LOG.warning(
            "%s is refused: %s%s",
            call.method,
            str(error),
            f" ({left_out} more were refused before)" if left_out else "",
            extra={
                "action": _find_action(error),
                "reason": find_reason(error),
                "method": call.method,
                "token": call.token,
                "left_out": left_out,
            },
        )


class ErrorStatuses(grpc.aio.ServerInterceptor):
    """Ends a call whose handler raises a `MazzoError` with a status that has one `ErrorInfo`.

    It stands around the gate, whose errors it turns into statuses too. A request that cannot be
    parsed is an error of its caller: without this, gRPC would call it an unknown error and log a
    traceback.
    """

    def __init__(self, refusals: RefusalLog) -> None:
        self._refusals = refusals

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Return the method's handler, wrapped."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        if handler.request_deserializer is None:  # it gets bytes, whatever they are
            return wrap_handler(handler, self._end_by_status)
        return wrap_handler(
            handler,
            self._end_by_status,
            check=_check_requests if handler.request_streaming else _check_request,
            deserializer=partial(_deserialize_or_mark, handler.request_deserializer),
        )

    @asynccontextmanager
    async def _end_by_status(self, context: Context) -> AsyncIterator[None]:
        try:
            yield
        except MazzoError as error:
            await self._abort(context, error)

    async def _abort(self, context: Context, error: MazzoError) -> NoReturn:
        call = CALL.get(_UNKNOWN)
        if find_code(error) == code_pb2.INTERNAL or isinstance(error, StoreError):
            _LOG.error(
                "request failed: %s",
                str(error),
                extra={"action": LogAction.REQUEST_FAILED, "reason": find_reason(error)},
            )
        elif _is_logged(call, error):
            self._refusals.add(call, error)
        await context.abort_with_status(make_status(error, describe_error(error)))
        raise AssertionError("unreachable")


class UnknownMethods(grpc.aio.ServerInterceptor):
    """Refuses calls of methods that the server has not, as gRPC does, but with a reason.

    It stands around all others, which see that there is no handler.
    """

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler:
        """Return the method's handler, or one that refuses."""
        handler = await continuation(handler_call_details)
        if handler is not None:
            return handler
        method = handler_call_details.method[:_LONGEST_NAME]

        async def refuse_call(requests: object, context: Context) -> None:
            error = UnknownMethodError(
                f"expected a method of this server, got {method!r}: reflection lists them; take "
                "the .proto files of the server's version"
            )
            await context.abort_with_status(make_status(error))

        refusing: Handler = grpc.stream_stream_rpc_method_handler(refuse_call)
        return wrap_handler(refusing, lambda _: nullcontext())


def describe_error(error: MazzoError) -> str:
    """Return what the caller may read of an error.

    An error of the server itself may name places on its machine or other people's data, so only
    the organiser may read it.
    """
    if find_code(error) == code_pb2.INTERNAL and not CALLER.get(PUBLIC).is_organiser:
        return "the server failed: its organiser finds the reason in the server's log"
    return str(error)


def _find_action(error: MazzoError) -> LogAction:
    if isinstance(error, UnauthenticatedError | PermissionDeniedError):
        return LogAction.ACCESS_REFUSED
    return LogAction.STREAM_REFUSED


def _is_logged(call: Call, error: MazzoError) -> bool:
    """Tell whether a refusal is recorded: of access, and of what a bot's program sends.

    Mistakes of people are not: they read of them. Nor are lost connections: they have a record.
    """
    if isinstance(error, UnauthenticatedError | PermissionDeniedError):
        return True
    return call.method == PLAY_METHOD and not isinstance(error, StreamEndedError)


def _deserialize_or_mark(deserialize: Callable[[bytes], Any], data: bytes) -> Any:
    try:
        return deserialize(data)
    except DecodeError:
        return _UNREADABLE


def _check_request(request: Any) -> Any:
    if request is _UNREADABLE:
        raise InvalidInputError("expected a message of this method, got other bytes")
    return request


async def _check_requests(requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
    async for request in requests:
        yield _check_request(request)
