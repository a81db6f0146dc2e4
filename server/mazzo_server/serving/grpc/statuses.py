"""Errors become statuses: one interceptor does this for every method."""

from __future__ import annotations

import logging
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, NoReturn

import grpc
from google.protobuf import any_pb2
from google.protobuf.message import DecodeError
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from mazzo.errors import MazzoError
from mazzo_server.clock import monotonic
from mazzo_server.errors import (
    ConflictError,
    FellBehindError,
    InvalidInputError,
    IsolationError,
    NotFoundError,
    PermissionDeniedError,
    PlatformError,
    ServerUnavailableError,
    StoreError,
    UnauthenticatedError,
)
from mazzo_server.logs import LogAction
from mazzo_server.model import PUBLIC
from mazzo_server.serving.grpc.calls import CALL, CALLER, Call, Context, wrap_handler

__all__ = ["ERROR_DOMAIN", "ErrorStatuses", "RefusalLog", "describe_error"]

_LOG = logging.getLogger(__name__)

ERROR_DOMAIN = "mazzo"
_MOST_REFUSALS = 10  # records of them in a second

_CODES: tuple[tuple[type[MazzoError], int], ...] = (
    (NotFoundError, code_pb2.NOT_FOUND),
    (InvalidInputError, code_pb2.INVALID_ARGUMENT),
    (UnauthenticatedError, code_pb2.UNAUTHENTICATED),
    (PermissionDeniedError, code_pb2.PERMISSION_DENIED),
    (ConflictError, code_pb2.FAILED_PRECONDITION),
    (FellBehindError, code_pb2.RESOURCE_EXHAUSTED),
    (IsolationError, code_pb2.FAILED_PRECONDITION),
    (ServerUnavailableError, code_pb2.UNAVAILABLE),
    (StoreError, code_pb2.INTERNAL),
    (PlatformError, code_pb2.INTERNAL),
    (MazzoError, code_pb2.INVALID_ARGUMENT),  # of the SDK: a variant, a format, a seed
)
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
                "action": LogAction.ACCESS_REFUSED,
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
        code = _find_code(error)
        reason = error.reason if isinstance(error, PlatformError) else InvalidInputError.reason
        if isinstance(error, UnauthenticatedError | PermissionDeniedError):
            self._refusals.add(CALL.get(_UNKNOWN), error)
        if code == code_pb2.INTERNAL:
            _LOG.error(
                "request failed: %s",
                str(error),
                extra={"action": LogAction.REQUEST_FAILED, "reason": reason},
            )
        detail = any_pb2.Any()
        detail.Pack(error_details_pb2.ErrorInfo(reason=reason, domain=ERROR_DOMAIN))
        status = status_pb2.Status(code=code, message=describe_error(error), details=[detail])
        await context.abort_with_status(rpc_status.to_status(status))
        raise AssertionError("unreachable")


def describe_error(error: MazzoError) -> str:
    """Return what the caller may read of an error.

    An error of the server itself may name places on its machine or other people's data, so only
    the organiser may read it.
    """
    if _find_code(error) == code_pb2.INTERNAL and not CALLER.get(PUBLIC).is_organiser:
        return "the server failed: its organiser finds the reason in the server's log"
    return str(error)


def _find_code(error: MazzoError) -> int:
    return next(code for kind, code in _CODES if isinstance(error, kind))


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
