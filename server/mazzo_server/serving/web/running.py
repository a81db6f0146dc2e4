"""Answers browsers by HTTP."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from mazzo_server.errors import PlatformError

__all__ = ["serve_pages"]

_LARGEST_HEADERS: Final = 16 * 1024  # bytes of a request
_MOST_CONNECTIONS: Final = 2000  # of which each live page has one
_GRACE: Final = 2  # whole seconds for the answers that are being written at the end


async def serve_pages(
    app: ASGIApp, opened: socket.socket, *, certificate: Path | None = None, key: Path | None = None
) -> None:
    """Answer what comes to a socket, until this task is cancelled; with a certificate by HTTPS.

    Raises `PlatformError` for a certificate and a key that do not belong together.
    """
    if certificate is not None:
        try:
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key)
        except OSError as error:
            raise PlatformError(f"cannot use the certificate {certificate}: {error}") from error
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
            ssl_certfile=certificate,
            ssl_keyfile=key,
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
