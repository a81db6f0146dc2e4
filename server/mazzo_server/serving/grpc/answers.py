"""How a service answers: its errors become a status, its lists come in pages."""

from __future__ import annotations

import logging
import math
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

import grpc
from google.protobuf import any_pb2
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
from mazzo_server.logs import Action
from mazzo_server.model.roles import PUBLIC, Caller

__all__ = [
    "CALL",
    "CALLER",
    "ERROR_DOMAIN",
    "Call",
    "Context",
    "Refusals",
    "answered",
    "page_bounds",
    "page_of",
    "refuse",
    "told",
]

_LOG = logging.getLogger(__name__)

ERROR_DOMAIN = "mazzo"
_MOST_REFUSALS = 10  # records of them in a second
_PAGE = 100  # rows, unless asked for fewer

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

Context = grpc.aio.ServicerContext[Any, Any]
_Answer = TypeVar("_Answer")

# Who makes the call that is being answered; `master.access` sets it before a handler runs.
CALLER: ContextVar[Caller] = ContextVar("CALLER")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What a call says of itself, true or not."""

    method: str
    token: str | None  # id of the token that it shows, if that can be one


# The call that is being answered; set with `CALLER`, and before it is known who calls.
CALL: ContextVar[Call] = ContextVar("CALL")
_UNKNOWN = Call(method="a call", token=None)  # at a server without a gate


class Refusals:
    """Logs who is refused: ten a second at most, or a stranger could fill the disk."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._since = -math.inf
        self._written = self._left_out = 0

    def log(self, call: Call, error: MazzoError) -> None:
        """Write it, or count it for the next one that is written."""
        now = self._clock()
        if now - self._since >= 1.0:
            self._since, self._written = now, 0
        if self._written == _MOST_REFUSALS:
            self._left_out += 1
            return
        self._written += 1
        left_out, self._left_out = self._left_out, 0
        _LOG.warning(
            "%s is refused: %s%s",
            *(call.method, error, f" ({left_out} more were refused before)" if left_out else ""),
            extra={
                "action": Action.ACCESS_REFUSED,
                "method": call.method,
                "token": call.token,
                "left_out": left_out,
            },
        )


_REFUSALS = Refusals()


async def answered(context: Context, work: Callable[[], Awaitable[_Answer]]) -> _Answer:
    """What the work returns; its errors become a status with one `ErrorInfo`."""
    try:
        return await work()
    except MazzoError as error:
        await refuse(context, error)


async def refuse(context: Context, error: MazzoError) -> NoReturn:
    code = _code(error)
    reason = error.reason if isinstance(error, PlatformError) else InvalidInputError.reason
    if isinstance(error, UnauthenticatedError | PermissionDeniedError):
        _REFUSALS.log(CALL.get(_UNKNOWN), error)
    if code == code_pb2.INTERNAL:
        _LOG.error(
            "request failed: %s", error, extra={"action": Action.REQUEST_FAILED, "reason": reason}
        )
    detail = any_pb2.Any()
    detail.Pack(error_details_pb2.ErrorInfo(reason=reason, domain=ERROR_DOMAIN))
    status = status_pb2.Status(code=code, message=told(error), details=[detail])
    await context.abort_with_status(rpc_status.to_status(status))
    raise AssertionError("unreachable")


def told(error: MazzoError) -> str:
    """What the caller may read of an error.

    Those of the server itself may name places on its machine, or anything that it was at work
    with, so they are for the organiser alone.
    """
    if _code(error) == code_pb2.INTERNAL and not CALLER.get(PUBLIC).is_organiser:
        return "the server failed: its organiser finds the reason in the server's log"
    return str(error)


def _code(error: MazzoError) -> int:
    return next(code for kind, code in _CODES if isinstance(error, kind))


def page_of(rows: list[_Answer], size: int, token: str) -> tuple[list[_Answer], str]:
    """One page, and the token of the next: the number of rows that came before it."""
    start, count = page_bounds(size, token)
    end = start + count
    return rows[start:end], str(end) if end < len(rows) else ""


def page_bounds(size: int, token: str, *, most: int = _PAGE) -> tuple[int, int]:
    """The number that a page's token holds, 0 without one, and how many rows it gets."""
    if token and not (token.isascii() and token.isdecimal() and len(token) < 10):
        raise InvalidInputError(f"expected a page token from an earlier answer, got {token!r}")
    return int(token or 0), min(size or most, most)
