"""Waits when a server says that it has too much to do, and asks again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
from google.rpc import error_details_pb2, status_pb2

from mazzo_server.clock import monotonic
from mazzo_server.results.commentary import clean

__all__ = ["call_patiently", "find_wait", "read_patiently"]

_PATIENCE = 120.0  # seconds of waiting after which the refusal is final
_LONGEST_WAIT = 30.0  # seconds
_SHORT_WAIT = 0.5  # seconds: shorter ones are not told


async def call_patiently(
    ask: Callable[[], Awaitable[Any]],
    on_wait: Callable[[str], None] = lambda text: None,
    *,
    patience: float = _PATIENCE,
) -> Any:
    """Return the answer; wait and ask again as long as the server refuses with a time to wait.

    `on_wait` gets a line about a wait that a person notices. Raises the last refusal when
    `patience` seconds are over.
    """
    end = monotonic() + patience
    while True:
        try:
            return await ask()
        except grpc.aio.AioRpcError as error:
            await _follow_advice(error, end, on_wait)


async def read_patiently(
    ask: Callable[[], AsyncIterator[Any]],
    on_wait: Callable[[str], None] = lambda text: None,
    *,
    patience: float = _PATIENCE,
) -> AsyncIterator[Any]:
    """Yield what a stream of answers brings; see `call_patiently`. None is begun twice."""
    end, has_begun = monotonic() + patience, False
    while True:
        try:
            async for answer in ask():
                has_begun = True
                yield answer
        except grpc.aio.AioRpcError as error:
            if has_begun:
                raise
            await _follow_advice(error, end, on_wait)
        else:
            return


async def _follow_advice(
    error: grpc.aio.AioRpcError, end: float, on_wait: Callable[[str], None]
) -> None:
    """Wait as the server asks for; raise the error if it asks for nothing, or for too much."""
    wait = find_wait(error)
    if wait is None or wait > _LONGEST_WAIT or monotonic() + wait > end:
        raise error
    if wait >= _SHORT_WAIT:
        on_wait(f"Waiting {wait:g} s: {clean(error.details() or '')}")
    await asyncio.sleep(wait)


def find_wait(error: grpc.aio.AioRpcError) -> float | None:
    """Return after how many seconds the server would take the call; None: it does not say."""
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin" and isinstance(value, bytes):
            info = error_details_pb2.RetryInfo()
            for detail in status_pb2.Status.FromString(value).details:
                if detail.Unpack(info):
                    return float(info.retry_delay.ToNanoseconds()) / 1e9
    return None
