"""Keeps a page up to date for a visitor who stays on it."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

import grpc
from starlette.responses import Response, StreamingResponse

from mazzo_server.serving.web.rendering import OVER, STREAM, render_event

__all__ = ["send_parts"]

_NOTHING: Final = re.compile(r"(?!)")


def send_parts(
    parts: AsyncGenerator[str, None], *, ignored: re.Pattern[str] = _NOTHING
) -> Response:
    """Send a part of a page as a server-sent event whenever it changes, and `OVER` at the end.

    A change in what is `ignored` is none. When the platform does not answer, there is no `OVER`,
    and the browser comes again.
    """
    return StreamingResponse(
        _list_events(parts, ignored), media_type="text/event-stream", headers=STREAM
    )


async def _list_events(
    parts: AsyncGenerator[str, None], ignored: re.Pattern[str]
) -> AsyncGenerator[str, None]:
    number, last = 0, None
    try:
        async with aclosing(parts):
            async for part in parts:
                told = ignored.sub("", part)
                yield render_event(number, part) if told != last else ": still here\n\n"
                number, last = number + 1, told
    except (grpc.aio.AioRpcError, TimeoutError):
        return
    yield OVER
