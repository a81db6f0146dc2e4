"""The service through which bots play, and the time that they may take to join.

It is offered in two places: to remote bots by the server, and to each sandboxed bot at a socket of
its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Final

import grpc

from mazzo_server.errors import TooLateError
from mazzo_server.model import Termination
from mazzo_server.play.instances.stream import BotStream

__all__ = ["PLAY_METHOD", "PlayContext", "expect_joining", "make_service_handler"]

PLAY_METHOD: Final = "/mazzo.v1.PlayService/Play"

PlayContext = grpc.aio.ServicerContext[bytes, bytes]


def make_service_handler(
    play: Callable[[AsyncIterator[bytes], PlayContext], Awaitable[None]],
) -> grpc.GenericRpcHandler:
    """Return `PlayService` with this as its `Play`; messages stay bytes."""
    return grpc.method_handlers_generic_handler(
        "mazzo.v1.PlayService", {"Play": grpc.stream_stream_rpc_method_handler(play)}
    )


@contextmanager
def expect_joining(stream: BotStream, seconds: float) -> Iterator[None]:
    """Fail the stream if its bot has not joined so many seconds after the block began."""

    def check_joined() -> None:
        if not stream.capacity:
            stream.fail(
                Termination.OUT_OF_TIME,
                f"had not joined after {seconds:g} s",
                refusal=TooLateError(
                    f"expected `join` within {seconds:g} s, got none: send it before anything else"
                ),
            )

    timer = asyncio.get_running_loop().call_later(seconds, check_joined)
    try:
        yield
    finally:
        timer.cancel()
