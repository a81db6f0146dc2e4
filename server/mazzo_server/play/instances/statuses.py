"""Turns an error into a gRPC status with one `ErrorInfo`."""

from __future__ import annotations

from typing import Final

import grpc
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from mazzo.errors import MazzoError
from mazzo_server.errors import (
    ConflictError,
    FellBehindError,
    FullDiskError,
    InvalidInputError,
    IsolationError,
    LimitReachedError,
    NotFoundError,
    OverLimitError,
    PermissionDeniedError,
    PlatformError,
    ServerUnavailableError,
    StoreError,
    TooLateError,
    UnauthenticatedError,
    UnknownMethodError,
)

__all__ = ["ERROR_DOMAIN", "find_code", "find_reason", "make_status"]

ERROR_DOMAIN: Final = "mazzo"

_CODES: Final[tuple[tuple[type[MazzoError], int], ...]] = (
    (NotFoundError, code_pb2.NOT_FOUND),
    (InvalidInputError, code_pb2.INVALID_ARGUMENT),
    (UnknownMethodError, code_pb2.UNIMPLEMENTED),
    (UnauthenticatedError, code_pb2.UNAUTHENTICATED),
    (PermissionDeniedError, code_pb2.PERMISSION_DENIED),
    (ConflictError, code_pb2.FAILED_PRECONDITION),
    (FellBehindError, code_pb2.RESOURCE_EXHAUSTED),
    (LimitReachedError, code_pb2.RESOURCE_EXHAUSTED),
    (FullDiskError, code_pb2.RESOURCE_EXHAUSTED),
    (OverLimitError, code_pb2.RESOURCE_EXHAUSTED),
    (TooLateError, code_pb2.DEADLINE_EXCEEDED),
    (IsolationError, code_pb2.FAILED_PRECONDITION),
    (ServerUnavailableError, code_pb2.UNAVAILABLE),
    (StoreError, code_pb2.INTERNAL),
    (PlatformError, code_pb2.INTERNAL),
    (MazzoError, code_pb2.INVALID_ARGUMENT),  # of the SDK: a variant, a format, a seed
)


def find_code(error: MazzoError) -> int:
    """Return the number of the status that an error becomes."""
    return next(code for kind, code in _CODES if isinstance(error, kind))


def find_reason(error: MazzoError) -> str:
    """Return the reason that machines read; an error of the SDK is one of what was given."""
    return error.reason if isinstance(error, PlatformError) else InvalidInputError.reason


def make_status(error: MazzoError, text: str = "") -> grpc.Status:
    """Return the status of an error, with its own text unless another is given."""
    detail = any_pb2.Any()
    detail.Pack(error_details_pb2.ErrorInfo(reason=find_reason(error), domain=ERROR_DOMAIN))
    details = [detail]
    if isinstance(error, LimitReachedError):
        wait = error_details_pb2.RetryInfo()
        wait.retry_delay.FromNanoseconds(round(error.retry_seconds * 1e9))
        details.append(any_pb2.Any())
        details[1].Pack(wait)
    status = status_pb2.Status(code=find_code(error), message=text or str(error), details=details)
    return rpc_status.to_status(status)
