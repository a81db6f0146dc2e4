"""Answers browsers by HTTP."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import uvicorn
from starlette.types import ASGIApp

__all__ = ["serve_pages"]

_LARGEST_HEADERS: Final = 16 * 1024  # bytes of a request
_MOST_CONNECTIONS: Final = 500
_GRACE: Final = 2  # whole seconds for the answers that are being written at the end


async def serve_pages(app: ASGIApp, opened: socket.socket) -> None:
    """Answer what comes to a socket, until this task is cancelled."""
    server = _Server(
        uvicorn.Config(
            app,
            access_log=False,
            log_level="warning",
            server_header=False,
            lifespan="off",
            ws="none",
            http="h11",  # others know no limit of headers
            proxy_headers=False,
            h11_max_incomplete_event_size=_LARGEST_HEADERS,
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_graceful_shutdown=_GRACE,
        )
    )
    serving = asyncio.create_task(server.serve(sockets=[opened]), name="pages")
    try:
        await asyncio.shield(serving)
    except asyncio.CancelledError:
        server.should_exit = True
        await serving
        raise


class _Server(uvicorn.Server):
    """Leaves signals to the command."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take none."""
        yield
