"""How a service answers: its errors become a status, its lists come in pages."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any, NoReturn, TypeVar

import grpc
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from mazzo.errors import MazzoError
from mazzo_server.access import PUBLIC, Caller
from mazzo_server.errors import (
    ConflictError,
    InvalidInputError,
    IsolationError,
    NotFoundError,
    PermissionDeniedError,
    PlatformError,
    StoreError,
    UnauthenticatedError,
)

__all__ = ["CALLER", "ERROR_DOMAIN", "Context", "answered", "page_of", "refuse"]

_LOG = logging.getLogger(__name__)

ERROR_DOMAIN = "mazzo"
_PAGE = 100  # rows, unless asked for fewer

_CODES: tuple[tuple[type[MazzoError], int], ...] = (
    (NotFoundError, code_pb2.NOT_FOUND),
    (InvalidInputError, code_pb2.INVALID_ARGUMENT),
    (UnauthenticatedError, code_pb2.UNAUTHENTICATED),
    (PermissionDeniedError, code_pb2.PERMISSION_DENIED),
    (ConflictError, code_pb2.FAILED_PRECONDITION),
    (IsolationError, code_pb2.FAILED_PRECONDITION),
    (StoreError, code_pb2.INTERNAL),
    (PlatformError, code_pb2.INTERNAL),
    (MazzoError, code_pb2.INVALID_ARGUMENT),  # of the SDK: a variant, a format, a seed
)

Context = grpc.aio.ServicerContext[Any, Any]
_Answer = TypeVar("_Answer")

# Who makes the call that is being answered; `master.access` sets it before a handler runs.
CALLER: ContextVar[Caller] = ContextVar("CALLER")


async def answered(context: Context, work: Callable[[], Awaitable[_Answer]]) -> _Answer:
    """What the work returns; its errors become a status with one `ErrorInfo`."""
    try:
        return await work()
    except MazzoError as error:
        await refuse(context, error)


async def refuse(context: Context, error: MazzoError) -> NoReturn:
    code = next(code for kind, code in _CODES if isinstance(error, kind))
    reason = error.reason if isinstance(error, PlatformError) else InvalidInputError.reason
    message = str(error)
    if code == code_pb2.INTERNAL:
        _LOG.error("request failed: %s", error, extra={"action": "request-failed"})
        if not CALLER.get(PUBLIC).is_organiser:  # it may name places on this machine
            message = "the server failed: its organiser finds the reason in the server's log"
    detail = any_pb2.Any()
    detail.Pack(error_details_pb2.ErrorInfo(reason=reason, domain=ERROR_DOMAIN))
    status = status_pb2.Status(code=code, message=message, details=[detail])
    await context.abort_with_status(rpc_status.to_status(status))
    raise AssertionError("unreachable")


def page_of(rows: list[_Answer], size: int, token: str) -> tuple[list[_Answer], str]:
    """One page, and the token of the next: the number of rows that came before it."""
    if token and not (token.isascii() and token.isdecimal() and len(token) < 10):
        raise InvalidInputError(f"expected a page token from an earlier answer, got {token!r}")
    start = int(token or 0)
    end = start + min(size or _PAGE, _PAGE)
    return rows[start:end], str(end) if end < len(rows) else ""
