"""Every request is counted, by its method and by how it ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import grpc

from mazzo_server.metrics import Metrics
from mazzo_server.serving.grpc.calls import wrap_handler

__all__ = ["RequestCounter"]

_UNKNOWN = "unknown"  # in place of methods that do not exist: their names are the caller's


class RequestCounter(grpc.aio.ServerInterceptor):
    """The outermost interceptor of a server, so that it sees what the others refuse."""

    def __init__(self, metrics: Metrics) -> None:
        """Count in `metrics`."""
        self._metrics = metrics

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Return the method's handler, wrapped to count each call when it has ended."""
        handler = await continuation(handler_call_details)
        if handler is None:
            self._metrics.count_request(_UNKNOWN, grpc.StatusCode.UNIMPLEMENTED.name)
            return None
        method = handler_call_details.method.removeprefix("/")
        return wrap_handler(handler, partial(self._count, method))

    @asynccontextmanager
    async def _count(self, method: str, context: Any) -> AsyncIterator[None]:
        code = grpc.StatusCode.UNKNOWN
        try:
            yield
            code = _find_code(context)
        except (asyncio.CancelledError, GeneratorExit):
            code = grpc.StatusCode.CANCELLED
            raise
        except grpc.aio.AbortError:
            code = _find_code(context)
            raise
        finally:
            self._metrics.count_request(method, code.name)


def _find_code(context: Any) -> grpc.StatusCode:
    """Return the status that was set, by number or by value of the enum; OK if none was."""
    code = context.code()
    known = (status for status in grpc.StatusCode if code in (status, status.value[0]))
    return next(known, grpc.StatusCode.OK)
