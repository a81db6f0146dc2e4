"""The pages beside a server: a process of their own, so that they cost it no decisions."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from mazzo_server.clock import monotonic
from mazzo_server.errors import InvalidInputError, PlatformError
from mazzo_server.logs import LogAction

__all__ = ["serve_pages_beside"]

_LOG = logging.getLogger(__name__)

_UNIX: Final = "unix:"
_LOOPBACK: Final = "127.0.0.1"
_PROGRAM: Final = (sys.executable, "-m", "mazzo_server")
_PR_SET_PDEATHSIG: Final = 1
_PATIENCE: Final = 5.0  # seconds for the pages to end


@asynccontextmanager
async def serve_pages_beside(
    addresses: Sequence[str],
    web: str,
    *,
    program: Sequence[str] = _PROGRAM,
    pause: float = 0.5,
    longest_pause: float = 60.0,
    proof: float = 60.0,
) -> AsyncIterator[str]:
    """Show the pages of the server at these addresses while the context lasts; yield where.

    `web` is HOST:PORT, or PORT alone; only this machine reaches it. Pages that end are started
    again at the same place after `pause` seconds, which double each time up to `longest_pause`, and
    begin anew after pages that lasted for `proof` seconds. Raises `InvalidInputError` for a server
    without a Unix socket, and `PlatformError` when the pages cannot begin.
    """
    server = next((address for address in addresses if address.startswith(_UNIX)), None)
    if server is None:
        raise InvalidInputError(
            "--web: expected a Unix socket among the addresses of --listen, got ports alone: add "
            "--listen unix:mazzo.sock, or let `mazzo web --server` show the pages"
        )
    listen = web if ":" in web else f"{_LOOPBACK}:{web}"
    command = (*program, "web", "--server", server)
    started: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    keeping = asyncio.create_task(
        _keep_pages(
            command,
            listen,
            started,
            _Pauses(first=pause, longest=longest_pause, proof=proof),
        ),
        name="pages",
    )
    try:
        yield await started
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pauses:
    """Seconds before a new start: the first time, at most, and after how long they begin anew."""

    first: float
    longest: float
    proof: float


async def _keep_pages(
    command: Sequence[str],
    listen: str,
    started: asyncio.Future[str],
    pauses: _Pauses,
) -> None:
    """Keep the pages running; `started` gets their address when the first ones take visitors.

    If those do not begin, `started` gets a `PlatformError`.
    """
    pause = pauses.first
    while True:
        began = monotonic()
        status: int | None = None
        try:
            status = await _run_pages((*command, "--listen", listen), started)
            why = f"status {status}"
        except OSError as error:  # such as too many processes
            why = str(error)
        if not started.done():
            started.set_exception(
                PlatformError(f"the pages at {listen} cannot be served: see the message above")
            )
            return
        listen = urlsplit(started.result()).netloc  # where visitors look for them
        if monotonic() - began >= pauses.proof:
            pause = pauses.first
        _LOG.warning(
            "the pages have ended with %s: the server goes on, and starts them again in %g s",
            *(why, pause),
            extra={"action": LogAction.PAGES_LOST, "status": status, "pause_seconds": pause},
        )
        await asyncio.sleep(pause)
        pause = min(2 * pause, pauses.longest)


async def _run_pages(command: Sequence[str], started: asyncio.Future[str]) -> int:
    """Run the pages until they end; return with which status."""
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
            return await _end_process(process)
        if not started.done():
            started.set_result(told.split()[1])
        return await process.wait()
    finally:
        await _end_process(process)


async def _end_process(process: asyncio.subprocess.Process) -> int:
    """Ask a process to end, or end it; return its status."""
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(_PATIENCE):
            return await process.wait()
    except TimeoutError:
        process.kill()
        return await process.wait()


def _make_death_signal() -> Callable[[], object] | None:
    """Return what lets a new process end with this one, in whatever way; None: nothing does."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl  # found here: little may be done between fork and exec
    return partial(prctl, _PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
