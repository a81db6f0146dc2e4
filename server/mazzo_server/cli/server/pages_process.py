"""The pages beside a server: a process of their own, so that they cost it no decisions."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final

from mazzo_server.errors import InvalidInputError, PlatformError
from mazzo_server.logs import LogAction

__all__ = ["serve_pages_beside"]

_LOG = logging.getLogger(__name__)

_UNIX: Final = "unix:"
_LOOPBACK: Final = "127.0.0.1"
_PR_SET_PDEATHSIG: Final = 1
_PATIENCE: Final = 5.0  # seconds for the pages to end


@asynccontextmanager
async def serve_pages_beside(addresses: Sequence[str], web: str) -> AsyncIterator[str]:
    """Show the pages of the server at these addresses while the context lasts; yield where.

    `web` is HOST:PORT, or PORT alone; only this machine reaches it. Raises `InvalidInputError` for
    a server without a Unix socket, and `PlatformError` when the pages cannot begin.
    """
    server = next((address for address in addresses if address.startswith(_UNIX)), None)
    if server is None:
        raise InvalidInputError(
            "--web: expected a Unix socket among the addresses of --listen, got ports alone: "
            "`mazzo web --server` shows the pages of any server"
        )
    listen = web if ":" in web else f"{_LOOPBACK}:{web}"
    command = (sys.executable, "-m", "mazzo_server", "web", "--server", server, "--listen", listen)
    process = await asyncio.create_subprocess_exec(
        *command,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
        preexec_fn=_make_death_signal(),
    )
    try:
        assert process.stdout is not None
        told = (await process.stdout.readline()).decode().strip()
        if not told.startswith("Open "):
            raise PlatformError(f"the pages at {listen} cannot be served: see the message above")
        watching = asyncio.create_task(_tell_end(process), name="pages")
        try:
            yield told.split()[1]
        finally:
            watching.cancel()
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            async with asyncio.timeout(_PATIENCE):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


def _make_death_signal() -> Callable[[], object] | None:
    """Return what lets a new process end with this one, in whatever way; None: nothing does."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl  # found here: little may be done between fork and exec
    return partial(prctl, _PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


async def _tell_end(process: asyncio.subprocess.Process) -> None:
    status = await process.wait()
    _LOG.warning(
        "the pages have ended with status %d: the server goes on without them",
        status,
        extra={"action": LogAction.PAGES_LOST, "status": status},
    )
