"""`mazzo serve`: runs the platform as a service."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated, get_args

import typer

from mazzo_server.cli.server.pages_process import serve_pages_beside
from mazzo_server.cli.shell.connection import execute
from mazzo_server.cli.shell.interrupts import handle_interrupts
from mazzo_server.cli.shell.options import (
    ExecutorOption,
    RayAddressOption,
    WorkersOption,
    make_amount_parser,
    make_tournament_option,
    make_word_option,
)
from mazzo_server.cli.text.output import console
from mazzo_server.errors import InvalidInputError
from mazzo_server.logs import LogAction, LogFormat, LogLevel, set_up
from mazzo_server.model import CallLimits
from mazzo_server.settings import DEFAULT_ISOLATION, ExecutorKind, Settings

__all__ = ["serve"]

_LOG = logging.getLogger(__name__)

_GRACE = 30.0  # seconds
_LONGEST_GRACE = 86_400.0  # seconds
_STOPPED_AT_ONCE = 130  # exit status


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
    isolation: Annotated[str, make_tournament_option("isolation", usual=DEFAULT_ISOLATION)] = "",
    grace: Annotated[
        float,
        typer.Option(
            "--grace",
            metavar="SECONDS",
            parser=make_amount_parser("seconds", most=_LONGEST_GRACE, zero=True),
            help="For the current matches after Ctrl-C or SIGTERM; the rest is left to resume.",
        ),
    ] = _GRACE,
    metrics: Annotated[
        str,
        typer.Option(
            "--metrics",
            metavar="HOST:PORT",
            help="Serve metrics for Prometheus by HTTP; without HOST to this machine alone.",
            show_default="not served",
        ),
    ] = "",
    web: Annotated[
        str,
        typer.Option(
            "--web",
            metavar="HOST:PORT",
            help="Show the pages, too, to this machine alone and without a log-in; PORT is enough.",
            show_default="not shown",
        ),
    ] = "",
    workers: WorkersOption = None,
    executor: ExecutorOption = None,
    ray_address: RayAddressOption = "",
    log_format: Annotated[
        LogFormat,
        typer.Option(
            "--log-format",
            **make_word_option(get_args(LogFormat)),
            help="Of the records on standard error.",
        ),
    ] = "text",
    log_level: Annotated[
        LogLevel,
        typer.Option(
            "--log-level",
            **make_word_option(get_args(LogLevel)),
            help="Records from this level on.",
        ),
    ] = "info",
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
    public_play: Annotated[
        bool,
        typer.Option(
            "--public-play", help="Let everybody open tables and play at them, without a token."
        ),
    ] = False,
) -> None:
    """Serve the platform until Ctrl-C or SIGTERM, then finish the current matches.

    Example: mazzo serve --listen localhost:7878
    """
    from mazzo_server.metrics import serve_metrics
    from mazzo_server.serving.grpc import serve_platform
    from mazzo_server.serving.hosting import (
        Platform,
        TlsFiles,
        keep_memory_small,
        raise_descriptor_limit,
    )

    set_up(log_format, log_level)
    raise_descriptor_limit()

    async def work() -> None:
        if (tls_cert is None) is not (tls_key is None):
            raise InvalidInputError("expected --tls-cert and --tls-key together, got one of them")
        tls = TlsFiles(certificate=tls_cert, key=tls_key) if tls_cert and tls_key else None
        settings = replace(
            Settings.from_environment(),
            workers=workers or 0,
            executor=ExecutorKind(executor or ExecutorKind.PROCESSES),
            ray_address=ray_address,
        )
        way = isolation or DEFAULT_ISOLATION
        limits = CallLimits.from_environment(os.environ)
        platform = await Platform.open(settings, limits=limits)
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        assert task is not None

        def on_stop_signal() -> None:
            if stop.is_set():
                task.cancel()  # the second signal: at once
            stop.set()

        loop.add_signal_handler(signal.SIGINT, on_stop_signal)
        try:
            addresses = listen or [f"unix:{settings.socket}"]
            async with AsyncExitStack() as serving:
                serving.enter_context(
                    handle_interrupts(lambda: loop.call_soon_threadsafe(on_stop_signal))
                )
                await serving.enter_async_context(keep_memory_small())
                await serving.enter_async_context(platform.deliver_events())
                await serving.enter_async_context(platform.keep_ladders())
                await platform.bots.launcher.find_sandbox(way)
                await serving.enter_async_context(platform.play_broken_trials(way))
                await platform.unrated.tables.tidy_up()
                await serving.enter_async_context(platform.play_challenges())
                page = ""
                if metrics:
                    page = await serving.enter_async_context(
                        serve_metrics(platform.metrics, metrics)
                    )
                listening = await serving.enter_async_context(
                    serve_platform(
                        platform,
                        addresses,
                        isolation=way,
                        tls=tls,
                        public=public,
                        public_play=public_play,
                        limits=limits,
                    )
                )
                await serving.enter_async_context(platform.start_on_time())
                for address in listening:
                    console.print(f"Listening at {address}", soft_wrap=True)
                console.print(f"Isolating bots with {way}; home {settings.home}", soft_wrap=True)
                if page:
                    console.print(f"Metrics at {page}", soft_wrap=True)
                if web:
                    beside = serve_pages_beside(listening, web)
                    console.print(
                        f"Pages at {await serving.enter_async_context(beside)}", soft_wrap=True
                    )
                if interrupted := await platform.tournaments.overview.list_interrupted():
                    numbers = ", ".join(map(str, interrupted))
                    console.print(
                        f"Interrupted: {numbers}. `mazzo tournament resume ID` goes on with one; "
                        "finals and those that started by the clock go on by themselves.",
                        soft_wrap=True,
                    )
                _LOG.info(
                    "listening at %s",
                    ", ".join(listening),
                    extra={
                        "action": LogAction.SERVER_STARTED,
                        "addresses": listening,
                        "isolation": way,
                        "home": str(settings.home),
                        "metrics": page or None,
                    },
                )
                await stop.wait()
                _LOG.info(
                    "Stopping after the current matches, in %g s at most; once more to stop at "
                    "once",
                    grace,
                    extra={"action": LogAction.SERVER_STOPPING, "grace_seconds": grace},
                )
                await platform.drain(grace=grace)
        except asyncio.CancelledError:
            if not stop.is_set():
                raise
            raise typer.Exit(_STOPPED_AT_ONCE) from None
        finally:
            await platform.close(grace=0.0)
            if stop.is_set():
                _LOG.info("stopped", extra={"action": LogAction.SERVER_STOPPED})

    execute(work())
