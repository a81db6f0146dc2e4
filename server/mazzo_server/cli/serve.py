"""`mazzo serve`: the platform as a service."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Annotated

import typer

from mazzo_server.cli.connection import DEFAULT_ISOLATION, IsolationOption, execute
from mazzo_server.cli.output import console, notes
from mazzo_server.errors import InvalidInputError
from mazzo_server.settings import Settings

__all__ = ["serve"]

_GRACE = 30.0  # seconds for the current matches after SIGTERM or Ctrl-C


def serve(
    listen: Annotated[
        list[str] | None,
        typer.Option(
            "--listen",
            metavar="ADDRESS",
            help="unix:PATH or HOST:PORT; several times. Port 0 picks a free one.",
            show_default="a Unix socket under MAZZO_HOME",
        ),
    ] = None,
    isolation: IsolationOption = "",
    tls_cert: Annotated[
        Path | None,
        typer.Option("--tls-cert", metavar="FILE", help="Certificate chain of the ports, in PEM."),
    ] = None,
    tls_key: Annotated[
        Path | None, typer.Option("--tls-key", metavar="FILE", help="Its private key, in PEM.")
    ] = None,
    public: Annotated[
        bool, typer.Option("--public", help="Let everybody read at the ports, without a token.")
    ] = False,
) -> None:
    """Serve the platform until SIGTERM or Ctrl-C, then finish the current matches."""
    from mazzo_server.master.listening import TlsFiles
    from mazzo_server.master.server import serve as serve_platform
    from mazzo_server.platform import Platform

    async def work() -> None:
        if (tls_cert is None) is not (tls_key is None):
            raise InvalidInputError("expected --tls-cert and --tls-key together, got one of them")
        tls = TlsFiles(certificate=tls_cert, key=tls_key) if tls_cert and tls_key else None
        settings = Settings.from_environment()
        way = isolation or DEFAULT_ISOLATION
        platform = await Platform.open(settings)
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        assert task is not None

        def told() -> None:
            if stop.is_set():
                task.cancel()  # told twice: at once
            stop.set()

        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, told)
        try:
            await platform.sandbox(way)
            addresses = listen or [f"unix:{settings.socket}"]
            async with serve_platform(
                platform, addresses, isolation=way, tls=tls, public=public
            ) as listening:
                for address in listening:
                    console.print(f"Listening at {address}", soft_wrap=True)
                console.print(f"Isolating bots with {way}; home {settings.home}", soft_wrap=True)
                await stop.wait()
                notes.print("Stopping after the current matches; once more to stop at once …")
                await platform.drain(grace=_GRACE)
        finally:
            await platform.close(grace=0.0)

    execute(work())
