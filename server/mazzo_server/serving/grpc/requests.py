"""Every request is counted, by its method and by how it ended."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import grpc

from mazzo_server.metrics import Metrics

__all__ = ["RequestCounter"]

_UNKNOWN = "unknown"  # in place of methods that do not exist: their names are the caller's


class RequestCounter(grpc.aio.ServerInterceptor):
    """The outermost interceptor of a server, so that it sees what the others refuse."""

    def __init__(self, metrics: Metrics) -> None:
        """Counts in `metrics`."""
        self._metrics = metrics

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """The handler of the method, which counts when it has ended."""
        handler = await continuation(handler_call_details)
        if handler is None:
            self._metrics.request(_UNKNOWN, grpc.StatusCode.UNIMPLEMENTED.name)
            return None
        kind = "stream" if handler.request_streaming else "unary"
        kind += "_stream" if handler.response_streaming else "_unary"
        method = handler_call_details.method.removeprefix("/")
        wrap = getattr(grpc, f"{kind}_rpc_method_handler")
        return wrap(
            self._counted(method, getattr(handler, kind)),
            request_deserializer=handler.request_deserializer,
            response_serializer=handler.response_serializer,
        )

    def _counted(self, method: str, behavior: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isasyncgenfunction(behavior):

            async def generate(request: Any, context: Any) -> AsyncIterator[Any]:
                with self._counting(method, context):
                    async for response in behavior(request, context):
                        yield response

            return generate

        async def answer(request: Any, context: Any) -> Any:
            with self._counting(method, context):
                return await behavior(request, context)

        return answer

    @contextmanager
    def _counting(self, method: str, context: Any) -> Iterator[None]:
        code = grpc.StatusCode.UNKNOWN
        try:
            yield
            code = _code_of(context)
        except (asyncio.CancelledError, GeneratorExit):
            code = grpc.StatusCode.CANCELLED
            raise
        except grpc.aio.AbortError:
            code = _code_of(context)
            raise
        finally:
            self._metrics.request(method, code.name)


def _code_of(context: Any) -> grpc.StatusCode:
    """The status that was set, by number or by value of the enum; OK where none was."""
    code = context.code()
    known = (status for status in grpc.StatusCode if code in (status, status.value[0]))
    return next(known, grpc.StatusCode.OK)
